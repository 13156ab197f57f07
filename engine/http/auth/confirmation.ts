import { isConfirmed } from '../../db/commerce/confirmations.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import type { ActiveSession } from './session.ts';
import { tokenHashOf } from './token.ts';

/**
 * Requires a signature of the last 5 minutes for a sensitive write: the `confirmationToken` that
 * `auth.confirm` returned to this session.
 * @throws {HttpError} CONFIRMATION_REQUIRED without one: the client then asks the wallet.
 */
export async function requireConfirmation(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  session: ActiveSession,
  confirmationToken: string | undefined,
): Promise<void> {
  const confirmed =
    confirmationToken !== undefined &&
    (await isConfirmed(pool, session.id, tokenHashOf(confirmationToken), new Date(clock())));
  if (!confirmed)
    throw new HttpError(
      'CONFIRMATION_REQUIRED',
      'This needs a fresh signature: get a confirmationToken from auth.confirm and send it.',
    );
}
