import type { Issue } from '../../../contract/envelope.ts';
import { PENDING_MOST, sendInvitation } from '../../../db/commerce/invitations.ts';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { type JoinerView, joinerOf } from '../../../db/read/joining.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { lowerAddress } from '../../address.ts';
import { newId } from '../../auth/token.ts';
import { ConflictError, UnprocessableError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { readOwnCampaign } from '../../own-campaign.ts';
import { asOpenMerchant } from '../../own-merchant.ts';
import { invitation } from '../../render/invitation.ts';
import { joinRefusals } from '../../render/own-link.ts';
import { commerceCall, unsignedTransaction } from '../../transactions/unsigned.ts';

/** How far ahead an invitation may run: a year. */
const AHEAD_MS_MOST = 366 * 86_400_000;

/**
 * `invitations.send`: invites an account to a campaign of one's own, under the policy in effect. Where
 * the campaign is invite-only, the contract must be told as well: by the transaction that comes along.
 */
export const send: Handler<'invitations.send'> = async (input, deps, { session }) => {
  const { deployment, pool } = deps;
  const distributor = lowerAddress(input.distributor);
  const { address } = session;
  const { campaign, joiner, head } = await readLedger(pool, async (snapshot) => {
    const campaign = await readOwnCampaign(snapshot, input.campaignId, address);
    const joiner = await joinerOf(snapshot, campaign, distributor);
    return { campaign, joiner, head: snapshot.head };
  });
  const now = new Date(deps.clock());
  const expiresAt = new Date(input.expiresAt);
  const issues = [
    ...(distributor === address ? [{ path: 'distributor', message: 'must not be yourself' }] : []),
    ...campaignIssues(campaign, joiner),
    ...expiryIssues(expiresAt, now),
  ];
  if (issues.length > 0) {
    throw new UnprocessableError('The invitation cannot be sent: see issues.', issues);
  }
  const { campaignId, policy } = campaign;
  const sent = await asOpenMerchant(pool, address, (sql, { id }) =>
    sendInvitation(sql, {
      id: newId(),
      merchant: { id, address },
      campaignId,
      distributor,
      message: input.message,
      terms: input.terms,
      policyHash: policy.policyHash,
      expiresAt,
      now,
    }),
  );
  if (sent.outcome === 'full') {
    throw new UnprocessableError(
      `You have ${PENDING_MOST} invitations that wait for an answer, which is as many as may be.`,
    );
  }
  if (sent.outcome === 'pending') {
    throw new ConflictError(
      `The invitation ${sent.id} of ${distributor} to campaign ${campaignId} is not answered yet.`,
    );
  }
  const allow = commerceCall(deployment, {
    functionName: 'allowDistributor',
    args: [BigInt(campaignId), distributor, true],
    description: `Lets ${distributor} join campaign ${campaignId}, which is by invitation only.`,
  });
  const needsAllow = campaign.inviteOnly && !joiner.allowed;
  const transaction = needsAllow ? await unsignedTransaction(deps, address, allow) : null;
  return {
    data: { ...invitation(sent.invitation), transaction },
    chain: chainMeta(deployment, head, campaign.newestBlock, campaign.campaignId),
  };
};

/** Why nobody can take an invitation to it. The allow-list is no reason: it comes along. */
function campaignIssues(campaign: CampaignView, joiner: JoinerView): Issue[] {
  const reasons = joinRefusals(campaign, { ...joiner, allowed: true });
  const path = 'campaignId';
  return [
    ...reasons.map((reason) => ({ path, message: `must be one that takes links: ${reason}` })),
    ...(campaign.moderation.hidden ? [{ path, message: 'must be one that is not hidden' }] : []),
  ];
}

function expiryIssues(expiresAt: Date, now: Date): Issue[] {
  const path = 'expiresAt';
  if (expiresAt <= now) return [{ path, message: 'must be in the future' }];
  const tooFar = expiresAt.getTime() > now.getTime() + AHEAD_MS_MOST;
  return tooFar ? [{ path, message: 'must be at most a year ahead' }] : [];
}
