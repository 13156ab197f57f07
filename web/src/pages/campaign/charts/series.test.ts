import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heightOf, roundUp, shareOf } from '../../../charts/bands.ts';
import {
  firstBlocks,
  inOrder,
  type LedgerSample,
  MAX_SAMPLES,
  nextBlocks,
  rewardBands,
  salesBands,
} from './series.ts';

function sampleAt(block: number, at = block * 1_000, paid = block): LedgerSample {
  return {
    block,
    at,
    rewardLedger: {
      netDeposited: '1000',
      available: '400',
      pendingReserved: '300',
      vestedUnclaimed: '200',
      rewardsClaimed: '100',
      surplusWithdrawn: '0',
    },
    proceedsLedger: {
      proceedsPending: `${paid}`,
      proceedsClaimable: '1',
      proceedsClaimed: '2',
      buyerRefunded: '3',
    },
    counts: { pending: 4, finalized: 5, refunded: 6 },
  };
}

/** Reads a series as the page does, from a chain whose blocks have these times. */
function readAll(from: number, to: number, timeOf: (block: number) => number): LedgerSample[] {
  const samples = new Map<number, LedgerSample>();
  let blocks = firstBlocks(from, to);
  while (blocks.length > 0) {
    for (const block of blocks) samples.set(block, sampleAt(block, timeOf(block)));
    blocks = nextBlocks([...samples.values()]);
  }
  return inOrder([...samples.values()]);
}

describe('the blocks that a series is read at', () => {
  it('reads a series at distinct blocks that include the first and the last, up to the maximum', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(100_000), (from, length) => {
        const blocks = readAll(from, from + length, (block) => block).map(({ block }) => block);
        expect(blocks[0]).toBe(from);
        expect(blocks.at(-1)).toBe(from + length);
        expect(new Set(blocks).size).toBe(blocks.length);
        expect(blocks.length).toBeLessThanOrEqual(MAX_SAMPLES);
        expect(blocks.length).toBeGreaterThanOrEqual(Math.min(length + 1, MAX_SAMPLES / 2));
      }),
    );
  });

  it('reads a series at blocks that are evenly spaced in time, not in height', () => {
    // A thousand blocks in a second each, and then one a day.
    const timeOf = (block: number) => (block < 1_000 ? block : 1_000 + (block - 1_000) * 86_400);
    const late = readAll(0, 1_030, timeOf).filter(({ block }) => block >= 1_000);
    expect(late.length).toBeGreaterThan(MAX_SAMPLES / 2);
  });
});

describe('the bands of a chart', () => {
  it('shows as bands the buckets of native sales, and the number of attested sales', () => {
    const native = salesBands([sampleAt(1)], 'NATIVE_ONCHAIN');
    expect(native.map(({ name, amounts }) => [name, amounts[0]])).toEqual([
      ['claimed', 2n],
      ['claimable', 1n],
      ['pending', 1n],
      ['refunded', 3n],
    ]);
    const attested = salesBands([sampleAt(1)], 'MERCHANT_ATTESTED');
    expect(heightOf(attested)).toBe(15n);
  });

  it('scales a chart to its highest stack', () => {
    expect(heightOf(rewardBands([sampleAt(1)]))).toBe(600n);
    const samples = [sampleAt(1, 1, 10), sampleAt(2, 2, 50), sampleAt(3, 3, 20)];
    expect(heightOf(salesBands(samples, 'NATIVE_ONCHAIN'))).toBe(56n);
    expect(heightOf([])).toBe(0n);
  });

  it('draws shares of amounts beyond 2^53 exactly', () => {
    expect(shareOf(2n ** 255n, 2n ** 256n)).toBe(0.5);
    expect(shareOf(5n, 0n)).toBe(0);
  });

  it('ends the axis at a round amount that is not below the highest stack', () => {
    expect([0n, 1n, 3n, 15n, 79n, 1_000n, 1_001n].map(roundUp)).toEqual([
      1n,
      1n,
      4n,
      20n,
      80n,
      1_000n,
      2_000n,
    ]);
  });
});
