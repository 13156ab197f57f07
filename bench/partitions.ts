/**
 * Compares plain with partitioned tables at any size: `npm run bench:partitions -- --sales 1000000` (docs/operate/growth.md).
 */
import { Command } from 'commander';
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts';
import { tableOf } from './harness/report.ts';
import { partitionsSuite } from './partitions/suite.ts';

const options = new Command('bench:partitions')
  .option('--sales <n>', 'a multiple of 10,000', Number, 1_000_000)
  .option('--partitions <n>', 'partitions of each table', Number, 16)
  .option('--rounds <n>', 'rounds, of which the first is not counted', Number, 5)
  .parse()
  .opts<{ sales: number; partitions: number; rounds: number }>();

const suite = partitionsSuite(options);
const postgres = await startTemporaryPostgres('bench', true);
try {
  const started = performance.now();
  const results = await suite.run({
    postgresUrl: postgres.url,
    rounds: options.rounds,
    quick: false,
    log: (text) => console.error(`  ${text}`),
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(tableOf([{ suite: suite.name, seconds, results }]));
} finally {
  await postgres.remove();
}
