import type { QueryClient } from '@tanstack/react-query';
import { readSession, SESSION_KEY } from '../../account/session.ts';
import { hasSignedIn } from '../../account/wallets.ts';
import { api, type DataOf } from '../../api.ts';

const COUNTED = 'tributary.opened.';

/**
 * Counts that a link was opened, once for each tab. Its owner’s own look at it is not a visit: so a browser that has
 * signed in before is asked for its session first.
 */
export async function countVisit(
  queries: QueryClient,
  { code, link }: DataOf<typeof api.referrals.get>,
): Promise<void> {
  if (sessionStorage.getItem(COUNTED + code) !== null) return;
  sessionStorage.setItem(COUNTED + code, 'yes');
  if (hasSignedIn()) {
    const session = await queries.fetchQuery({ queryKey: SESSION_KEY, queryFn: readSession });
    if (session?.address.toLowerCase() === link.owner) return;
  }
  await api.referrals.open({ code });
}
