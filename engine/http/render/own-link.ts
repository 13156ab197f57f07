import type { z } from 'zod';
import type { JoinPreview, LinkStats, OwnLink } from '../../contract/shapes/link.ts';
import { sum } from '../../core/amounts.ts';
import type { Policy } from '../../core/campaign.ts';
import { type JoinRefusal, joinRefusals } from '../../core/joining.ts';
import { splitReward } from '../../core/split.ts';
import type { JoinerView } from '../../db/read/campaigns/joining.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { RewardBuckets } from '../../db/read/earnings/balances.ts';
import type { LinkDay } from '../../db/read/graph/link-days.ts';
import type { OwnNodeView } from '../../db/read/graph/own-nodes.ts';
import type { ServedDeployment } from '../deps.ts';
import { rewardBuckets } from './earnings.ts';
import { linkOf } from './link.ts';
import { isoTime } from './time.ts';

/** Link as its owner sees it. */
export function ownLink(
  deployment: ServedDeployment,
  campaign: CampaignView,
  waiting: readonly Policy[],
  node: OwnNodeView,
  rewards: RewardBuckets,
): z.infer<typeof OwnLink> {
  return {
    ...linkOf(deployment, campaign, waiting, node),
    label: node.label,
    networkSales: node.networkSales,
    opens: node.opens,
    rewards: rewardBuckets(rewards),
  };
}

/** Reasons why an account may not join at the block read; empty if it may. */
export function joinRefusalsOf(
  campaign: CampaignView,
  { allowed, nodeCount }: Pick<JoinerView, 'allowed' | 'nodeCount'>,
): JoinRefusal[] {
  const { state, inviteOnly, nodesPerAccount } = campaign;
  const room = nodesLeft(campaign);
  return joinRefusals({ state, inviteOnly, allowed, nodesLeft: room, nodeCount, nodesPerAccount });
}

/** Nodes that a campaign still has room for. */
export function nodesLeft({ snapshot }: CampaignView): number {
  return Math.max(0, snapshot.nodeCapacity - snapshot.counts.nodes);
}

/**
 * Example rewards of one sale of a new node for each level of its path, at the current price and without caps.
 * @param depth depth of the new node; 1 for a root.
 */
export function exampleLevels(
  { snapshot }: Pick<CampaignView, 'snapshot'>,
  policy: Policy,
  depth: number,
): z.infer<typeof JoinPreview>['levels'] {
  const length = Math.min(depth, policy.maxRewardedAncestors);
  const price = snapshot.price;
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

/** Metrics of each day in a range; `to` is exclusive. */
export function linkSeries(
  found: readonly LinkDay[],
  { from, to }: { readonly from: number; readonly to: number },
): Pick<z.infer<typeof LinkStats>, 'period' | 'series' | 'totals'> {
  const byDay = new Map(found.map((day) => [day.day, day]));
  const days = Array.from(
    { length: to - from },
    (_, i) => byDay.get(from + i) ?? emptyDay(from + i),
  );
  const total = (field: 'opens' | 'visitors' | 'joins' | 'pending' | 'finalized' | 'refunded') =>
    days.reduce((so, day) => so + day[field], 0);
  return {
    period: { from: isoTime(from * DAY_SECONDS), to: isoTime(to * DAY_SECONDS) },
    series: days.map(dayOf),
    totals: {
      opens: total('opens'),
      visitors: total('visitors'),
      sales: {
        pending: total('pending'),
        finalized: total('finalized'),
        refunded: total('refunded'),
      },
      value: sum(days.map(({ value }) => value)).toString(),
      joins: total('joins'),
    },
  };
}

function dayOf({ day, pending, finalized, refunded, ...counts }: LinkDay): Day {
  return {
    at: isoTime(day * DAY_SECONDS),
    opens: counts.opens,
    visitors: counts.visitors,
    sales: { pending, finalized, refunded },
    value: counts.value.toString(),
    joins: counts.joins,
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

/** Description of a transaction that joins a campaign. */
export function joinDescription(campaignId: string, parentNodeId: string | null): string {
  const under = parentNodeId === null ? 'as a root' : `under node ${parentNodeId}`;
  return `Joins campaign ${campaignId} ${under}: then you have your own link.`;
}
