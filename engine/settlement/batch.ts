import type { Settled } from './settle-campaigns.ts';

/** What one transaction of settlement came to. */
export interface Batch {
  /** Campaigns that it looked at. */
  readonly campaigns: number;
  /** That of the campaign which came to most. */
  readonly outcome: Settled['outcome'];
  readonly events: number;
  readonly rolledBack: number;
  readonly discrepancies: number;
  readonly ms: number;
}

/** From what there is most to tell of to what there is least. */
const OUTCOMES: readonly Settled['outcome'][] = ['stopped', 'folded', 'waiting', 'busy', 'idle'];

/** Adds up what the campaigns of a transaction came to. @param ms milliseconds that it took. */
export function batchOf(settled: readonly Settled[], ms: number): Batch {
  const found = new Set(settled.map(({ outcome }) => outcome));
  const sum = (count: (one: Settled) => number) =>
    settled.reduce((total, one) => total + count(one), 0);
  return {
    campaigns: settled.length,
    outcome: OUTCOMES.find((outcome) => found.has(outcome)) ?? 'idle',
    events: sum(({ events }) => events),
    rolledBack: sum(({ rolledBack }) => rolledBack),
    discrepancies: sum(({ discrepancies }) => discrepancies),
    ms,
  };
}
