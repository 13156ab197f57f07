import type { Address, Fact } from '../../../engine/core/events.ts';

/** The accounts with the most rewards of a history, most first. */
export function earnersOf(facts: readonly Fact[], count: number): Address[] {
  const rewards = new Map<Address, number>();
  for (const fact of facts) {
    if (fact.name !== 'RewardVested' && fact.name !== 'RewardReleased') continue;
    const { recipient } = fact.args;
    rewards.set(recipient, (rewards.get(recipient) ?? 0) + 1);
  }
  const sorted = [...rewards].sort(([, a], [, b]) => b - a);
  return sorted.slice(0, count).map(([account]) => account);
}
