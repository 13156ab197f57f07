/**
 * Every benchmark, each against a ceiling of the same run: `npm run bench`. It makes its own
 * PostgreSQL and data, prints one table and writes `bench/results.json` (bench/performance.md).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { jsonLines } from '../scripts/json-lines.ts';
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts';
import { slowLinkSuite } from './catch-up/slow-link.ts';
import { catchUpSuite } from './catch-up/suite.ts';
import { feederSuite } from './feeder/suite.ts';
import { freshnessSuite } from './freshness/suite.ts';
import { growthSuite } from './growth/suite.ts';
import { reportOf, type SuiteResults, tableOf } from './harness/report.ts';
import type { Suite } from './harness/suite.ts';
import { readsGrowthSuite, readsSuite } from './reads/suite.ts';
import { idleSuite } from './rpc/idle.ts';
import { rpcSuite } from './rpc/suite.ts';
import { scaleOutSuite } from './scale-out/suite.ts';
import { settleSuite } from './settle/suite.ts';
import { startSuite } from './start/suite.ts';
import { verifySuite } from './verify/suite.ts';
import { webhooksSuite } from './webhooks/suite.ts';
import { workersSuite } from './workers/suite.ts';

const suites: readonly Suite[] = [
  startSuite,
  rpcSuite,
  idleSuite,
  catchUpSuite,
  slowLinkSuite,
  freshnessSuite,
  verifySuite,
  settleSuite,
  scaleOutSuite,
  workersSuite,
  feederSuite,
  growthSuite('growth', [10_000, 100_000]),
  webhooksSuite,
  readsSuite,
  readsGrowthSuite,
];

const options = new Command('bench')
  .description('Measures Tributary against ceilings of the same run.')
  .option('--only <names>', `some of: ${suites.map(({ name }) => name).join(', ')}`, namesOf)
  .option('--rounds <n>', 'interleaved runs of each case', wholeNumber, 3)
  .option('--quick', 'small data, one round: to see that it works', false)
  .option('--out <file>', 'where the results go', join(import.meta.dirname, 'results.json'))
  .parse()
  .opts<{ only?: readonly string[]; rounds: number; quick: boolean; out: string }>();

const startedAt = new Date();
const postgres = await startTemporaryPostgres('bench', true);
const done: SuiteResults[] = [];
try {
  for (const suite of suites) {
    if (options.only !== undefined && !options.only.includes(suite.name)) continue;
    console.error(`${suite.name}: ${suite.about}`);
    const started = performance.now();
    const ran = await attempt(suite);
    const seconds = Math.round((performance.now() - started) / 1_000);
    done.push({ suite: suite.name, seconds, ...ran });
    // As it goes: a run that is ended keeps what it has.
    await writeFile(options.out, `${jsonLines(reportOf(done, startedAt, options.quick), 4)}\n`);
  }
} finally {
  await postgres.remove();
}
console.log(tableOf(done));
if (done.some(({ failure }) => failure !== undefined)) process.exitCode = 1;

/** Runs a suite; if it fails, reports it and lets the others run. */
async function attempt({ run }: Suite): Promise<Omit<SuiteResults, 'suite' | 'seconds'>> {
  try {
    const results = await run({
      postgresUrl: postgres.url,
      rounds: options.quick ? 1 : options.rounds,
      quick: options.quick,
      log: (text) => console.error(`  ${text}`),
    });
    return { results };
  } catch (error) {
    console.error(error);
    return { results: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

function namesOf(text: string): readonly string[] {
  const names = text.split(',');
  const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`There is no suite "${unknown}".`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 100) return value;
  throw new InvalidArgumentError('A whole number from 1 to 100.');
}
