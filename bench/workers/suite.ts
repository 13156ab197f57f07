import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { redisAvailable, startTestRedis } from '../../test/support/redis.ts';
import type { SaleHistory } from '../data/sale-history.ts';
import { indexHistory } from '../data/settle-database.ts';
import { spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { runAtScale, type Scaled, type ScaleRun } from './run-at-scale.ts';

const WORKERS = 8;
const APIS = 4;
/** Parts in which the sales arrive. */
const STEPS = 20;

export const workersSuite: Suite = {
  name: 'workers',
  about: `${WORKERS} workers, ${APIS} APIs that are read, 10,000 campaigns, by queue`,
  run: async (bench) => {
    const campaigns = bench.quick ? 500 : 10_000;
    const history: SaleHistory = { sales: 2 * campaigns, campaigns, depth: 1, life: 'recorded' };
    const redis = redisAvailable ? await startTestRedis() : undefined;
    if (redis === undefined) bench.log('no Redis here: its lines are left out');
    const indexed = await indexHistory(bench.postgresUrl, 'bench_workers', history);
    const run = async (name: string, options: ScaleRun) => {
      const scaled = await runAtScale(bench.postgresUrl, indexed, options);
      describe(bench, name, scaled);
      return scaled;
    };
    try {
      const one = { workers: 1, apis: 0, redisUrl: undefined, steps: 1 };
      const alone = await run('one worker, undisturbed', one);
      const queues = [
        { name: 'PostgreSQL', url: undefined },
        ...(redis ? [{ name: 'Redis', url: redis.url }] : []),
      ];
      const results: Result[] = [];
      for (const { name, url } of queues) {
        const many = { workers: WORKERS, apis: APIS, redisUrl: url, steps: STEPS };
        const scaled = await run(`queue on ${name}`, many);
        const pausing = await run(`queue on ${name}, two paused`, { ...many, pauses: true });
        for (const { checksum } of [scaled, pausing]) {
          if (checksum !== alone.checksum) throw new Error(`the ledgers differ: ${name}`);
        }
        results.push(...resultsOf(name, history, scaled, alone), pausedResult(name, pausing));
      }
      return results;
    } finally {
      await dropDatabase(bench.postgresUrl, indexed.name);
      await redis?.stop();
    }
  },
};

function resultsOf(
  queue: string,
  { sales, campaigns }: SaleHistory,
  scaled: Scaled,
  alone: Scaled,
): readonly Result[] {
  const ours = spreadOf([sales / (scaled.ms / 1_000)]);
  const one = spreadOf([sales / (alone.ms / 1_000)]);
  const many = campaigns.toLocaleString('en');
  const workload = `${WORKERS} workers, ${APIS} APIs, ${many} campaigns, queue on ${queue}`;
  const lost = scaled.usage.reduce((total, { lostLocks }) => total + lostLocks, 0);
  return [
    {
      workload,
      unit: 'sales/s',
      ours,
      ceiling: { name: 'one worker, nothing read', figure: one },
      ratio: ratioOf('sales/s', ours, one),
      aim: { text: 'no lost job lock', met: lost === 0 },
      checksum: scaled.checksum,
    },
    {
      workload: `${workload}: PostgreSQL's sessions`,
      unit: 'sessions',
      ours: spreadOf([scaled.connections]),
      ceiling: null,
      ratio: null,
      aim: null,
      checksum: null,
    },
  ];
}

function pausedResult(queue: string, { paused, checksum }: Scaled): Result {
  return {
    workload: `${WORKERS} workers, queue on ${queue}: settled without a paused leader and a paused worker`,
    unit: 'ms',
    ours: spreadOf([paused?.settledMs ?? 0]),
    ceiling: null,
    ratio: null,
    aim: null,
    checksum,
  };
}

function describe({ log }: Bench, name: string, scaled: Scaled): void {
  const { usage, apiCpuMs, read, setupMs, ms, commits, rollbacks, connections, paused } = scaled;
  const sum = (of: (one: Scaled['usage'][number]) => number) =>
    usage.reduce((total, one) => total + of(one), 0);
  const list = (values: readonly number[]) => values.map((value) => Math.round(value)).join(' ');
  log(
    `${name}: campaigns ${Math.round(setupMs)} ms, sales ${Math.round(ms)} ms; ` +
      `${sum(({ jobs }) => jobs)} jobs, ${sum(({ batches }) => batches)} batches, ` +
      `${sum(({ retried }) => retried)} retried, ${sum(({ lostLocks }) => lostLocks)} lost locks; ` +
      `${commits} commits, ${rollbacks} rollbacks, ${connections} sessions`,
  );
  log(
    `  processor ms of the workers: ${list(usage.map(({ cpuMs }) => cpuMs))}; of the APIs: ${list(apiCpuMs)}`,
  );
  if (paused !== undefined) {
    const { leaderMs, settledMs } = paused;
    log(
      `  another leader after ${Math.round(leaderMs)} ms, settled without the two after ${Math.round(settledMs)} ms`,
    );
  }
  if (read === undefined) return;
  log(
    `  ${read.requests} reads, ${read.refused} of them refused, half within ${Math.round(read.p50)} ms, 99 % within ${Math.round(read.p99)} ms`,
  );
}
