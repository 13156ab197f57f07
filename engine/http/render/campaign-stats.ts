import type { z } from 'zod';
import type { CampaignActivity, CampaignStats } from '../../contract/shapes/campaign-stats.ts';
import { settledSales } from '../../core/campaign.ts';
import type { CampaignEvent } from '../../db/read/campaign-activity.ts';
import type { CampaignView } from '../../db/read/campaign-rows.ts';
import type { CampaignStatsView, LevelStats } from '../../db/read/campaign-stats.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { soldBy } from './campaign.ts';
import { receiptEvent } from './event.ts';
import { isoTime } from './time.ts';

export function campaignStatsOf(
  campaign: CampaignView,
  stats: CampaignStatsView,
): z.infer<typeof CampaignStats> {
  const { counts } = campaign.standing;
  const { recorded, direct, value, levels } = stats;
  return {
    campaignId: campaign.campaignId,
    token: soldBy(campaign).token,
    sales: {
      recorded,
      pending: counts.pending,
      settled: settledSales(counts),
      refunded: counts.refunded,
      reversed: counts.reversed,
      direct,
      referred: recorded - direct,
    },
    value: {
      recorded: value.recorded.toString(),
      settled: value.settled.toString(),
      refunded: value.refunded.toString(),
    },
    rewards: rewardsOf(campaign, levels),
    levels: levels.map(({ level, sales, shares }) => ({ level, sales, shares: shares.toString() })),
    buyers: stats.buyers,
    nodes: counts.nodes,
    distributors: stats.distributors,
    sellingNodes: stats.sellingNodes,
    medianSecondsToFinalize: stats.medianSecondsToFinalize,
    firstSaleAt: stats.firstSaleAt === null ? null : isoTime(stats.firstSaleAt),
    lastSaleAt: stats.lastSaleAt === null ? null : isoTime(stats.lastSaleAt),
  };
}

/** What was vested is in the campaign's own ledger; the rest is the sum of its levels. */
function rewardsOf({ standing }: CampaignView, levels: readonly LevelStats[]) {
  const { vestedUnclaimed, rewardsClaimed } = standing.ledger;
  const total = (field: 'atRisk' | 'readyToFinalize' | 'refunded' | 'reversed') =>
    levels.reduce((sum, level) => sum + level[field], 0n).toString();
  return {
    atRisk: total('atRisk'),
    readyToFinalize: total('readyToFinalize'),
    claimable: vestedUnclaimed.toString(),
    claimed: rewardsClaimed.toString(),
    refunded: total('refunded'),
    reversed: total('reversed'),
  };
}

/** An event of a campaign, and what of its arguments a list shows. */
export function campaignActivity(
  deployment: ServedDeployment,
  event: CampaignEvent & { readonly campaignId: string },
  head: ReadHead,
): z.infer<typeof CampaignActivity> {
  const { args } = event;
  const nodeId = digits(args.nodeId);
  return {
    ...receiptEvent(deployment, event, head),
    saleId: event.saleId,
    nodeId: nodeId === '0' ? null : nodeId,
    account:
      [args.account, args.owner, args.buyer, args.recipient, args.signer, args.merchant]
        .map(address)
        .find((one) => one !== null) ?? null,
    amount: digits(args.amount) ?? digits(args.price),
  };
}

function digits(value: unknown): string | null {
  return typeof value === 'string' && /^(?:0|[1-9][0-9]*)$/.test(value) ? value : null;
}

function address(value: unknown): `0x${string}` | null {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{40}$/.test(value)) return null;
  return `0x${value.slice(2)}`;
}
