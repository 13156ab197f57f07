import { saveConfirmation } from '../../../db/commerce/confirmations.ts';
import { verifySigned } from '../../auth/signed-message.ts';
import { CONFIRMATION_SECONDS } from '../../auth/times.ts';
import { newToken, tokenHashOf } from '../../auth/token.ts';
import { HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

/** `auth.confirm`: confirms a new signature of the account that is signed in, for 5 minutes. */
export const confirm: Handler<'auth.confirm'> = async (input, deps, caller) => {
  const { session } = caller;
  const now = new Date(deps.clock());
  const { address } = await verifySigned(input, deps, caller, now);
  if (address.toLowerCase() !== session.address) {
    throw new HttpError(
      'FORBIDDEN',
      `The message was signed for ${address}, but ${session.address} is signed in.`,
    );
  }
  const token = newToken();
  const expiresAt = new Date(now.getTime() + CONFIRMATION_SECONDS * 1_000);
  await saveConfirmation(deps.pool, session.id, tokenHashOf(token), expiresAt);
  return { data: { confirmationToken: token, expiresAt: expiresAt.toISOString() } };
};
