import { deleteAccount } from '../../../db/commerce/delete-account.ts';
import { requireConfirmation } from '../../auth/confirmation.ts';
import { endedCookie } from '../../auth/cookie.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { deletionOf } from '../../render/account-deletion.ts';

/** `account.delete`: requires a fresh signature. While something is open, nothing changes and the response lists it. */
export const deleteOwnAccount: Handler<'account.delete'> = async (
  { confirmationToken },
  deps,
  { account, session },
) => {
  await requireConfirmation(deps, session, confirmationToken);
  const { pool, clock, deployment } = deps;
  const deletion = await deleteAccount(pool, account, clock);
  return {
    data: deletionOf(deletion),
    chain: chainMeta(deployment, deletion.head),
    ...(deletion.deletedAt !== null && { setCookie: endedCookie() }),
  };
};
