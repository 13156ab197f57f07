import { zeroAddress } from 'viem';
import type { Issue } from '../../../contract/envelope.ts';
import { MAX_PENDING, sendInvitation } from '../../../db/commerce/invitations.ts';
import { type JoinerView, joinerOf } from '../../../db/read/campaigns/joining.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import { conflict, invalidField, unprocessable } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { invitation } from '../../render/invitation.ts';
import { joinRefusalsOf } from '../../render/own-link.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/** Milliseconds until the latest expiry of an invitation: a year. */
const MAX_AHEAD_MS = 366 * 86_400_000;

/**
 * `invitations.send`: invites an account to one of the caller's campaigns, under the policy in effect. An
 * invite-only campaign also needs the returned transaction, which adds the account to its allow-list.
 */
export const send: Handler<'invitations.send'> = async (input, deps, { merchant: address }) => {
  const { deployment, pool } = deps;
  const distributor = lowerAddress(input.distributor);
  if (distributor === zeroAddress) {
    throw invalidField('distributor', 'must not be the zero address: no account has its key');
  }
  const { campaign, joiner, head } = await readLedger(pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, address);
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
    throw unprocessable('The invitation cannot be sent: see issues.', issues);
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
    throw unprocessable(`You have ${MAX_PENDING} unanswered invitations, which is the maximum.`);
  }
  if (sent.outcome === 'pending') {
    throw conflict(
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

/** Reasons why an invitation to the campaign could not be accepted. The allow-list is handled separately. */
function campaignIssues(campaign: CampaignView, joiner: JoinerView): Issue[] {
  const reasons = joinRefusalsOf(campaign, { ...joiner, allowed: true });
  const path = 'campaignId';
  return [
    ...reasons.map((reason) => ({ path, message: `must be one that takes links: ${reason}` })),
    ...(campaign.moderation.hidden ? [{ path, message: 'must be one that is not hidden' }] : []),
  ];
}

function expiryIssues(expiresAt: Date, now: Date): Issue[] {
  const path = 'expiresAt';
  if (expiresAt <= now) return [{ path, message: 'must be in the future' }];
  const tooFar = expiresAt.getTime() > now.getTime() + MAX_AHEAD_MS;
  return tooFar ? [{ path, message: 'must be at most a year ahead' }] : [];
}
