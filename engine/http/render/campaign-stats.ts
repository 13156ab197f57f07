import type { z } from 'zod';
import type { CampaignActivity, CampaignStats } from '../../contract/shapes/campaign-stats.ts';
import { sum } from '../../core/amounts.ts';
import { settledSales } from '../../core/campaign.ts';
import type { CampaignEvent } from '../../db/read/campaigns/activity.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { CampaignStatsView, LevelStats } from '../../db/read/campaigns/stats.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { soldBy } from './campaign.ts';
import { receiptEvent } from './event.ts';
import { timeOrNull } from './time.ts';

export function campaignStatsOf(
  campaign: CampaignView,
  stats: CampaignStatsView,
): z.infer<typeof CampaignStats> {
  const { counts } = campaign.snapshot;
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
    firstSaleAt: timeOrNull(stats.firstSaleAt),
    lastSaleAt: timeOrNull(stats.lastSaleAt),
  };
}

/** Reward totals: vested amounts come from the campaign's ledger, the others are sums over its levels. */
function rewardsOf({ snapshot }: CampaignView, levels: readonly LevelStats[]) {
  const { vestedUnclaimed, rewardsClaimed } = snapshot.ledger;
  const total = (field: 'atRisk' | 'readyToFinalize' | 'refunded' | 'reversed') =>
    sum(levels.map((level) => level[field])).toString();
  return {
    atRisk: total('atRisk'),
    readyToFinalize: total('readyToFinalize'),
    claimable: vestedUnclaimed.toString(),
    claimed: rewardsClaimed.toString(),
    refunded: total('refunded'),
    reversed: total('reversed'),
  };
}

/** Event of a campaign with the arguments that a list shows. */
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
