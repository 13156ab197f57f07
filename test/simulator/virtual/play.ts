import { openKeccak } from '../../../engine/chain/keccak.ts';
import { createTestDatabase } from '../../support/database.ts';
import { virtualFaultNames } from './faults.ts';
import { simulateVirtually, type VirtualOptions, type VirtualOutcome } from './run.ts';

/** Plays a seed in a test, on a database of its own. */
export async function play(
  seed: number,
  steps: number,
  changes: Partial<VirtualOptions> = {},
): Promise<VirtualOutcome> {
  const database = await createTestDatabase();
  try {
    const keccak256 = await openKeccak();
    const needed = { seed, steps, keccak256, mix: virtualFaultNames, databaseUrl: database.url };
    return await simulateVirtually({ ...needed, ...changes });
  } finally {
    await database.drop();
  }
}
