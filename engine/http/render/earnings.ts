import type { z } from 'zod';
import type {
  CampaignEarnings,
  Claim,
  Conversion,
  EarningsSummary,
  MissedEarning,
} from '../../contract/shapes/earnings.ts';
import type { RewardBuckets } from '../../contract/shapes/totals.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type {
  RewardBuckets as BucketsView,
  CampaignEarningsView,
  EarningsView,
} from '../../db/read/earnings/balances.ts';
import type { ClaimView } from '../../db/read/earnings/claims.ts';
import type { ConversionView } from '../../db/read/earnings/conversions.ts';
import type { MissedRewardView } from '../../db/read/earnings/missed.ts';
import type { ServedDeployment } from '../deps.ts';
import { soldBy } from './campaign.ts';
import { merchantRef, productOf, tokenOf } from './product.ts';
import { isoTime, timeOrNull } from './time.ts';
import { txRef } from './tx-ref.ts';

export function rewardBuckets(rewards: BucketsView): z.infer<typeof RewardBuckets> {
  return {
    atRisk: rewards.atRisk.toString(),
    readyToFinalize: rewards.readyToFinalize.toString(),
    claimable: rewards.claimable.toString(),
    claimed: rewards.claimed.toString(),
    refunded: rewards.refunded.toString(),
    reversed: rewards.reversed.toString(),
  };
}

export function earningsSummaryOf(view: EarningsView): z.infer<typeof EarningsSummary> {
  return {
    byToken: view.byToken.map(({ token, rewards, missed, campaigns, conversions }) => ({
      token: tokenOf(token),
      rewards: rewardBuckets(rewards),
      missed: missed.toString(),
      campaigns,
      conversions,
    })),
    links: view.links,
    claimableCampaigns: view.claimableCampaigns,
    nextReleaseAt: timeOrNull(view.nextReleaseAt),
  };
}

/** Fields of a campaign that each item of a list repeats. */
export function earnedIn(campaign: CampaignView) {
  const sold = soldBy(campaign);
  return {
    campaignId: campaign.campaignId,
    campaignTitle: productOf(sold).title,
    token: sold.token,
  };
}

export function campaignEarnings(
  campaign: CampaignView,
  earned: CampaignEarningsView,
): z.infer<typeof CampaignEarnings> {
  return {
    ...earnedIn(campaign),
    state: campaign.state,
    merchant: merchantRef(campaign.seller),
    rewards: rewardBuckets(earned.rewards),
    missed: earned.missed.toString(),
    links: earned.links,
    conversions: earned.conversions,
    lastConversionAt: timeOrNull(earned.lastConversionAt),
  };
}

/** @param clock unix seconds of the block read. */
export function conversionOf(
  deployment: ServedDeployment,
  campaign: CampaignView,
  level: ConversionView,
  clock: number,
): z.infer<typeof Conversion> {
  return {
    chainId: deployment.chainId,
    saleId: level.saleId,
    ...earnedIn(campaign),
    nodeId: level.nodeId,
    level: level.level,
    saleAmount: level.saleAmount.toString(),
    share: level.share.toString(),
    reserved: level.reserved.toString(),
    released: level.released.toString(),
    vested: level.vested.toString(),
    reversed: level.reversed.toString(),
    state: level.state,
    readyToFinalize: level.state === 'reserved' && level.holdUntil <= clock,
    recordedAt: isoTime(level.record.timestamp),
    holdUntil: isoTime(level.holdUntil),
    finalizedAt: timeOrNull(level.finalizedAt),
    missed: level.missed.map(({ reason, amount }) => ({ reason, amount: amount.toString() })),
    tx: txRef(deployment, level.record),
  };
}

export function missedEarning(
  { chainId }: ServedDeployment,
  campaign: CampaignView,
  missed: MissedRewardView,
): z.infer<typeof MissedEarning> {
  return {
    chainId,
    saleId: missed.saleId,
    ...earnedIn(campaign),
    nodeId: missed.nodeId,
    level: missed.level,
    reason: missed.reason,
    amount: missed.amount.toString(),
    recordedAt: isoTime(missed.recordedAt),
  };
}

export function claimOf(
  deployment: ServedDeployment,
  campaign: CampaignView,
  { amount, credited, claim }: ClaimView,
): z.infer<typeof Claim> {
  return {
    ...earnedIn(campaign),
    amount: amount.toString(),
    credited,
    at: isoTime(claim.timestamp),
    tx: txRef(deployment, claim),
  };
}
