import { withdrawInvitation } from '../../../db/commerce/invitations.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { invitation } from '../../render/invitation.ts';

/** `invitations.withdraw`: takes an invitation back that was not answered. The allow-list stays. */
export const withdraw: Handler<'invitations.withdraw'> = async ({ id }, deps, { session }) => {
  const own = { id, merchant: session.address };
  const changed = await withdrawInvitation(deps.pool, own, new Date(deps.clock()));
  if (changed.outcome === 'missing') throw new NotFoundError(`You sent no invitation ${id}.`);
  if (changed.outcome === 'over') {
    throw new ConflictError(
      `The invitation ${id} is ${changed.invitation.status}: only a pending one is withdrawn.`,
    );
  }
  return { data: invitation(changed.invitation) };
};
