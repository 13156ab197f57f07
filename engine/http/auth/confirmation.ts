import { isConfirmed } from '../../db/commerce/confirmations.ts';
import type { AppDeps } from '../deps.ts';
import { ConfirmationRequiredError } from '../errors.ts';
import type { Session } from './session.ts';
import { tokenHashOf } from './token.ts';

/**
 * Lets a sensitive write pass only with a signature of the last 5 minutes: `confirmationToken` of
 * `auth.confirm`, bound to this session.
 * @throws {ConfirmationRequiredError} without one, which a client answers by asking the wallet.
 */
export async function requireConfirmation(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  session: Session,
  confirmationToken: string | undefined,
): Promise<void> {
  const confirmed =
    confirmationToken !== undefined &&
    (await isConfirmed(pool, session.id, tokenHashOf(confirmationToken), new Date(clock())));
  if (!confirmed) throw new ConfirmationRequiredError();
}
