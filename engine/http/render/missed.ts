import type { z } from 'zod';
import type { MissedReward } from '../../contract/shapes/receipt.ts';
import type { ReceiptView, SaleWithPolicy } from '../../db/read/receipt.ts';
import type { LevelView } from '../../db/read/sale-levels.ts';

type Missed = z.infer<typeof MissedReward>;

/** What the caps cost, and DEPTH for the nearest ancestor that no level is left for (design §4). */
export function missedOf({ sale, path, missed }: Pick<ReceiptView, 'sale' | 'path' | 'missed'>) {
  const { maxRewardedAncestors } = sale.policy;
  const beyond = path[maxRewardedAncestors];
  const told: Missed[] = missed.map(({ amount, ...one }) => ({
    ...one,
    amount: amount.toString(),
  }));
  if (beyond === undefined) return told;
  const { nodeId, owner: recipient } = beyond;
  const level = maxRewardedAncestors + 1;
  return [...told, { level, nodeId, recipient, reason: 'DEPTH' as const, amount: null }];
}

/** A node of a sale's path, with what its level got and what it did not. */
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
