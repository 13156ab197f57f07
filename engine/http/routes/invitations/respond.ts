import { zeroAddress } from 'viem';
import { respondToInvitation } from '../../../db/commerce/invitations.ts';
import { getCampaign } from '../../../db/read/campaigns/get.ts';
import type { InvitationView } from '../../../db/read/campaigns/invitations.ts';
import { joinerOf } from '../../../db/read/campaigns/joining.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { invitation } from '../../render/invitation.ts';
import { joinDescription, joinRefusalsOf } from '../../render/own-link.ts';
import type { PlannedCall } from '../../resources/transactions/planned-call.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/**
 * `invitations.respond`: accepts or declines an invitation, once. Accepting returns the join transaction
 * if the contract would allow it at the settled block; later, `links.joinPreview` has it.
 */
export const respond: Handler<'invitations.respond'> = async (
  input,
  deps,
  { account: address },
) => {
  const status = input.response === 'accept' ? 'accepted' : 'declined';
  const answer = { status, reason: input.reason ?? null } as const;
  const own = { id: input.id, distributor: address };
  const changed = await respondToInvitation(deps.pool, own, answer, new Date(deps.clock()));
  if (changed.outcome === 'missing') {
    throw notFound(`There is no invitation ${input.id} to you.`);
  }
  if (changed.outcome === 'over') {
    throw conflict(
      `The invitation ${input.id} is ${changed.invitation.status}: it can no longer be answered.`,
    );
  }
  const join = status === 'accepted' ? await joinOf(deps, changed.invitation) : null;
  return {
    data: {
      invitation: invitation(changed.invitation),
      transaction: join && (await unsignedTransaction(deps, address, join)),
    },
  };
};

/** Join that the distributor may send now; `null` if the contract would reject it. */
async function joinOf(
  { pool, deployment }: AppDeps,
  { campaignId, merchant, distributor }: InvitationView,
): Promise<PlannedCall | null> {
  const campaign = await readLedger(pool, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    // A reorg may have given the id to a campaign of another merchant.
    if (campaign === undefined || campaign.merchant !== merchant) return null;
    const joiner = await joinerOf(snapshot, campaign, distributor);
    return joinRefusalsOf(campaign, joiner).length === 0 ? campaign : null;
  });
  if (campaign === null) return null;
  return commerceCall(deployment, {
    functionName: 'join',
    args: [BigInt(campaignId), campaign.termsHash, 0n, zeroAddress],
    description: joinDescription(campaignId, null),
  });
}
