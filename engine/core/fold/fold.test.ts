import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomHistory } from '../../../test/support/history.ts';
import { proceedsTotal, rewardImbalance } from '../campaign.ts';
import type { ChainEvent, Fact } from '../events.ts';
import { apply, applyAll, emptyCampaign, type FoldState } from './index.ts';

const historyArb = fc.record({ seed: fc.nat(), steps: fc.integer({ min: 1, max: 400 }) });

/** The facts of one campaign of a random history. */
function historyOf({ seed, steps }: { seed: number; steps: number }): Fact[] {
  return randomHistory({ seed, steps, campaigns: 1 });
}

function totals(state: FoldState) {
  const accounts = [...state.accounts.values()];
  const sum = (pick: (account: (typeof accounts)[number]) => bigint) =>
    accounts.reduce((total, account) => total + pick(account), 0n);
  return {
    reserved: sum(({ reserved }) => reserved),
    claimable: sum(({ claimable }) => claimable),
    claimed: sum(({ claimed }) => claimed),
    credit: [...state.credits.values()].reduce((total, credit) => total + credit, 0n),
  };
}

/** The invariants of a campaign (docs/how-it-works/ledger.md#invariants), whatever its events were. */
function expectConserved(state: FoldState): void {
  const { ledger } = state.snapshot;
  expect(rewardImbalance(ledger)).toBe(0n);
  const native = state.campaign?.trustMode === 'NATIVE_ONCHAIN';
  const amounts = [...state.sales.values()].reduce((total, sale) => total + sale.amount, 0n);
  expect(proceedsTotal(ledger)).toBe(native ? amounts : 0n);
  expect(totals(state)).toEqual({
    reserved: ledger.pendingReserved,
    claimable: ledger.vestedUnclaimed,
    claimed: ledger.rewardsClaimed,
    credit: ledger.creditOutstanding,
  });
  expect(holdingLevels(state).filter(({ sale }) => sale.state !== 'pending')).toEqual([]);
}

/** The levels that hold something, or less than nothing, each with its sale. */
function holdingLevels({ sales }: FoldState) {
  return [...sales.values()].flatMap((sale) =>
    sale.levels.filter(({ reserved }) => reserved !== 0n).map((level) => ({ sale, level })),
  );
}

