import type { BatchResult } from './settle-campaigns.ts';

/** Totals of one settlement transaction over its campaigns. */
export interface BatchTotals {
  /** Number of campaigns in the batch. */
  readonly campaigns: number;
  /** The most severe outcome of its campaigns. */
  readonly outcome: BatchResult['outcome'];
  readonly events: number;
  readonly rolledBack: number;
  readonly discrepancies: number;
  /** Milliseconds that the transaction took. */
  readonly ms: number;
}

/** Outcomes by severity, highest first. */
const OUTCOMES: readonly BatchResult['outcome'][] = [
  'stopped',
  'folded',
  'waiting',
  'busy',
  'idle',
];

/** Adds up the results of the campaigns of one transaction. @param ms milliseconds that it took. */
export function batchTotals(results: readonly BatchResult[], ms: number): BatchTotals {
  const found = new Set(results.map(({ outcome }) => outcome));
  const sum = (count: (one: BatchResult) => number) =>
    results.reduce((total, one) => total + count(one), 0);
  return {
    campaigns: results.length,
    outcome: OUTCOMES.find((outcome) => found.has(outcome)) ?? 'idle',
    events: sum(({ events }) => events),
    rolledBack: sum(({ rolledBack }) => rolledBack),
    discrepancies: sum(({ discrepancies }) => discrepancies),
    ms,
  };
}
