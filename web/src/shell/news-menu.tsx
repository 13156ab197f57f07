import { lazy, Suspense } from 'react';
import { useRememberedSession } from '../account/session.ts';

/** Loaded for those who are signed in. */
const News = lazy(async () => ({ default: (await import('./news.tsx')).News }));

/** News of the signed-in account; nothing for other readers. */
export function NewsMenu() {
  if (useRememberedSession() === undefined) return null;
  return (
    <Suspense>
      <News />
    </Suspense>
  );
}
