import type { Unit } from '../../../format.ts';

/** A reward on hold, as `earnings.byConversion` returns it; amounts in base units. */
export interface HeldReward {
  readonly token: Unit & { readonly address: string };
  readonly reserved: string;
  readonly holdUntil: string;
  readonly readyToFinalize: boolean;
}

/** Rewards of one token whose holds end on one day in UTC. */
interface Release {
  /** `2026-01-31`. */
  readonly day: string;
  /** Time of the day's first hold that ends. */
  readonly at: string;
  readonly token: HeldReward['token'];
  /** Base units. */
  readonly amount: bigint;
  readonly rewards: number;
}

/** Rewards on hold by the day and token of their release, earliest first. Those whose hold is over are left out. */
export function releasesOf(held: readonly HeldReward[]): Release[] {
  const found = new Map<string, Release>();
  for (const { token, reserved, holdUntil, readyToFinalize } of held) {
    if (readyToFinalize) continue;
    const day = holdUntil.slice(0, 10);
    const key = `${day} ${token.address}`;
    const before = found.get(key);
    found.set(key, {
      day,
      at: before === undefined || holdUntil < before.at ? holdUntil : before.at,
      token,
      amount: (before?.amount ?? 0n) + BigInt(reserved),
      rewards: (before?.rewards ?? 0) + 1,
    });
  }
  return [...found.values()].sort(
    (a, b) => a.at.localeCompare(b.at) || a.token.symbol.localeCompare(b.token.symbol),
  );
}
