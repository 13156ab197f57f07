import type { z } from 'zod';
import type { CampaignDetail, CampaignSummary } from '../../contract/shapes/campaign.ts';
import type { RewardPolicy } from '../../contract/shapes/common.ts';
import { type ledgerFields, settledSales } from '../../core/campaign.ts';
import { rankCampaign } from '../../core/ranking.ts';
import type { RegisteredPolicy, TransactionLocation } from '../../db/read/campaigns/policy-rows.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
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
  const { snapshot } = campaign;
  return {
    campaignId: campaign.campaignId,
    chainId: deployment.chainId,
    contractAddress: deployment.contractAddress,
    state: campaign.state,
    merchant: merchantRef(campaign.seller),
    product: productSummary(sold),
    token: sold.token,
    price: snapshot.price.toString(),
    policy: registeredPolicy(deployment, campaign.policy),
    rewardAvailable: snapshot.ledger.available.toString(),
    rewardTotal: snapshot.ledger.netDeposited.toString(),
    settledSales: settledSales(snapshot.counts),
    onchainUrl: onchainUrl(deployment, campaign),
    rankReasons: [...rankOf(campaign).reasons],
    inviteOnly: campaign.inviteOnly,
    endsAt: isoTime(campaign.endsAt),
  };
}

export function campaignDetail(
  deployment: ServedDeployment,
  campaign: CampaignView,
  fundings: readonly TransactionLocation[],
): Detail {
  const { counts, ledger, nodeCapacity, saleCapacity } = campaign.snapshot;
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
    fundingTxs: fundings.map((transaction) => txRef(deployment, transaction)),
    indexedAt: campaign.indexedAt.toISOString(),
    metadataHash: campaign.metadataHash,
    termsHash: campaign.termsHash,
    salt: campaign.salt,
    nodesPerAccount: campaign.nodesPerAccount,
  };
}

/** Ledgers and credits of a campaign, or their totals over several campaigns. */
export function ledgersOf(ledger: CampaignView['snapshot']['ledger']) {
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

/** Product that a campaign sells, as far as it is known. */
export function soldBy(campaign: CampaignView): Sold {
  return {
    campaignId: campaign.campaignId,
    seller: campaign.seller,
    product: campaign.product,
    skuHash: campaign.skuHash,
    price: campaign.snapshot.price,
    token: tokenOf({
      address: campaign.token,
      symbol: campaign.tokenSymbol,
      decimals: campaign.tokenDecimals,
      name: campaign.tokenName,
    }),
  };
}

function rankOf({ snapshot, policy }: CampaignView) {
  return rankCampaign({
    open: snapshot.funded && !snapshot.paused && !snapshot.ended,
    commissionBps: policy.commissionBps,
    available: snapshot.ledger.available,
    price: snapshot.price,
    settledSales: settledSales(snapshot.counts),
    holdSeconds: policy.holdSeconds,
  });
}

/** URL of the campaign's creation in the explorer, or an EIP-681 URI of its view function. */
function onchainUrl(
  { explorerUrl, contractAddress, chainId }: ServedDeployment,
  { creation, campaignId }: CampaignView,
): string {
  if (explorerUrl !== null) return `${explorerUrl}/tx/${creation.hash}`;
  return `ethereum:${contractAddress}@${chainId}/campaignLedger?uint256=${campaignId}`;
}