describe('the fold', () => {
  it('finds no discrepancy in a valid history, and conserves every unit', () => {
    fc.assert(
      fc.property(historyArb, (history) => {
        const facts = historyOf(history);
        const { state, applied } = applyAll(emptyCampaign('1'), facts);
        expect(applied.flatMap(({ discrepancies }) => discrepancies)).toEqual([]);
        expectConserved(state);
      }),
      { numRuns: 150 },
    );
  });

  it('gives the same result for single events and for batches, and changes no argument', () => {
    fc.assert(
      fc.property(historyArb, fc.integer({ min: 1, max: 50 }), (history, size) => {
        const facts = historyOf({ ...history, steps: Math.min(history.steps, 120) });
        let single = emptyCampaign('1');
        const before = structuredClone(single);
        const oneByOne = facts.map((fact) => {
          const next = apply(single, fact);
          single = next.state;
          return next.applied;
        });
        let batched = emptyCampaign('1');
        const inBatches = [];
        for (let i = 0; i < facts.length; i += size) {
          const next = applyAll(batched, facts.slice(i, i + size));
          batched = next.state;
          inBatches.push(...next.applied);
        }
        expect(inBatches).toEqual(oneByOne);
        expect(batched).toEqual(single);
        expect(emptyCampaign('1')).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  it('conserves every unit and reports a discrepancy if the chain has any wrong amount', () => {
    fc.assert(
      fc.property(historyArb, fc.nat(), fc.bigInt({ min: 1n, max: 1_000n }), (history, at, by) => {
        const facts = historyOf(history);
        const candidates = facts.filter((fact) => lieAbout(fact, by) !== undefined);
        const target = candidates[at % Math.max(1, candidates.length)];
        fc.pre(target !== undefined);
        const lied = facts.map((fact) => (fact === target ? (lieAbout(fact, by) ?? fact) : fact));
        const { state, applied } = applyAll(emptyCampaign('1'), lied);
        expectConserved(state);
        expect(applied.flatMap(({ discrepancies }) => discrepancies).length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it('conserves every unit when events are dropped, doubled and shuffled', () => {
    fc.assert(
      fc.property(historyArb, fc.array(fc.nat(), { maxLength: 20 }), (history, picks) => {
        const facts = historyOf(history);
        const head = facts.slice(0, 1);
        const tail = facts.slice(1);
        for (const [i, pick] of picks.entries()) {
          const at = pick % Math.max(1, tail.length);
          const [fact] = i % 3 === 1 ? tail.slice(at, at + 1) : tail.splice(at, 1);
          if (fact !== undefined && i % 3 !== 0)
            tail.splice((pick * 7) % (tail.length + 1), 0, fact);
        }
        const { state } = applyAll(emptyCampaign('1'), [...head, ...tail]);
        expectConserved(state);
      }),
      { numRuns: 150 },
    );
  });

  it('records a refused payment as a credit until the account withdraws it', () => {
    const facts = historyOf({ seed: 11, steps: 400 });
    const { applied } = applyAll(emptyCampaign('1'), facts);
    const credited = applied.filter(({ fact }) => fact.name === 'PaymentCredited');
    const withdrawn = applied.filter(({ fact }) => fact.name === 'CreditWithdrawn');
    expect(credited.length).toBeGreaterThan(3);
    expect(withdrawn.length).toBeGreaterThan(0);
    for (const one of withdrawn) expect(one.credit?.after).toBe(0n);
    for (const { seq, snapshot } of credited) {
      // The ledgers count a refused payment as paid: only the credit changes.
      const before = applied[seq - 2]?.snapshot.ledger;
      expect({ ...snapshot.ledger, creditOutstanding: before?.creditOutstanding }).toEqual(before);
    }
  });

  it('reports a discrepancy if a credit follows no payment, or pays out more than there is', () => {
    const facts = historyOf({ seed: 11, steps: 400 });
    const last = facts.at(-1);
    if (last === undefined) throw new Error('the history is empty');
    const account = '0x00000000000000000000000000000000000000cc';
    const { state } = applyAll(emptyCampaign('1'), facts);
    const credited = apply(state, {
      ...last,
      name: 'PaymentCredited',
      args: { account, amount: 5n },
    });
    const withdrawn = apply(credited.state, {
      ...last,
      name: 'CreditWithdrawn',
      args: { account, to: account, amount: 6n },
    });
    for (const { applied } of [credited, withdrawn]) {
      expect(applied.discrepancies.map(({ kind }) => kind)).toEqual(['CREDIT']);
    }
    expectConserved(withdrawn.state);
  });

  it('refuses a history that does not begin with the campaign', () => {
    const [, second] = historyOf({ seed: 1, steps: 1 });
    if (second === undefined) throw new Error('the history has two events at least');
    expect(() => apply(emptyCampaign('1'), second)).toThrow('START_BLOCK is after its creation');
  });
});

/** The event with a wrong amount; `undefined` if it has none. */
function lieAbout(fact: Fact, by: bigint): Fact | undefined {
  const event: ChainEvent | undefined = (() => {
    switch (fact.name) {
      case 'SaleRecorded': {
        const [first, ...rest] = fact.args.shares;
        if (first === undefined) return { ...fact, args: { ...fact.args, pool: by } };
        return { ...fact, args: { ...fact.args, shares: [first + by, ...rest] } };
      }
      case 'SaleFinalized': {
        const refundedTotal = fact.args.refundedTotal + by;
        return { ...fact, args: { ...fact.args, refundedTotal } };
      }
      case 'RewardReleased':
      case 'RewardVested':
      case 'RewardReversed':
        return { ...fact, args: { ...fact.args, amount: fact.args.amount + by } };
      case 'RewardsClaimed':
      case 'ProceedsClaimed':
      case 'PaymentCredited':
        return { ...fact, args: { ...fact.args, amount: fact.args.amount + by } };
      case 'CreditWithdrawn':
        return { ...fact, args: { ...fact.args, amount: fact.args.amount + by } };
      default:
        return undefined;
    }
  })();
  return event === undefined ? undefined : { ...fact, ...event };
}
