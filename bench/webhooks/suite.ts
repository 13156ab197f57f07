import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { WebhookMessage } from '../../engine/contract/shapes/webhook.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { SALES_A_BLOCK, type SaleHistory, SETUP_BLOCK } from '../data/sale-history.ts';
import {
  cloneDatabase,
  endOf,
  type Indexed,
  indexHistory,
  release,
  untilFolded,
} from '../data/settle-database.ts';
import { cpuMsOf } from '../harness/cpu.ts';
import {
  interleaved,
  percentile,
  rates,
  type Sample,
  type Spread,
  spreadOf,
  timed,
} from '../harness/measure.ts';
import { postmasterOf } from '../harness/postmaster.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { defaults, startWorkerProcess } from '../settle/workers.ts';
import { addEndpoints, publishAll } from './database.ts';
import { BenchReceiver } from './receiver.ts';
import { type SenderSettings, withSender } from './sender.ts';

const ENDPOINTS = 10;

/** As many as the service sends concurrently to ten endpoints. */
const CONCURRENT_POSTS = 4 * ENDPOINTS;

/** Milliseconds of each delivery from its settlement to its arrival, of one round. */
interface Delays {
  readonly each: readonly number[];
  /** Milliseconds of the first delivery of each block. */
  readonly first: readonly number[];
}

/** Webhooks of ten endpoints, one for each campaign, to one receiver on this machine. */
export const webhooksSuite: Suite = {
  name: 'webhooks',
  about: 'deliveries a second to ten endpoints, and the delay from settled to received',
  run: async (bench) => {
    const sales = bench.quick ? 500 : 5_000;
    const history: SaleHistory = { sales, campaigns: ENDPOINTS, depth: 5, life: 'recorded' };
    const receiver = await BenchReceiver.start();
    try {
      return await inDatabases(bench, history, receiver, async (databases) => [
        ...(await measureRate(bench, databases, receiver, sales)),
        ...(await measureDelays(bench, databases, receiver, bench.quick ? 5 : 60)),
      ]);
    } finally {
      await receiver.close();
    }
  },
};

/** Databases that rounds copy. */
interface Databases {
  /** Events that wait to be settled. */
  readonly indexed: Indexed;
  /** Name of a database with everything settled, and nothing delivered. */
  readonly settled: string;
  /** Name of a database with the deliveries of everything, and none of them sent. */
  readonly published: string;
}

async function inDatabases<T>(
  { postgresUrl: server }: Bench,
  history: SaleHistory,
  receiver: BenchReceiver,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const indexed = await indexHistory(server, 'bench_webhooks', history);
  const [settled, published] = ['bench_webhooks_settled', 'bench_webhooks_published'];
  try {
    const own = new URL(server);
    own.pathname = `/${indexed.name}`;
    await addEndpoints(own.href, history, receiver.url);
    await settleAll(await cloneDatabase(server, indexed.name, settled), indexed);
    await publishAll(await cloneDatabase(server, settled, published));
    return await work({ indexed, settled, published });
  } finally {
    for (const name of [published, settled, indexed.name]) await dropDatabase(server, name);
  }
}

/** Settles everything, and leaves its webhooks alone. */
async function settleAll(databaseUrl: string, indexed: Indexed): Promise<void> {
  await withWorker(databaseUrl, indexed, async (pool) => {
    await release(pool, endOf(indexed));
    await untilFolded(pool, indexed.events);
    await untilSettled(pool, endOf(indexed));
    await pool`vacuum (analyze)`;
  });
}

async function withWorker<T>(
  databaseUrl: string,
  indexed: Indexed,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = openPool(databaseUrl, { max: 2, applicationName: 'bench' });
  const worker = await startWorkerProcess({
    ...{ ...defaults, databaseUrl, redisUrl: undefined, prefix: 'webhooks', head: endOf(indexed) },
  });
  try {
    return await work(pool);
  } finally {
    await worker.stop();
    await pool.end();
  }
}

