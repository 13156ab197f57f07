import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { inviteToCampaign } from '../../resources/invitations/invite.ts';

/** `invitations.send`: invites an account to one of the caller's campaigns, under the policy in effect. */
export const send: Handler<'invitations.send'> = async (input, deps, { merchant }) => {
  const distributor = lowerAddress(input.distributor);
  const text = { ...input, distributor, expiresAt: new Date(input.expiresAt) };
  const nothing = async () => undefined;
  const { invitation, transaction, chain } = await inviteToCampaign(deps, merchant, text, nothing);
  return { data: { ...invitation, transaction }, chain };
};
