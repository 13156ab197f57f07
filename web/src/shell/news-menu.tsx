import { lazy, Suspense } from 'react';
import { useRememberedSession } from '../account/session.ts';
import styles from './menus.module.css';
import { NewsIcon } from './news-icon.tsx';

/** Loaded for those who are signed in. */
const News = lazy(async () => ({ default: (await import('./news.tsx')).News }));

/** News of the signed-in account; nothing for other readers. */
export function NewsMenu() {
  if (useRememberedSession() === undefined) return null;
  return (
    <Suspense fallback={<Place />}>
      <News />
    </Suspense>
  );
}

/** As large as the button: nothing next to it moves when it comes. */
function Place() {
  return (
    <span className={styles.button} aria-hidden="true">
      <NewsIcon />
    </span>
  );
}