async function untilSettled(pool: Pool, block: number): Promise<void> {
  for (;;) {
    const [row] = await pool<{ number: string | null }[]>`
      select settled_number as number from ledger.head`;
    if (Number(row?.number ?? -1) >= block) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** From the start of a worker that finds everything settled, until the last delivery has arrived. */
async function measureRate(
  { postgresUrl: server, rounds, log }: Bench,
  { settled, published }: Databases,
  receiver: BenchReceiver,
  sales: number,
): Promise<Result[]> {
  const cpuMs: Record<SenderSettings['mode'], number[]> = { service: [], posts: [] };
  const run = async (mode: SenderSettings['mode'], template: string): Promise<Sample> => {
    const name = `${template}_run`;
    const databaseUrl = await cloneDatabase(server, template, name);
    const { url } = receiver;
    const settings = { databaseUrl, mode, concurrency: CONCURRENT_POSTS, url };
    receiver.arrivals.clear();
    const sample = await withSender(settings, async ({ start, pid }) => {
      const roots = [pid, await postmasterOf(server)];
      const before = await cpuMsOf(roots);
      const timedRun = await timed(
        async () => {
          start();
          await receiver.untilArrived(sales);
        },
        () => receiver.checksum(),
      );
      const after = await cpuMsOf(roots);
      if (before !== null && after !== null) cpuMs[mode].push((after - before) / sales);
      return timedRun;
    });
    await dropDatabase(server, name);
    log(`${mode}: ${sales} in ${Math.round(sample.ms)} ms`);
    return sample;
  };
  const samples = await interleaved(rounds, {
    service: () => run('service', settled),
    posts: () => run('posts', published),
  });
  const [ours, figure] = [rates(samples.service, sales), rates(samples.posts, sales)];
  const checksums = [...samples.service, ...samples.posts].map(({ checksum }) => checksum);
  if (new Set(checksums).size !== 1) throw new Error('the service sent other events than expected');
  const checksum = checksums[0] ?? null;
  const line = (workload: string, unit: Result['unit'], ours: Spread, figure: Spread): Result => ({
    ...{ workload, unit, ours, aim: null, checksum },
    ceiling: { name: 'plain POSTs', figure },
    ratio: ratioOf(unit, ours, figure),
  });
  const name = `${sales.toLocaleString('en')} deliveries to ${ENDPOINTS} endpoints`;
  const rate = line(name, 'deliveries/s', ours, figure);
  // Without `/proc` there is no processor time.
  if (cpuMs.service.length === 0) return [rate];
  const [service, posts] = [spreadOf(cpuMs.service), spreadOf(cpuMs.posts)];
  return [rate, line(`${name}, CPU of each without the receiver`, 'ms', service, posts)];
}

/** Blocks of 50 sales, one after the other, with a settling worker and a sending one. */
async function measureDelays(
  bench: Bench,
  { indexed }: Databases,
  receiver: BenchReceiver,
  blocks: number,
): Promise<Result[]> {
  const delays: Delays[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    delays.push(await delaysOf(bench, indexed, receiver, blocks));
  }
  const line = (name: string, of: keyof Delays, share: number): Result => ({
    workload: `blocks of ${SALES_A_BLOCK} sales: settled → received, ${name}`,
    unit: 'ms',
    ours: spreadOf(delays.map((one) => percentile(one[of], share))),
    ceiling: null,
    ratio: null,
    aim: null,
    checksum: receiver.checksum(),
  });
  return [
    line('first of a block, p50', 'first', 0.5),
    line('p50', 'each', 0.5),
    line('p99', 'each', 0.99),
  ];
}

async function delaysOf(
  { postgresUrl: server, log }: Bench,
  indexed: Indexed,
  receiver: BenchReceiver,
  blocks: number,
): Promise<Delays> {
  const name = 'bench_webhooks_delay';
  const databaseUrl = await cloneDatabase(server, indexed.name, name);
  const [each, first]: [number[], number[]] = [[], []];
  const settings = { databaseUrl, mode: 'service', concurrency: 0, url: receiver.url } as const;
  await withSender(settings, ({ start }) =>
    withWorker(databaseUrl, indexed, async (pool) => {
      start();
      await release(pool, SETUP_BLOCK);
      await untilSettled(pool, SETUP_BLOCK);
      receiver.arrivals.clear();
      for (let block = 1; block <= blocks; block += 1) {
        const known = new Set(receiver.arrivals.keys());
        await release(pool, SETUP_BLOCK + block);
        await receiver.untilArrived(block * SALES_A_BLOCK);
        const settledAt = await lastSettledAt(pool);
        const ofBlock = [...receiver.arrivals]
          .filter(([id]) => !known.has(id))
          .map(([, { at, body }]) => {
            const { data } = WebhookMessage.parse(JSON.parse(body));
            return at - (settledAt.get(data.campaignId ?? '') ?? Number.NaN);
          });
        each.push(...ofBlock);
        first.push(Math.min(...ofBlock));
      }
    }),
  );
  await dropDatabase(server, name);
  log(
    `delays: p50 ${percentile(each, 0.5).toFixed(1)}, p99 ${percentile(each, 0.99).toFixed(1)} ms`,
  );
  return { each, first };
}

/** When the transaction of the newest change of each campaign began, in milliseconds since 1970. */
async function lastSettledAt(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const rows = await pool<{ campaign_id: string; at: number }[]>`
    select campaign_id, extract(epoch from max(published_at))::float8 * 1000 as at
    from ledger.change where kind = 'settled' group by campaign_id`;
  return new Map(rows.map(({ campaign_id, at }) => [campaign_id, at]));
}
