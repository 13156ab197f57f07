import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool } from '../../engine/db/connection.ts';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { signedIn } from '../../test/http/support/session.ts';
import { fillFullLedger } from '../data/full-ledger.ts';
import { spreadOf } from '../harness/measure.ts';
import { postmasterOf } from '../harness/postmaster.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { bareCase, type Callers, type ReadCase, readCases } from './cases.ts';
import { benchDeps } from './deps.ts';
import { checksumOfAnswers, loadAlone, loadAtRate } from './load.ts';
import { type LoadedCpu, loadCpu } from './load-cpu.ts';
import { pgbenchRate } from './pgbench.ts';
import { type Served, serveBare, serveTributary } from './processes.ts';
import {
  bareTime,
  cpuResults,
  describe,
  resultAlone,
  resultAtRate,
  resultsOf,
  unanswered,
} from './results.ts';

const SALES = 1_000_000;
const SALES_QUICK = 10_000;
/** The smaller ledgers of the table of growth. */
const SMALLER = [10_000, 100_000];

const ORIGIN = 'http://127.0.0.1:4000';
const MERCHANT = `0x${'11'.repeat(20)}` as const;
const EARNER = `0x${'22'.repeat(20)}` as const;

/** Reads of the API over a ledger of a million sales and as many nodes. */
export const readsSuite: Suite = {
  name: 'reads',
  about: 'requests of the API at 32 connections, a million sales and nodes in the ledger',
  run: async (bench) => {
    const sales = bench.quick ? SALES_QUICK : SALES;
    const seconds = bench.quick ? 1 : 3;
    return await withLedger(bench, sales, async (ledger) => {
      const results: Result[] = [];
      const all = readCases(sales, ledger.callers);
      const cases = await answered(bench, ledger, all);
      results.push(...all.filter((one) => !cases.includes(one)).map(unanswered));
      const rounds = await inTurn(bench, ledger, cases, seconds);
      results.push(...bareTime(loadsOf(rounds, BARE)));
      for (const one of cases) {
        const checksum = await checksumOfAnswers(serverOf(ledger, one).url, one);
        const loads = loadsOf(rounds, one.name);
        const bare = loadsOf(rounds, BARE);
        // A cached response has almost no SQL.
        const inSql = one.again ? null : await pgbenchRate(ledger.url, ledger.deps, one, seconds);
        if (inSql === null && !one.again) bench.log(`${one.name}: no result by pgbench`);
        results.push(...resultsOf(one, { loads, bare, inSql, checksum }));
        results.push(...cpuResults(one, loads, bare, checksum));
        bench.log(`${one.name}: ${describe(loads)}`);
        if (one.alone !== null) {
          const alone = await loadAlone(serverOf(ledger, one).url, one, seconds);
          results.push(resultAlone(one, alone, checksum));
        }
        if (one.aim === null || !('p99' in one.aim)) continue;
        const capacity = spreadOf(loads.map(({ perSecond }) => perSecond)).median;
        const perSecond = Math.max(1, Math.round(capacity / 2));
        const atRate = await loadAtRate(serverOf(ledger, one).url, one, { perSecond, seconds });
        results.push(resultAtRate(one, perSecond, atRate, checksum));
        bench.log(`${one.name}, at ${perSecond}/s: ${describe([atRate])}`);
      }
      return results;
    });
  },
};

/** Measures the same requests with ledgers of 10,000 and 100,000 sales. */
export const readsGrowthSuite: Suite = {
  name: 'reads-growth',
  about: 'the same requests over smaller ledgers: cost against size',
  run: async (bench) => {
    const results: Result[] = [];
    for (const sales of bench.quick ? [1_000] : SMALLER) {
      await withLedger(bench, sales, async (ledger) => {
        const all = readCases(sales, ledger.callers);
        const cases = await answered(bench, ledger, all);
        const rounds = await inTurn({ ...bench, rounds: 1 }, ledger, cases, bench.quick ? 1 : 2);
        for (const one of cases) {
          const checksum = await checksumOfAnswers(serverOf(ledger, one).url, one);
          const loads = loadsOf(rounds, one.name);
          const [rate] = resultsOf(one, { loads, bare: [], inSql: null, checksum });
          if (rate !== undefined) {
            const workload = `${one.name}, ${sales.toLocaleString('en')} sales`;
            results.push({ ...rate, workload, aim: null });
          }
        }
      });
    }
    return results;
  },
};

