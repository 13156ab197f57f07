import type { Band } from '../../../charts/bands.ts';
import type { ProceedsLedger, RewardLedger } from '../../../ledger/identities.ts';

/** A campaign's ledgers after a block. */
export interface LedgerSample {
  readonly block: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rewardLedger: RewardLedger;
  readonly proceedsLedger: ProceedsLedger;
  readonly counts: {
    readonly pending: number;
    readonly finalized: number;
    readonly refunded: number;
  };
}

/** Blocks that a series is read at, at most. */
export const MAX_SAMPLES = 32;
/** Blocks that are read concurrently. */
const CONCURRENT_SAMPLES = 8;

/** The blocks to begin with: the first, the last, and some between, evenly. */
export function firstBlocks(from: number, to: number): number[] {
  const steps = Math.min(CONCURRENT_SAMPLES - 1, Math.max(0, to - from));
  if (steps === 0) return [to];
  const blocks = Array.from({ length: steps + 1 }, (_, i) =>
    Math.round(from + ((to - from) * i) / steps),
  );
  return [...new Set(blocks)];
}

/**
 * The blocks to read next: the middles of the stretches that are longest in time, for blocks do not
 * come evenly. Empty where every stretch is short or one block long, or a series has enough.
 */
export function nextBlocks(samples: readonly LedgerSample[]): number[] {
  const ordered = inOrder(samples);
  const span = (ordered.at(-1)?.at ?? 0) - (ordered[0]?.at ?? 0);
  const room = Math.min(CONCURRENT_SAMPLES, MAX_SAMPLES - samples.length);
  return ordered
    .flatMap((sample, i) => {
      const next = ordered[i + 1];
      return next ? [{ from: sample.block, to: next.block, time: next.at - sample.at }] : [];
    })
    .filter(({ from, to, time }) => to - from > 1 && time * MAX_SAMPLES > span)
    .sort((a, b) => b.time - a.time)
    .slice(0, Math.max(0, room))
    .map(({ from, to }) => Math.floor((from + to) / 2));
}

export const inOrder = (samples: readonly LedgerSample[]): LedgerSample[] =>
  [...samples].sort((a, b) => a.block - b.block);

/** Milliseconds from the first sample to the last. */
export function spanOf(samples: readonly LedgerSample[]): number {
  return (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
}

/**
 * The block that a shorter series begins with: the last sample before the range.
 * @param rangeMs milliseconds up to the last sample.
 * @returns `undefined` without a range, and if it is as long as the whole series.
 */
export function firstBlockWithin(
  samples: readonly LedgerSample[],
  rangeMs: number | undefined,
): number | undefined {
  const last = samples.at(-1);
  if (last === undefined || rangeMs === undefined) return undefined;
  return samples.findLast(({ at }) => at <= last.at - rangeMs)?.block;
}

/** Buyer payments by status; for attested sales, which were paid elsewhere, their number. */
export function salesBands(samples: readonly LedgerSample[], trustMode: string): Band[] {
  if (trustMode !== 'NATIVE_ONCHAIN') {
    return bandsOf(samples, [
      ['finalized', 'Finalized', ({ counts }) => counts.finalized],
      ['pending', 'Pending', ({ counts }) => counts.pending],
      ['refunded', 'Refunded', ({ counts }) => counts.refunded],
    ]);
  }
  return bandsOf(samples, [
    ['claimed', 'Claimed by the merchant', ({ proceedsLedger }) => proceedsLedger.proceedsClaimed],
    ['claimable', 'Claimable', ({ proceedsLedger }) => proceedsLedger.proceedsClaimable],
    ['pending', 'Pending', ({ proceedsLedger }) => proceedsLedger.proceedsPending],
    ['refunded', 'Refunded', ({ proceedsLedger }) => proceedsLedger.buyerRefunded],
  ]);
}

/** Rewards that sales reserved and did not release, by status. */
export function rewardBands(samples: readonly LedgerSample[]): Band[] {
  return bandsOf(samples, [
    ['claimed', 'Claimed', ({ rewardLedger }) => rewardLedger.rewardsClaimed],
    ['vested', 'Claimable, not claimed yet', ({ rewardLedger }) => rewardLedger.vestedUnclaimed],
    ['reserved', 'Reserved, on hold', ({ rewardLedger }) => rewardLedger.pendingReserved],
  ]);
}

function bandsOf(
  samples: readonly LedgerSample[],
  of: readonly (readonly [string, string, (sample: LedgerSample) => string | number])[],
): Band[] {
  return of.map(([name, label, amount]) => ({
    name,
    label,
    amounts: samples.map((sample) => BigInt(amount(sample))),
  }));
}
