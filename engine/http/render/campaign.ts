import type { z } from 'zod';
import type { CampaignDetail, CampaignSummary } from '../../contract/shapes/campaign.ts';
import type { RewardPolicy } from '../../contract/shapes/common.ts';
import { type ledgerFields, settledSales } from '../../core/campaign.ts';
import { rankCampaign } from '../../core/ranking.ts';
import type { CampaignView } from '../../db/read/campaign-rows.ts';
import type { RegisteredPolicy, TransactionPlace } from '../../db/read/policy-rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { policyTerms } from './policy.ts';
import { merchantRef, productOf, productSummary, type Sold, tokenOf } from './product.ts';
import { isoTime } from './time.ts';
import { txRef } from './tx-ref.ts';

type Summary = z.infer<typeof CampaignSummary>;
type Detail = z.infer<typeof CampaignDetail>;

export function registeredPolicy(
  deployment: ServedDeployment,
  policy: RegisteredPolicy,
): RewardPolicy {
  return { ...policyTerms(policy), registrationTx: txRef(deployment, policy.registration) };
}

export function campaignSummary(deployment: ServedDeployment, campaign: CampaignView): Summary {
  const sold = soldBy(campaign);
  const { standing } = campaign;
  return {
    campaignId: campaign.campaignId,
    chainId: deployment.chainId,
    contractAddress: deployment.contractAddress,
    state: campaign.state,
    merchant: merchantRef(campaign.seller),
    product: productSummary(sold),
    token: sold.token,
    price: standing.price.toString(),
    policy: registeredPolicy(deployment, campaign.policy),
    rewardAvailable: standing.ledger.available.toString(),
    rewardTotal: standing.ledger.netDeposited.toString(),
    settledSales: settledSales(standing.counts),
    onchainUrl: onchainUrl(deployment, campaign),
    rankReasons: [...rankOf(campaign).reasons],
    inviteOnly: campaign.inviteOnly,
    endsAt: isoTime(campaign.endsAt),
  };
}

export function campaignDetail(
  deployment: ServedDeployment,
  campaign: CampaignView,
  fundings: readonly TransactionPlace[],
): Detail {
  const { counts, ledger, nodeCapacity, saleCapacity } = campaign.standing;
  return {
    ...campaignSummary(deployment, campaign),
    inviteOnly: campaign.inviteOnly,
    endsAt: isoTime(campaign.endsAt),
    product: productOf(soldBy(campaign)),
    ...ledgersOf(ledger),
    startsAt: isoTime(campaign.startsAt),
    counts: { pending: counts.pending, finalized: counts.finalized, refunded: counts.refunded },
    nodeCount: counts.nodes,
    moderation: { ...campaign.moderation },
    capacity: { nodes: nodeCapacity, sales: saleCapacity },
    trustMode: campaign.trustMode,
    creationTx: txRef(deployment, campaign.creation),
    fundingTxs: fundings.map((place) => txRef(deployment, place)),
    indexedAt: campaign.indexedAt.toISOString(),
    metadataHash: campaign.metadataHash,
    termsHash: campaign.termsHash,
    salt: campaign.salt,
    nodesPerAccount: campaign.nodesPerAccount,
  };
}

/** The ledgers of a campaign and its credits, or the sums of several campaigns. */
export function ledgersOf(ledger: CampaignView['standing']['ledger']) {
  const text = (field: (typeof ledgerFields)[number]) => ledger[field].toString();
  return {
    rewardLedger: {
      netDeposited: text('netDeposited'),
      available: text('available'),
      pendingReserved: text('pendingReserved'),
      vestedUnclaimed: text('vestedUnclaimed'),
      rewardsClaimed: text('rewardsClaimed'),
      surplusWithdrawn: text('surplusWithdrawn'),
    },
    proceedsLedger: {
      proceedsPending: text('proceedsPending'),
      proceedsClaimable: text('proceedsClaimable'),
      proceedsClaimed: text('proceedsClaimed'),
      buyerRefunded: text('buyerRefunded'),
    },
    creditOutstanding: text('creditOutstanding'),
  };
}

/** What a campaign sells, as far as it is known. */
export function soldBy(campaign: CampaignView): Sold {
  return {
    campaignId: campaign.campaignId,
    seller: campaign.seller,
    product: campaign.product,
    skuHash: campaign.skuHash,
    price: campaign.standing.price,
    token: tokenOf({
      address: campaign.token,
      symbol: campaign.tokenSymbol,
      decimals: campaign.tokenDecimals,
      name: campaign.tokenName,
    }),
  };
}

function rankOf({ standing, policy }: CampaignView) {
  return rankCampaign({
    open: standing.funded && !standing.paused && !standing.ended,
    commissionBps: policy.commissionBps,
    available: standing.ledger.available,
    price: standing.price,
    settledSales: settledSales(standing.counts),
    holdSeconds: policy.holdSeconds,
  });
}

/** The campaign's creation in the explorer, or a call of its view as an EIP-681 URI. */
function onchainUrl(
  { explorerUrl, contractAddress, chainId }: ServedDeployment,
  { creation, campaignId }: CampaignView,
): string {
  if (explorerUrl !== null) return `${explorerUrl}/tx/${creation.hash}`;
  return `ethereum:${contractAddress}@${chainId}/campaignLedger?uint256=${campaignId}`;
}
