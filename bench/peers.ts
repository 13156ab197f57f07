/** Compares with other indexers, which it installs: `npm run bench:peers` (bench/performance.md#peers). */
import { Command } from 'commander';
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts';
import { tableOf } from './harness/report.ts';
import { peersSuite } from './peers/suite.ts';

const { rounds, quick } = new Command('bench:peers')
  .option('--rounds <n>', 'interleaved runs of each indexer', Number, 3)
  .option('--quick', 'small data, one round: to see that it works', false)
  .parse()
  .opts<{ rounds: number; quick: boolean }>();

const postgres = await startTemporaryPostgres('bench', true);
try {
  const started = performance.now();
  const results = await peersSuite.run({
    postgresUrl: postgres.url,
    rounds: quick ? 1 : rounds,
    quick,
    log: (text) => console.error(`  ${text}`),
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(tableOf([{ suite: peersSuite.name, seconds, results }]));
} finally {
  await postgres.remove();
}
