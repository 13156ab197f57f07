import { withdrawInvitation } from '../../../db/commerce/invitations.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { invitation } from '../../render/invitation.ts';

/** `invitations.withdraw`: withdraws an unanswered invitation. The allow-list does not change. */
export const withdraw: Handler<'invitations.withdraw'> = async ({ id }, deps, { merchant }) => {
  const own = { id, merchant };
  const changed = await withdrawInvitation(deps.pool, own, new Date(deps.clock()));
  if (changed.outcome === 'missing') throw notFound(`You sent no invitation ${id}.`);
  if (changed.outcome === 'over') {
    throw conflict(
      `The invitation ${id} is ${changed.invitation.status}: only a pending one can be withdrawn.`,
    );
  }
  return { data: invitation(changed.invitation) };
};
