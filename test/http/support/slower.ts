import type { Fact } from '../../../engine/core/events.ts';
import { eventId } from '../../support/history.ts';

/**
 * The same history with `factor` times as long between its events: holds and the delays of policies too, so
 * that the contract would allow it all the same.
 */
export function slower(facts: readonly Fact[], factor: number): Fact[] {
  const start = facts[0]?.timestamp ?? 0;
  const later = (time: number) => start + (time - start) * factor;
  return facts.map((fact) => {
    const timestamp = later(fact.timestamp);
    const id = eventId(timestamp, fact.blockNumber, fact.logIndex);
    const moved = { ...fact, id, timestamp };
    if (moved.name === 'SaleRecorded') {
      return { ...moved, args: { ...moved.args, holdUntil: later(moved.args.holdUntil) } };
    }
    if (moved.name === 'PolicyScheduled') {
      const { policy, effectiveAt } = moved.args;
      const args = {
        ...moved.args,
        effectiveAt: later(effectiveAt),
        policy: { ...policy, holdSeconds: policy.holdSeconds * factor },
      };
      return { ...moved, args };
    }
    return moved;
  });
}
