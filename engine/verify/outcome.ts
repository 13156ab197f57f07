import { sum } from '../core/amounts.ts';
import type { SaleState } from '../core/fold/index.ts';
import { rewardState } from '../core/receipt.ts';
import { type MissedShare, missedShares } from '../core/split.ts';
import { byLocation, type DecodedLog, logsOf } from './chain/decode.ts';
import type { RewardBudget } from './reward-budget.ts';
import type { Subject } from './subject.ts';
import { isWeighted } from './weights.ts';

// What became of a sale and its rewards, from its events.

/** State of a sale after its events. */
export function stateOf({
  record,
  events,
}: Pick<Subject['facts'], 'record' | 'events'>): SaleState {
  if (logsOf(events, 'SaleReversed').length > 0) return 'reversed';
  if (logsOf(events, 'SaleFinalized').length > 0) return 'finalized';
  return refundedTotalOf(events) >= record.args.amount ? 'refunded' : 'pending';
}

/** Refunded to the buyer by the events, base units. */
export function refundedTotalOf(events: readonly DecodedLog[]): bigint {
  return logsOf(events, 'SaleRefunded').at(-1)?.args.refundedTotal ?? 0n;
}

/**
 * The levels of a receipt, from the sale's events and the claims after them (docs/reference/protocol.md#state); a field
 * is `undefined` if path or claims could not be read.
 */
export function levelFields(subject: Subject) {
  const { facts, path } = subject;
  const nodes = path.ok ? path.value.nodes : [];
  const state = stateOf(facts);
  return facts.record.args.shares.map((share, i) => {
    const level = i + 1;
    const released = moved(facts.events, 'RewardReleased', level);
    const vested = moved(facts.events, 'RewardVested', level);
    const reversed = moved(facts.events, 'RewardReversed', level);
    const amounts = { reserved: share - released - vested, released, vested, reversed };
    const isClaimed = isLevelClaimed(subject, level);
    return {
      level,
      nodeId: nodes[i]?.nodeId,
      recipient: nodes[i]?.owner,
      state: isClaimed === undefined ? undefined : rewardState({ ...amounts, isClaimed }, state),
      share: share.toString(),
      reserved: amounts.reserved.toString(),
      released: released.toString(),
      vested: vested.toString(),
      reversed: reversed.toString(),
    };
  });
}

function moved(
  events: readonly DecodedLog[],
  name: 'RewardReleased' | 'RewardVested' | 'RewardReversed',
  level: number,
): bigint {
  const amounts = logsOf(events, name)
    .filter(({ args }) => args.level === level)
    .map(({ args }) => args.amount);
  return sum(amounts);
}

/** True if the recipient of a level has claimed since it vested; `undefined` if the claims are not known. */
function isLevelClaimed({ facts }: Subject, level: number): boolean | undefined {
  const vested = logsOf(facts.events, 'RewardVested').find(({ args }) => args.level === level);
  if (vested === undefined) return false;
  if (!facts.claims.ok) return undefined;
  return facts.claims.value.some(
    (claim) => claim.args.account === vested.args.recipient && byLocation(claim, vested) > 0,
  );
}

/**
 * The rewards that levels of the sale missed: what each cap cost them, and the node beyond the rewarded levels
 * (docs/reference/protocol.md#sales-and-their-split). `undefined` if policy, path or budget are not known, or the policy is
 * impossible.
 */
export function missedFields(subject: Subject, budget: RewardBudget | undefined) {
  const { facts, policy, path } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  if (scheduled === undefined || budget === undefined || !path.ok) return undefined;
  if (!isWeighted(scheduled.args.policy)) return undefined;
  const { nodes, beyond, problems } = path.value;
  if (beyond === undefined || problems.length > 0) return undefined;
  const capped = missedShares({
    amount: facts.record.args.amount,
    ...budget,
    path: nodes.map(({ nodeId }) => nodeId),
    policy: scheduled.args.policy,
  });
  const missed = capped.sort(byLevelAndCap).map(({ level, nodeId, reason, amount }) => ({
    level,
    nodeId,
    recipient: nodes[level - 1]?.owner,
    reason: reason as string,
    amount: amount.toString() as string | null,
  }));
  if (beyond === null) return missed;
  const level = nodes.length + 1;
  const { nodeId, owner: recipient } = beyond;
  return [...missed, { level, nodeId, recipient, reason: 'DEPTH', amount: null }];
}

/** Caps in the order in which they apply. */
const CAPS: readonly MissedShare['reason'][] = ['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'];

function byLevelAndCap(a: MissedShare, b: MissedShare): number {
  return a.level - b.level || CAPS.indexOf(a.reason) - CAPS.indexOf(b.reason);
}