interface Ledger {
  readonly sales: number;
  readonly url: string;
  /** Makes every answer. */
  readonly api: Served;
  /** Gives answers again while nothing changes. */
  readonly keeping: Served;
  readonly bare: Served;
  /** Process id of PostgreSQL. */
  readonly postmaster: number;
  readonly callers: Callers;
  readonly deps: ReturnType<typeof benchDeps>;
}

async function withLedger<T>(
  { postgresUrl, log }: Bench,
  sales: number,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const name = `reads_${sales}`;
  const url = await createDatabase(postgresUrl, name);
  const started: Served[] = [];
  try {
    const deps = benchDeps();
    const callers = await made(url, deps, sales);
    log(`a ledger of ${sales.toLocaleString('en')} sales is made`);
    const api = await serveTributary(url, deps.deployment, false);
    started.push(api);
    const keeping = await serveTributary(url, deps.deployment, true);
    started.push(keeping);
    const bare = await serveBare(url);
    started.push(bare);
    const postmaster = await postmasterOf(url);
    return await work({ sales, url, api, keeping, bare, postmaster, callers, deps });
  } finally {
    await Promise.all(started.map((one) => one.stop()));
    await dropDatabase(postgresUrl, name);
  }
}

async function made(
  url: string,
  deps: ReturnType<typeof benchDeps>,
  sales: number,
): Promise<Callers> {
  const pool = openPool(url, { max: 2 });
  try {
    await migrate(pool);
    await claimDeployment(pool, deps.deployment);
    await fillFullLedger(url, { sales, merchant: MERCHANT, earner: EARNER });
    const who = { pool, clock: Date.now, allowedOrigins: [ORIGIN] };
    return {
      merchant: { ...(await signedIn(who, MERCHANT)).reading },
      earner: { ...(await signedIn(who, EARNER)).reading },
    };
  } finally {
    await pool.end();
  }
}

function serverOf({ api, keeping }: Ledger, { again }: ReadCase): Served {
  return again ? keeping : api;
}

/** The cases that are answered at all: what the server gives up is a line of its own. */
async function answered(
  { log }: Bench,
  ledger: Ledger,
  cases: readonly ReadCase[],
): Promise<readonly ReadCase[]> {
  const able: ReadCase[] = [];
  for (const one of cases) {
    const answer = await fetch(`${serverOf(ledger, one).url}${one.paths[0]}`, {
      headers: one.headers,
    });
    const text = await answer.text();
    if (answer.ok) able.push(one);
    else log(`${one.name} is not answered: ${answer.status} ${text}`);
  }
  return able;
}

const BARE = 'bare';

function loadsOf(
  rounds: readonly ReadonlyMap<string, LoadedCpu>[],
  name: string,
): readonly LoadedCpu[] {
  return rounds.map((round) => round.get(name)).filter((each) => each !== undefined);
}

/** Every case and the ceiling in turn, round after round; a first one warms all of them up. */
async function inTurn(
  { rounds, log }: Pick<Bench, 'rounds' | 'log'>,
  ledger: Ledger,
  cases: readonly ReadCase[],
  seconds: number,
): Promise<ReadonlyMap<string, LoadedCpu>[]> {
  const done: Map<string, LoadedCpu>[] = [];
  const { bare, sales, postmaster } = ledger;
  const blocks = commitEachSecond(ledger.url);
  for (let round = -1; round < rounds; round += 1) {
    const found = new Map<string, LoadedCpu>();
    const length = round < 0 ? 1 : seconds;
    found.set(BARE, await loadCpu(bare, postmaster, bareCase(sales), length));
    for (const one of cases) {
      found.set(one.name, await loadCpu(serverOf(ledger, one), postmaster, one, length));
    }
    if (round >= 0) done.push(found);
    else log('all have been asked once');
  }
  await blocks.stop();
  return done;
}

/**
 * Commits something each second, as every block does: cached responses are computed again then, even
 * though the commit changes none of them.
 */
function commitEachSecond(url: string): { readonly stop: () => Promise<void> } {
  const pool = openPool(url, { max: 1, applicationName: 'bench' });
  let commits: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    commits = commits.then(() => pool`select pg_current_xact_id()`);
  }, 1_000);
  return {
    stop: async () => {
      clearInterval(timer);
      await commits;
      await pool.end();
    },
  };
}
