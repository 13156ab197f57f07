import { lazy, Suspense } from 'react';
import { useRememberedSession } from '../account/session.ts';
import styles from './menus.module.css';

/** Loaded for those who are signed in. */
const News = lazy(async () => ({ default: (await import('./news.tsx')).News }));

/** News of the signed-in account; nothing for other readers. */
export function NewsMenu() {
  if (useRememberedSession() === undefined) return null;
  const icon = (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4" />
    </svg>
  );
  // As large as the button: nothing next to it moves when it comes.
  const place = (
    <span className={styles.button} aria-hidden="true">
      {icon}
    </span>
  );
  return (
    <Suspense fallback={place}>
      <News icon={icon} />
    </Suspense>
  );
}
