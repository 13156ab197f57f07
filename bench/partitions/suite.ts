import { openKeccak } from '../../engine/chain/keccak.ts';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { partitionTables } from '../../engine/db/partition/convert.ts';
import { readSettings } from '../../engine/db/read/snapshot.ts';
import { partitionableTables } from '../../engine/db/tables/ledger.ts';
import { moveClocks, scheduleClocks } from '../../engine/db/write/clock.ts';
import { createApp } from '../../engine/http/app.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { signedIn } from '../../test/http/support/session.ts';
import { ledgerChecksum } from '../data/ledger-checksum.ts';
import { multiplyLedger } from '../data/multiplied-ledger.ts';
import { quietChain } from '../data/quiet-chain.ts';
import { blockAt, SALES_A_BLOCK, type SaleHistory, SETUP_BLOCK } from '../data/sale-history.ts';
import { cloneDatabase, indexHistory, release } from '../data/settle-database.ts';
import { cpuMsOf } from '../harness/cpu.ts';
import { spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { benchDeps } from '../reads/deps.ts';

/** Sizes of a run. */
export interface PartitionsOptions {
  readonly sales: number;
  readonly partitions: number;
}

const CAMPAIGNS = 10;
/** Sales that settlement writes; the others are copies of them. */
const SETTLED = 10_000;
/** Sales that are settled in each round, in batches as a worker's. */
const STEP = 2_000;
const BATCH = 2_000;
/** Requests of each read in each round. */
const REQUESTS = 100;

/** One of the two databases. */
interface Layout {
  readonly name: 'unpartitioned' | 'partitioned';
  readonly url: string;
  /** Settles; one connection, whose processor time is measured. */
  readonly settling: Pool;
  /** Reads as the API does; one connection. */
  readonly reading: Pool;
}

/** Measurements of one layout by what was measured, one of each round. */
type Measurements = Map<string, number[]>;

/** Compares a ledger in plain tables with the same one in partitioned tables. */
export function partitionsSuite({ sales, partitions }: PartitionsOptions): Suite {
  return {
    name: 'partitions',
    about: `${sales} sales in ${partitions} partitions against plain tables: settling, reads, vacuum, disk and log`,
    run: (bench) => {
      const wanted = bench.quick ? SETTLED * 2 : sales;
      return run(bench, { sales: wanted, partitions });
    },
  };
}

async function run(bench: Bench, { sales, partitions }: PartitionsOptions): Promise<Result[]> {
  const { postgresUrl, rounds, log } = bench;
  const history: SaleHistory = {
    sales: SETTLED + rounds * STEP,
    campaigns: CAMPAIGNS,
    depth: 5,
    life: 'recorded',
  };
  const { name } = await indexHistory(postgresUrl, 'bench_partitions', history);
  const plainUrl = urlOf(postgresUrl, name);
  const cookie = await makeLedger(plainUrl, sales, log);
  const partitionedUrl = await cloneDatabase(postgresUrl, name, `${name}_hash`);
  await convert(partitionedUrl, partitions, log);
  const layouts = [open('unpartitioned', plainUrl), open('partitioned', partitionedUrl)];
  try {
    const measurements = new Map(
      layouts.map((layout): [string, Measurements] => [layout.name, new Map()]),
    );
    const checksums: string[] = [];
    // The first round warms caches and plans, and is not counted.
    for (let round = 0; round < rounds; round += 1) {
      for (const layout of round % 2 === 0 ? layouts : layouts.toReversed()) {
        const end = SETTLED + (round + 1) * STEP;
        const measured = await measure(layout, end, { cookie, log });
        if (round === 0) continue;
        const own = measurements.get(layout.name);
        for (const [what, value] of measured) own?.set(what, [...(own.get(what) ?? []), value]);
      }
    }
    for (const layout of layouts) {
      checksums.push(await ledgerChecksum(layout.settling));
      for (const [what, value] of await sizes(layout.settling)) {
        measurements.get(layout.name)?.set(what, [value]);
      }
      log(`${layout.name}: ${await bytesPerSale(layout.settling)}`);
    }
    if (checksums[0] !== checksums[1]) throw new Error('the two ledgers differ');
    return resultsOf(measurements, sales, checksums[0] ?? null);
  } finally {
    for (const { settling, reading } of layouts) {
      await Promise.all([settling.end(), reading.end()]);
    }
    await dropDatabase(postgresUrl, name);
    await dropDatabase(postgresUrl, `${name}_hash`);
  }
}

/** Settles the first sales, and copies them until there are enough. @returns the cookie of an account that earns. */
async function makeLedger(url: string, sales: number, log: Bench['log']): Promise<string> {
  const pool = openPool(url, { max: 2 });
  try {
    const deps = benchDeps();
    await claimDeployment(pool, deps.deployment);
    await settleTo(pool, SETTLED);
    await multiplyLedger(pool, { campaigns: CAMPAIGNS, times: Math.round(sales / SETTLED) });
    await pool`vacuum (analyze)`;
    await showAll(pool);
    const found = await auditLedger(pool);
    if (found.length > 0) throw new Error(`the audit finds ${found.length} violations`);
    log(`${sales} sales made, and audited`);
    const [earner] = await pool<{ account: `0x${string}` }[]>`
      select account from ledger.account_sum
      where campaign_id = 1 order by direct + network desc, account limit 1`;
    if (earner === undefined) throw new Error('no account earns');
    const session = await signedIn(
      { pool, clock: Date.now, allowedOrigins: deps.allowedOrigins },
      earner.account,
    );
    return session.reading.cookie;
  } finally {
    await pool.end();
  }
}

async function convert(url: string, partitions: number, log: Bench['log']): Promise<void> {
  const pool = openPool(url, { max: 1 });
  try {
    const before = await walBytes(pool);
    const started = performance.now();
    await partitionTables(pool, { tables: partitionableTables, partitions });
    const seconds = (performance.now() - started) / 1_000;
    const gib = ((await walBytes(pool)) - before) / 2 ** 30;
    log(`converted in ${seconds.toFixed(0)} s, ${gib.toFixed(2)} GiB of log`);
    await pool`vacuum (analyze)`;
    await pool`checkpoint`;
  } finally {
    await pool.end();
  }
}

function open(name: Layout['name'], url: string): Layout {
  return {
    ...{ name, url },
    settling: openPool(url, { max: 1 }),
    reading: openPool(url, { max: 1, settings: readSettings }),
  };
}

/** Settles the next sales, reads, and vacuums. */
async function measure(
  layout: Layout,
  end: number,
  { cookie, log }: { readonly cookie: string; readonly log: Bench['log'] },
): Promise<Map<string, number>> {
  const { settling, reading } = layout;
  const measured = new Map<string, number>();
  const logBefore = await walBytes(settling);
  const cpu = await cpuOf(settling, () => settleTo(settling, end));
  measured.set('PostgreSQL’s CPU for a sale settled, in ms', cpu / STEP);
  const written = (await walBytes(settling)) - logBefore;
  measured.set('log for a sale settled, in KiB', written / STEP / 1_024);
  await showAll(settling);

  const app = createApp({ ...benchDeps(), pool: reading });
  for (const [what, paths] of Object.entries(reads)) {
    const request = async (path: string) => {
      const response = await app.request(path, { headers: { cookie } });
      await response.arrayBuffer();
      return response.status;
    };
    const refused = (await inTurn(paths, request)).find((status) => status !== 200);
    if (refused !== undefined) {
      log(`${layout.name}: ${what}: not measured, the response is ${refused}`);
      continue;
    }
    const cpuMs = await cpuOf(reading, async () => {
      for (let i = 0; i < REQUESTS; i += 1) await request(paths[i % paths.length] ?? '');
    });
    measured.set(`PostgreSQL’s CPU for ${what}, in ms`, cpuMs / REQUESTS);
  }
  const vacuum = await cpuOf(settling, async () => {
    for (const table of partitionableTables) await settling.unsafe(`vacuum ledger.${table}`);
  });
  measured.set('PostgreSQL’s CPU for vacuum of all tables, in ms', vacuum);
  return measured;
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

const CHAIN = 31_337;
const SALES = Array.from({ length: 20 }, (_, i) => 1 + i * 97);

/** Paths of reads, by what they look rows up by. */
const reads: Readonly<Record<string, readonly string[]>> = {
  'a receipt, by the number of the sale alone': SALES.map((id) => `/v1/receipts/${CHAIN}/${id}`),
  'entries of one campaign': [1, 2, 3].map((id) => `/v1/campaigns/${id}/entries`),
  'the newest receipts': ['/v1/receipts'],
  'campaigns.list': ['/v1/campaigns?limit=20'],
  'earnings.summary of an account': ['/v1/me/earnings'],
  'sales that an account earns by': ['/v1/me/earnings/conversions'],
};

/** Processor time of the only connection of a pool while work runs on it, in milliseconds. */
async function cpuOf(pool: Pool, work: () => Promise<void>): Promise<number> {
  const [row] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const roots = [row?.pid ?? 0];
  const before = await cpuMsOf(roots);
  await work();
  const after = await cpuMsOf(roots);
  if (before === null || after === null) throw new Error('processor time needs Linux');
  return after - before;
}

async function walBytes(pool: Pool): Promise<number> {
  const [row] = await pool<{ bytes: string }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`;
  return Number(row?.bytes ?? 0);
}

/** Settles all sales up to one, in this process. */
async function settleTo(pool: Pool, sales: number): Promise<void> {
  const head = SETUP_BLOCK + sales / SALES_A_BLOCK;
  await release(pool, head);
  const ids = Array.from({ length: CAMPAIGNS }, (_, i) => String(i + 1));
  const options = {
    ...{ pool, chain: quietChain(head), keccak256: await openKeccak() },
    batchSize: BATCH,
  };
  for (;;) {
    const settled = await settleCampaigns(options, ids);
    if (settled.some(({ outcome }) => outcome !== 'folded' && outcome !== 'idle')) {
      throw new Error(settled.map(({ outcome }) => outcome).join(', '));
    }
    if (settled.every(({ outcome }) => outcome === 'idle')) return;
  }
}

/** Campaigns whose clocks are moved in one statement. */
const MOVED = 100;

/** Lets reads see everything that is settled, with the clocks of all campaigns at that time, as workers leave them. */
async function showAll(pool: Pool): Promise<void> {
  const [row] = await pool<{ number: number }[]>`
    select max(block_number)::int as number from ledger.cursor`;
  const { number, hash, timestamp } = blockAt(row?.number ?? 0);
  await pool`
    update ledger.head set indexer_ready = true, chain_number = ${number}, indexed_number = ${number},
      settled_number = ${number}, settled_hash = ${hash}, settled_timestamp = ${timestamp}`;
  const due = await pool<{ id: string; clock: number }[]>`
    select campaign_id as id, clock::int as clock from ledger.cursor where clock_next <= ${timestamp}`;
  for (let at = 0; at < due.length; at += MOVED) {
    const group = due.slice(at, at + MOVED);
    await moveClocks(
      pool,
      group.map(({ id, clock }) => ({ campaignId: id, from: clock, to: timestamp })),
    );
    await scheduleClocks(
      pool,
      group.map(({ id }) => id),
    );
  }
}

/** Bytes of all indexes and tables, in MiB. */
async function sizes(pool: Pool): Promise<Map<string, number>> {
  const [row] = await pool<{ tables: string; indexes: string }[]>`
    select sum(pg_table_size(oid)) as tables, sum(pg_indexes_size(oid)) as indexes
    from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('ledger', 'ledger_partitions')`;
  return new Map([
    ['tables, in MiB', Number(row?.tables) / 2 ** 20],
    ['indexes, in MiB', Number(row?.indexes) / 2 ** 20],
  ]);
}

/** Bytes of each table and of its indexes, for a sale. */
async function bytesPerSale(pool: Pool): Promise<string> {
  const rows = await pool<{ name: string; heap: string; indexes: string }[]>`
    select regexp_replace(relname, '_[0-9]+_[0-9]+$', '') as name,
      round(sum(pg_table_size(oid)) / (select count(*) from ledger.sale)) as heap,
      round(sum(pg_indexes_size(oid)) / (select count(*) from ledger.sale)) as indexes
    from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('ledger', 'ledger_partitions')
    group by 1 order by sum(pg_total_relation_size(oid)) desc limit 14`;
  return rows.map(({ name, heap, indexes }) => `${name} ${heap}+${indexes}`).join(', ');
}

function resultsOf(
  measurements: ReadonlyMap<string, Measurements>,
  sales: number,
  checksum: string | null,
): Result[] {
  const plain = measurements.get('unpartitioned') ?? new Map<string, number[]>();
  return [...(measurements.get('partitioned') ?? [])].flatMap(([what, values]): Result[] => {
    const plainValues = plain.get(what);
    if (plainValues === undefined) return [];
    const [ours, ceiling] = [spreadOf(values), spreadOf(plainValues)];
    const unit = (['MiB', 'KiB'] as const).find((one) => what.endsWith(one)) ?? 'ms';
    const result: Result = {
      workload: `${what}, ${sales.toLocaleString('en')} sales`,
      ...{ unit, ours, checksum },
      ceiling: { name: 'unpartitioned', figure: ceiling },
      ratio: ratioOf(unit, ours, ceiling),
      aim: null,
    };
    return [result];
  });
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
