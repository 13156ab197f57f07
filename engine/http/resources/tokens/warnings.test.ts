import { describe, expect, it } from 'vitest';
import type { Report, Transfer } from './probe.ts';
import { type TokenFacts, warningsOf } from './warnings.ts';

/** Ordinals of `TokenProbe.Answer`. */
const REVERTED = 0;
const NOTHING = 1;
const TRUE = 2;
const OTHER = 3;

const exact: Transfer = {
  ...{ amount: 1_000n, taken: 1_000n, received: 1_000n, gasUsed: 40_000n },
  answer: TRUE,
};
const idle: Transfer = { ...exact, amount: 0n, taken: 0n, received: 0n };

/** Codes for a token whose payments were these; by default everything else is ordinary. */
function codesOf(payments: readonly Partial<Transfer>[], changes: Partial<Report> = {}): string[] {
  const [first = exact, second = exact, third = exact] = payments.map((one) => ({
    ...exact,
    ...one,
  }));
  const report: Report = {
    ...{ approve: TRUE, approveAgain: TRUE, approveZero: TRUE, incoming: exact, callsBack: false },
    outgoing: [first, second, third],
    ...changes,
  };
  const facts: TokenFacts = {
    metadata: { decimals: 6, symbol: 'TUSD', name: 'Test Dollar' },
    code: { isEmpty: false, traits: new Set() },
    report,
  };
  return warningsOf(facts).map(({ code }) => code);
}

describe('an examination of a token', () => {
  it('warns of nothing if the token moves what it is asked to, whether it answers true or nothing', () => {
    expect(codesOf([])).toEqual([]);
    expect(codesOf([{ answer: NOTHING }])).toEqual([]);
  });

  it('warns that payments revert if one takes another amount, or is denied though it moved', () => {
    expect(codesOf([{}, { taken: 999n }])).toEqual(['INEXACT_PAYMENTS']);
    expect(codesOf([{}, {}, { taken: 1_001n }])).toEqual(['INEXACT_PAYMENTS']);
    expect(codesOf([{ answer: OTHER }])).toEqual(['INEXACT_PAYMENTS']);
    expect(codesOf([{ taken: 0n, received: 0n }])).toEqual(['INEXACT_PAYMENTS']);
  });

  it('warns that payments become credits if the token refuses them, or needs too much gas for them', () => {
    const refused = { taken: 0n, received: 0n };
    expect(codesOf([{ ...refused, answer: REVERTED }])).toEqual(['PAYMENTS_FAIL']);
    expect(codesOf([{ ...refused, answer: OTHER }])).toEqual(['PAYMENTS_FAIL']);
    expect(codesOf([{ gasUsed: 500_000n }])).toEqual([]);
    expect(codesOf([{ gasUsed: 500_001n }])).toEqual(['PAYMENTS_FAIL']);
  });

  it('warns of a fee if more is missing than the one or two units that shares round away', () => {
    expect(codesOf([], { incoming: { ...exact, received: 998n } })).toEqual(['SHARES']);
    expect(codesOf([], { incoming: { ...exact, received: 997n } })).toEqual(['TRANSFER_FEE']);
  });

  it('warns only that nothing was tried if no transfer was', () => {
    const report = { incoming: idle, outgoing: [idle, idle, idle] } as const;
    expect(codesOf([], { ...report, outgoing: [...report.outgoing] })).toEqual(['NOT_TRIED']);
  });

  it('warns of all that the chain did not answer about', () => {
    const [warning] = warningsOf({ metadata: null, code: null, report: null });
    expect(warning).toEqual({
      code: 'NOT_EXAMINED',
      message:
        'The chain did not answer about its decimals and name, its code, its transfers: what the token does is unknown.',
    });
  });
});
