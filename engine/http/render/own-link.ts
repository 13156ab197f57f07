import type { z } from 'zod';
import type { JoinPreview, LinkStats, OwnLink } from '../../contract/shapes/link.ts';
import { splitReward } from '../../core/split.ts';
import type { CampaignView } from '../../db/read/campaign-rows.ts';
import type { RewardBuckets } from '../../db/read/earnings.ts';
import type { JoinerView } from '../../db/read/joining.ts';
import type { LinkDay } from '../../db/read/link-days.ts';
import type { OwnNodeView } from '../../db/read/own-nodes.ts';
import type { ServedDeployment } from '../deps.ts';
import { rewardBuckets } from './earnings.ts';
import { linkOf } from './link.ts';
import { isoTime } from './time.ts';

/** A link of the one who asks. */
export function ownLink(
  deployment: ServedDeployment,
  campaign: CampaignView,
  node: OwnNodeView,
  rewards: RewardBuckets,
): z.infer<typeof OwnLink> {
  return {
    ...linkOf(deployment, campaign, node),
    networkSales: node.networkSales,
    opens: node.opens,
    rewards: rewardBuckets(rewards),
  };
}

type Reason = z.infer<typeof JoinPreview>['reasons'][number];

/** Why an account may not join as of the block read; empty where it may (design §3, `join`). */
export function joinRefusals(campaign: CampaignView, { allowed, nodeCount }: JoinerView): Reason[] {
  const { state, inviteOnly, nodesPerAccount } = campaign;
  const reasons: Reason[] = [];
  if (inviteOnly && !allowed) reasons.push('not_allowed');
  if (state === 'PAUSED') reasons.push('paused');
  if (state === 'ENDED') reasons.push('ended');
  if (state === 'EXPIRED') reasons.push('expired');
  if (nodesLeft(campaign) === 0) reasons.push('capacity_full');
  if (nodeCount >= nodesPerAccount) reasons.push('account_full');
  return reasons;
}

export function nodesLeft({ standing }: CampaignView): number {
  return Math.max(0, standing.nodeCapacity - standing.counts.nodes);
}

/**
 * What one sale of a new node would give each level of its path, at today's price and caps aside.
 * @param depth that the node would have; 1 for a root.
 */
export function exampleLevels(
  { policy, standing }: CampaignView,
  depth: number,
): z.infer<typeof JoinPreview>['levels'] {
  const length = Math.min(depth, policy.maxRewardedAncestors);
  const price = standing.price;
  const { shares } = splitReward({
    amount: price,
    liability: 0n,
    available: price,
    path: Array.from({ length }, (_, i) => String(i)),
    policy: { ...policy, perSaleCap: price, campaignLiabilityCap: price },
  });
  return shares.flatMap(({ level, amount }) => {
    const weightBps = policy.weightsBps[level - 1];
    return weightBps === undefined ? [] : [{ level, weightBps, exampleReward: amount.toString() }];
  });
}

const DAY_SECONDS = 86_400;

type Day = z.infer<typeof LinkStats>['series'][number];

/** Every day from the first to the one before the last, with what happened on it. */
export function linkSeries(
  found: readonly LinkDay[],
  { from, to }: { readonly from: number; readonly to: number },
): Pick<z.infer<typeof LinkStats>, 'period' | 'series' | 'totals'> {
  const byDay = new Map(found.map((day) => [day.day, day]));
  const days = Array.from(
    { length: to - from },
    (_, i) => byDay.get(from + i) ?? emptyDay(from + i),
  );
  const sum = (field: 'opens' | 'visitors' | 'joins' | 'pending' | 'finalized' | 'refunded') =>
    days.reduce((total, day) => total + day[field], 0);
  return {
    period: { from: isoTime(from * DAY_SECONDS), to: isoTime(to * DAY_SECONDS) },
    series: days.map(dayOf),
    totals: {
      opens: sum('opens'),
      visitors: sum('visitors'),
      sales: { pending: sum('pending'), finalized: sum('finalized'), refunded: sum('refunded') },
      value: days.reduce((total, { value }) => total + value, 0n).toString(),
      joins: sum('joins'),
    },
  };
}

function dayOf({ day, pending, finalized, refunded, ...figures }: LinkDay): Day {
  return {
    at: isoTime(day * DAY_SECONDS),
    opens: figures.opens,
    visitors: figures.visitors,
    sales: { pending, finalized, refunded },
    value: figures.value.toString(),
    joins: figures.joins,
  };
}

function emptyDay(day: number): LinkDay {
  return {
    day,
    opens: 0,
    visitors: 0,
    pending: 0,
    finalized: 0,
    refunded: 0,
    value: 0n,
    joins: 0,
  };
}

/** The sentence of the transaction that joins. */
export function joinDescription(campaignId: string, parentNodeId: string | null): string {
  const under = parentNodeId === null ? 'as a root' : `under node ${parentNodeId}`;
  return `Joins campaign ${campaignId} ${under}: from then on you have a link of your own.`;
}
