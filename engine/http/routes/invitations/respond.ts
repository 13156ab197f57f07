import { zeroAddress } from 'viem';
import { respondToInvitation } from '../../../db/commerce/invitations.ts';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import type { InvitationView } from '../../../db/read/invitations.ts';
import { joinerOf } from '../../../db/read/joining.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { invitation } from '../../render/invitation.ts';
import { joinDescription, joinRefusals } from '../../render/own-link.ts';
import type { PlannedCall } from '../../transactions/planned-call.ts';
import { commerceCall, unsignedTransaction } from '../../transactions/unsigned.ts';

/**
 * `invitations.respond`: accepts or declines, once. An accepted one brings the join along, where the
 * contract would take it at the settled block; later on `links.joinPreview` has it.
 */
export const respond: Handler<'invitations.respond'> = async (input, deps, { session }) => {
  const { address } = session;
  const status = input.response === 'accept' ? 'accepted' : 'declined';
  const answer = { status, reason: input.reason ?? null } as const;
  const own = { id: input.id, distributor: address };
  const changed = await respondToInvitation(deps.pool, own, answer, new Date(deps.clock()));
  if (changed.outcome === 'missing') {
    throw new NotFoundError(`There is no invitation ${input.id} to you.`);
  }
  if (changed.outcome === 'over') {
    throw new ConflictError(
      `The invitation ${input.id} is ${changed.invitation.status}: there is nothing to answer.`,
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

/** The join that the distributor may send now; `null` where the contract would refuse it. */
async function joinOf(
  { pool, deployment }: AppDeps,
  { campaignId, merchant, distributor }: InvitationView,
): Promise<PlannedCall | null> {
  const campaign = await readLedger(pool, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    // A reorg may have handed the id to another merchant.
    if (campaign === undefined || campaign.merchant !== merchant) return null;
    const joiner = await joinerOf(snapshot, campaign, distributor);
    return joinRefusals(campaign, joiner).length === 0 ? campaign : null;
  });
  if (campaign === null) return null;
  return commerceCall(deployment, {
    functionName: 'join',
    args: [BigInt(campaignId), campaign.termsHash, 0n, zeroAddress],
    description: joinDescription(campaignId, null),
  });
}
