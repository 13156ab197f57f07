import { randomBytes } from 'node:crypto';
import { openKeccak } from '../../../engine/chain/keccak.ts';
import { createDatabase, dropDatabase } from '../../../engine/cli/stack/database.ts';
import { openPool } from '../../../engine/db/connection.ts';
import { migrate } from '../../../engine/db/migrate.ts';
import { copyDatabase, startTemporaryPostgres } from '../../support/temporary-postgres.ts';
import { type VirtualFaultName, virtualFaultNames } from './faults.ts';
import { failureText, roundLine, VirtualTotals } from './report.ts';
import { simulateVirtually } from './run.ts';

export interface VirtualCommand {
  /** The first seed; the others count up from it. */
  readonly seed: number;
  /** Steps of all seeds together. */
  readonly steps: number;
  /** Steps of one seed. */
  readonly stepsPerSeed: number;
  /** Steps between two faults, on average. */
  readonly stepsPerFault: number;
  readonly only?: readonly VirtualFaultName[];
  readonly json: boolean;
  readonly log: (line: string) => void;
}

/**
 * `simulate --virtual`: one seed after the other, each on a new database of one server, until so many
 * steps were played or a seed fails. @returns the exit code.
 */
export async function runVirtually(command: VirtualCommand): Promise<number> {
  const { seed: first, steps, stepsPerSeed, stepsPerFault, only, log } = command;
  const totals = new VirtualTotals(first);
  const postgres = await startTemporaryPostgres('virtual', false);
  try {
    const template = `migrated_${randomBytes(4).toString('hex')}`;
    const migrating = openPool(await createDatabase(postgres.url, template), { max: 1 });
    await migrate(migrating);
    await migrating.end();
    const keccak256 = await openKeccak();
    for (let seed = first; totals.steps < steps; seed += 1) {
      const name = `seed_${seed}`;
      const outcome = await simulateVirtually({
        ...{ seed, keccak256, stepsPerFault, mix: only ?? virtualFaultNames },
        steps: Math.min(stepsPerSeed, steps - totals.steps),
        databaseUrl: await copyDatabase(postgres.url, template, name),
        onRound: (round) => log(roundLine(seed, round)),
      });
      await dropDatabase(postgres.url, name);
      totals.add(outcome);
      if (outcome.failure !== undefined) {
        const text = failureText(outcome, command);
        if (command.json)
          console.log(JSON.stringify({ ...totals.toJson(), failure: text }, null, 2));
        else console.error(text);
        return 1;
      }
      log(`seed ${seed}: ${outcome.steps} steps, root ${outcome.root}`);
    }
  } finally {
    await postgres.remove();
  }
  console.log(command.json ? JSON.stringify(totals.toJson(), null, 2) : totals.table());
  return 0;
}
