/** A reward of a link, as `earnings.byConversion` returns it; amounts in base units. */
interface Reward {
  readonly recordedAt: string;
  readonly share: string;
  readonly released: string;
  readonly reversed: string;
}

/** Rewards of a link in a time. */
export interface LinkRewards {
  readonly rewards: readonly Reward[];
  /** True if there are more than were read. */
  readonly more: boolean;
}

/**
 * Rewards of each day, less what refunds and reversals took away, base units.
 * @param days dates in UTC, `2026-01-31`.
 */
export function rewardsByDay(days: readonly string[], rewards: readonly Reward[]): bigint[] {
  const found = new Map<string, bigint>();
  for (const { recordedAt, share, released, reversed } of rewards) {
    const day = recordedAt.slice(0, 10);
    const amount = BigInt(share) - BigInt(released) - BigInt(reversed);
    found.set(day, (found.get(day) ?? 0n) + amount);
  }
  return days.map((day) => found.get(day) ?? 0n);
}
