import { isConfirmed } from '../../db/commerce/confirmations.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import type { ActiveSession } from './session.ts';
import { tokenHashOf } from './token.ts';

/**
 * Requires a signature of the last 5 minutes for a sensitive write: the `confirmationToken` that
 * `auth.confirm` returned to this session.
 * @param session `undefined` if the request came with an API key, which cannot sign.
 * @throws {HttpError} CONFIRMATION_REQUIRED without one: the client then asks the wallet.
 * @throws {HttpError} FORBIDDEN to an API key.
 */
export async function requireConfirmation(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  session: ActiveSession | undefined,
  confirmationToken: string | undefined,
): Promise<void> {
  if (session === undefined) {
    throw new HttpError('FORBIDDEN', 'This needs a fresh signature, which an API key cannot give.');
  }
  const confirmed =
    confirmationToken !== undefined &&
    (await isConfirmed(pool, session.id, tokenHashOf(confirmationToken), new Date(clock())));
  if (!confirmed)
    throw new HttpError(
      'CONFIRMATION_REQUIRED',
      'This needs a fresh signature: get a confirmationToken from auth.confirm and send it.',
    );
}
