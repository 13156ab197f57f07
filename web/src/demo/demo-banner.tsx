import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { SignedIn } from '../account/session.ts';
import { storedValue } from '../storage.ts';
import { demo } from './demo.ts';

const Banner = lazy(async () => ({ default: (await import('./banner.tsx')).Banner }));

/**
 * The bar at the bottom of every page while the visitor acts as a person of the demo. Its code is loaded only on a
 * local chain, and only after somebody tried a role with this browser.
 */
export function DemoBanner() {
  // Only reads the cache: it shows the bar as soon as somebody has signed in.
  const { data } = useQuery<SignedIn | null>({ queryKey: ['auth.session'], enabled: false });
  if (demo() === undefined) return null;
  const hasTried = storedValue('wallet')?.startsWith('demo-') === true;
  if (!hasTried && !data) return null;
  return (
    <Suspense fallback={null}>
      <Banner />
    </Suspense>
  );
}
