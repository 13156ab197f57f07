import { describe, expect, it } from 'vitest';
import type { FaultName } from '../simulator/faults/index.ts';
import { simulate, sweep } from '../simulator/simulation.ts';

/** Faults of every family that heal within seconds: a dead lock of the indexer alone takes 18. */
const QUICK: readonly FaultName[] = [
  'reorg',
  'rpcDrop',
  'rpcTruncate',
  'killWorker',
  'killInBatch',
  'cutConnections',
  'duplicateJobs',
  'staleJobs',
];

describe('the simulator', () => {
  it('loses, doubles and hides nothing in a short run of seed 1 (test/simulator/README.md)', async () => {
    const outcome = await simulate({
      seed: 1,
      steps: 40,
      mix: QUICK,
      workers: 2,
      redis: false,
    });
    expect(outcome.failure).toBeUndefined();
    expect(outcome.rounds.length).toBeGreaterThanOrEqual(3);
    expect(outcome.reads.read).toBeGreaterThan(20);
    expect(outcome.rounds.at(-1)?.sales).toBeGreaterThan(3);
    await sweep(outcome);
  }, 240_000);
});
