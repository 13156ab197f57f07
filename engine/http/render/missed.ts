import type { z } from 'zod';
import type { MissedReward } from '../../contract/shapes/receipt.ts';
import type { LevelView } from '../../db/read/sales/levels.ts';
import type { ReceiptView, SaleWithPolicy } from '../../db/read/sales/receipt.ts';

type Missed = z.infer<typeof MissedReward>;

/** Missed rewards: those that caps took, and DEPTH for the nearest ancestor beyond the rewarded levels. */
export function missedOf({ sale, path, missed }: Pick<ReceiptView, 'sale' | 'path' | 'missed'>) {
  const { maxRewardedAncestors } = sale.policy;
  const beyond = path[maxRewardedAncestors];
  const capped: Missed[] = missed.map(({ amount, ...one }) => ({
    ...one,
    amount: amount.toString(),
  }));
  if (beyond === undefined) return capped;
  const { nodeId, owner: recipient } = beyond;
  const level = maxRewardedAncestors + 1;
  return [...capped, { level, nodeId, recipient, reason: 'DEPTH' as const, amount: null }];
}

/** Node of a sale's path, with the reward of its level and what it missed. */
export function rewardedNode<N extends { readonly level: number }>(
  node: N,
  {
    policy,
    levels,
    missed,
  }: {
    readonly policy: Pick<SaleWithPolicy['policy'], 'maxRewardedAncestors'>;
    readonly levels: readonly LevelView[];
    readonly missed: ReceiptView['missed'];
  },
) {
  const own = levels.find(({ level }) => level === node.level);
  const costs: Pick<Missed, 'reason' | 'amount'>[] = missed
    .filter(({ level }) => level === node.level)
    .map(({ reason, amount }) => ({ reason, amount: amount.toString() }));
  const beyond = node.level === policy.maxRewardedAncestors + 1;
  return {
    ...node,
    share: own ? own.share.toString() : null,
    state: own?.state ?? null,
    missed: beyond ? [...costs, { reason: 'DEPTH' as const, amount: null }] : costs,
  };
}
