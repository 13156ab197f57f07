import { describe, expect, it } from 'vitest';
import { canAnswer, type ReadNeeds } from './can-answer.ts';

const head = '7 1700000000.5';
const standby = { version: head, replayed: 500n };
const needs: ReadNeeds = {
  primary: { version: head, isUnsettled: false },
  position: 500n,
  lagMs: 1_000,
};

describe('canAnswer', () => {
  it('accepts a replica that has the settled head and the position, and is at most a second behind', () => {
    expect(canAnswer(standby, needs)).toBe(true);
  });

  it.each<[string, Partial<typeof standby>, Partial<ReadNeeds>]>([
    ['has an earlier head', { version: '6 1700000000.4' }, {}],
    ['has a later head than the primary shows', { version: '8 1700000000.6' }, {}],
    ['counted on after a failover, as the primary did', { version: '7 1700000000.6' }, {}],
    ['has not replayed the last write of the client', { replayed: 499n }, {}],
    ['may be more than a second behind', {}, { lagMs: 1_001 }],
    [
      'is of a ledger that rolls back a reorg',
      {},
      { primary: { version: head, isUnsettled: true } },
    ],
  ])('refuses a replica that %s', (_why, state, changes) => {
    expect(canAnswer({ ...standby, ...state }, { ...needs, ...changes })).toBe(false);
  });

  it('refuses every replica before the first start of settlement', () => {
    const primary = { version: null, isUnsettled: null };
    expect(canAnswer({ ...standby, version: null as never }, { ...needs, primary })).toBe(false);
  });
});
