import type { z } from 'zod';
import type { GraphNode } from '../../contract/shapes/graph.ts';
import type { Link, LinkCampaign } from '../../contract/shapes/link.ts';
import { coveredSales } from '../../core/budget.ts';
import { nextPolicyOf, type Policy } from '../../core/campaign.ts';
import { encodeReferralCode } from '../../core/referral-code.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { GraphNodeView } from '../../db/read/graph/graph-nodes.ts';
import type { ServedDeployment } from '../deps.ts';
import { campaignSummary } from './campaign.ts';
import { nextPolicy } from './policy.ts';
import { isoTime } from './time.ts';
import { txRef } from './tx-ref.ts';

/** Node with its counters. */
export function graphNode(
  deployment: ServedDeployment,
  node: GraphNodeView,
): z.infer<typeof GraphNode> {
  return {
    nodeId: node.nodeId,
    parentNodeId: node.parentNodeId,
    depth: node.depth,
    owner: node.owner,
    ownerHandle: node.ownerHandle,
    code: encodeReferralCode(node.nodeId) ?? null,
    childCount: node.childCount,
    sales: { ...node.sales },
    joinedAt: isoTime(node.join.timestamp),
    tx: txRef(deployment, node.join),
  };
}

/** Node with its campaign. @param waiting scheduled versions of the campaign's policy. */
export function linkOf(
  deployment: ServedDeployment,
  campaign: CampaignView,
  waiting: readonly Policy[],
  node: GraphNodeView,
): z.infer<typeof Link> {
  return {
    ...graphNode(deployment, node),
    chainId: deployment.chainId,
    campaign: linkCampaign(deployment, campaign, waiting),
  };
}

/** Campaign as a visitor of a link sees it. @param waiting scheduled versions of its policy. */
export function linkCampaign(
  deployment: ServedDeployment,
  campaign: CampaignView,
  waiting: readonly Policy[],
): z.infer<typeof LinkCampaign> {
  const { campaignId, state, merchant, product, token, price, onchainUrl } = campaignSummary(
    deployment,
    campaign,
  );
  const { commissionBps, maxRewardedAncestors, holdSeconds, excludesSelfReferral } =
    campaign.policy;
  const { ledger, price: unitPrice } = campaign.snapshot;
  const covered = coveredSales(unitPrice, campaign.policy, ledger);
  return {
    campaignId,
    state,
    merchant,
    product,
    token,
    price,
    commissionBps,
    maxRewardedAncestors,
    holdSeconds,
    excludesSelfReferral,
    trustMode: campaign.trustMode,
    inviteOnly: campaign.inviteOnly,
    startsAt: isoTime(campaign.startsAt),
    endsAt: isoTime(campaign.endsAt),
    hidden: campaign.moderation.hidden,
    rewardAvailable: ledger.available.toString(),
    salesCovered: covered === null ? null : covered.toString(),
    nextPolicy: nextPolicy(nextPolicyOf(waiting)),
    onchainUrl,
  };
}
