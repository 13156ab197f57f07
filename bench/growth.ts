/**
 * Measures settling and replaying in a ledger that grows to a million sales: `npm run bench:growth`
 * (bench/performance.md). It takes many minutes, and so is not a part of `npm run bench`.
 */
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts';
import { growthSuite } from './growth/suite.ts';
import { tableOf } from './harness/report.ts';

const suite = growthSuite('growth_million', [10_000, 100_000, 1_000_000]);
const postgres = await startTemporaryPostgres('bench', true);
try {
  const started = performance.now();
  const results = await suite.run({
    postgresUrl: postgres.url,
    rounds: 3,
    quick: process.argv.includes('--quick'),
    log: (text) => console.error(`  ${text}`),
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(tableOf([{ suite: suite.name, seconds, results }]));
} finally {
  await postgres.remove();
}
