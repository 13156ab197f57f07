import { account } from '../../support/history.ts';
import type { ApiBench } from './bench.ts';
import type { Parts } from './requests.ts';
import { signedIn } from './session.ts';

/** An account that owns something, and one that has no part in it. */
export const OWNER = account(70);
export const STRANGER = account(71);

/** Makes a thing of OWNER's, and answers the input that names it. */
type Owned = (bench: ApiBench) => Promise<Partial<Parts>>;

/**
 * For each session method that names a thing in its path: how to make one that is OWNER's, so that
 * STRANGER is refused it with 403 or 404; or `open`, where the thing is nobody's alone.
 */
export const owned: Readonly<Record<string, Owned | 'open'>> = {
  'auth.revokeSession': async ({ deps }) => ({
    params: { id: (await signedIn(deps, OWNER)).id },
  }),
  'moderation.hide': async () => ({ params: { campaignId: '1' }, body: { reason: 'A fake.' } }),
  'moderation.unhide': async () => ({ params: { campaignId: '1' }, body: { reason: 'Fine.' } }),
};
