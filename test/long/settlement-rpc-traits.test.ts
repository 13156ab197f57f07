import postgres from 'postgres';
import type { Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { announcerProblem } from '../../engine/chain/announcer.ts';
import { rpcClient } from '../../engine/chain/client.ts';
import { chainFromRpc } from '../../engine/chain/rpc-chain.ts';
import { type Heads, readHeads } from '../../engine/db/heads.ts';
import { ChainWatch } from '../../engine/settlement/chain-watch.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { makeBundle } from '../../engine/verify/bundle/make/index.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { selectors } from '../../src/history/decode.ts';
import { loadHistory } from '../../src/history/load.ts';
import { join } from '../support/actions.ts';
import { accountAt, chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { IndexerTable } from '../support/indexer-table.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { type TraitName, traitForms } from '../support/rpc-traits/index.ts';
import { startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { rangeOf } from '../support/rpc-traits/trait.ts';
import { CREDENTIALS } from '../support/rpc-traits/transport.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { PushedJobs, settleJob } from '../support/settle-jobs.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

const CHAIN_ID = 8_453;
/** Blocks without events between the old and the new ones: more than one request for logs has. */
const EMPTY_BLOCKS = 2_400;
/** Blocks behind the newest that are final to the indexer. */
const INDEXER_DEPTH = 30;
const TIMEOUT_MS = 1_000;
/** Blocks of the first request for logs. */
const FIRST_BLOCKS = 32;

let chain: TestChain;
let rpc: TraitRpc;
let database: TestDatabase;
let fixture: SettleFixture;
let head: { readonly number: number; readonly timestamp: number };
let finalized: number;
let whole: Awaited<ReturnType<typeof dumpLedger>>;
/** Milliseconds of the watch's clock. */
let now = 0;

beforeAll(async () => {
  [chain, database] = await Promise.all([
    startTestChain({ chainId: CHAIN_ID }),
    createTestDatabase(),
  ]);
  const traffic = await Traffic.start(chain, 21, 2);
  await traffic.play(18);
  await joinTwiceInABlock(traffic);
  await chain.client.mine({ blocks: EMPTY_BLOCKS });
  await traffic.play(14);
  await joinTwiceInABlock(traffic);
  const { number, timestamp } = await chain.client.getBlock();
  head = { number: Number(number), timestamp: Number(timestamp) };
  finalized = Number((await chain.client.getBlock({ blockTag: 'finalized' })).number);
  rpc = await startTraitRpc(chain.anvil.url);
  fixture = await SettleFixture.open(database.url);
  await fixture.pool`create table public.first_head as select * from ledger.head`;
  await load(chain.anvil.url, fixture.table.schema);
  const final = { number: head.number - INDEXER_DEPTH, timestamp: head.timestamp };
  await fixture.table.setHead(head, final);
  expect((await settle(chain.anvil.url, 20)).settled).toBe(head.number);
  whole = await dumpLedger(fixture.pool);
});

afterAll(async () => {
  await fixture?.pool.end();
  await rpc?.stop();
  await database?.drop();
  await chain?.stop();
});

beforeEach(async () => {
  rpc.behaviours = [];
  rpc.calls.length = 0;
  rpc.requests = 0;
  const { pool } = fixture;
  const tables = await pool<{ name: string }[]>`
    select tablename as name from pg_tables
    where schemaname = 'ledger' and tablename not in ('head', 'deployment')`;
  await pool`truncate ${pool.unsafe(tables.map(({ name }) => `ledger.${name}`).join(', '))} cascade`;
  await pool`delete from ledger.head`;
  await pool`insert into ledger.head select * from public.first_head`;
});

/** Two transactions with events in one block. */
async function joinTwiceInABlock(traffic: Traffic): Promise<void> {
  const [campaign = 1n] = traffic.campaignIds;
  await chain.client.setAutomine(false);
  const joins = [6, 7].map((i) => join(chain, campaign, accountAt(chain.accounts, i)));
  const both = async () => (await chain.client.getTxpoolStatus()).pending === 2 || undefined;
  await waitFor(both, { what: 'two transactions' });
  await chain.client.mine({ blocks: 1 });
  await Promise.all(joins);
  await chain.client.setAutomine(true);
}

/** Loads the history as the indexer does, until nothing is missing. */
async function load(url: string, schema: string): Promise<void> {
  await loadHistory({
    connect: () => postgres(database.url, { max: 1, onnotice: () => {} }),
    ...{ schema, rpcUrls: [url], requestsPerSecond: 0, timeoutMs: TIMEOUT_MS },
    ...{ chainId: CHAIN_ID, chainName: 'chain', indexedBlock: null, onProgress: () => {} },
    contractAddress: chain.contract.toLowerCase() as Hex,
    ...{ startBlock: Number(chain.startBlock), finalizedBlock: head.number },
  });
}

function chainAt(url: string) {
  const limits = { eventSelectors: selectors, timeoutMs: TIMEOUT_MS };
  return chainFromRpc({ ...chainEnv(chain, [url]), ...limits });
}

interface Settled {
  /** Height of the settled block; -1 if there is none. */
  readonly settled: number;
  readonly heads: Heads | undefined;
  /** The errors that an alarm shows. */
  readonly errors: readonly string[];
}

/** Ticks until everything is settled, or as often as allowed; between two ticks, each pause passes. */
async function settle(url: string, maxTicks: number): Promise<Settled> {
  const { pool } = fixture;
  const asked = chainAt(url);
  const watch = new ChainWatch(asked.restMs, () => now);
  for (let ticks = 1; ; ticks += 1) {
    now += 400_000;
    const queue = new PushedJobs();
    await feed({ pool, chain: asked, queue, watch, onChainError: () => {} });
    for (const job of queue.jobs) {
      await settleJob({ pool, chain: asked, keccak256: keccak, batchSize: 1_000 }, job);
    }
    const heads = await readHeads(pool);
    const settled = heads?.settled?.number ?? -1;
    const isDone = settled === head.number && queue.jobs.length === 0;
    if (!isDone && ticks < maxTicks) continue;
    const rows = await pool<{ message: string }[]>`select message from ledger.feeder_error`;
    return { settled, heads, errors: rows.map(({ message }) => message) };
  }
}

const urlOf = (name: TraitName) =>
  name === 'credentials'
    ? rpc.url.replace('//', `//${CREDENTIALS.username}:${CREDENTIALS.password}@`)
    : rpc.url;

/** The verdict on a sale, and whether a bundle can be made, by an RPC. */
async function verdicts(url: string) {
  const client = rpcClient([url], { timeoutMs: TIMEOUT_MS });
  const about = { client, contractAddress: chain.contract, saleId: '1' };
  const fromBlock = chain.startBlock;
  const [{ verdict }, bundle] = await Promise.all([
    verifySale({ ...about, fromBlock }),
    makeBundle(about).then(
      () => 'made',
      (error: Error) => error.name,
    ),
  ]);
  return { verdict, bundle };
}

/** Traits whose forms differ by the words of providers, all of which `rpc-refusal.test.ts` reads: a fourth is played. */
const WORDED: ReadonlySet<TraitName> = new Set([
  ...(['rangeLimit', 'resultLimit', 'rateByError'] as const),
]);

const cases = traitForms
  .filter(({ name }, i) => !WORDED.has(name) || i % 4 === 0)
  .map(({ name, form, trait, begin }) => ({
    ...{ name, form, trait, begin },
    does: `${trait.does} (${form})`,
  }));

describe('settlement over an RPC', () => {
  it.each(cases.filter(({ trait }) => trait.settles))(
    'settles everything if it $does',
    async ({ name, begin }) => {
      rpc.behaviours = [begin()];
      const { settled, heads, errors } = await settle(urlOf(name), 100);
      expect({ settled, errors }).toEqual({ settled: head.number, errors });
      expect(heads?.finalizedNumber ?? -1).toBeLessThanOrEqual(head.number - INDEXER_DEPTH);
      expect(differences(whole, await dumpLedger(fixture.pool))).toEqual([]);
    },
  );

  it.each(cases.filter(({ trait }) => !trait.settles))(
    'waits, says why, and loses nothing if it $does',
    async ({ name, trait, begin }) => {
      rpc.behaviours = [begin()];
      const { settled, heads, errors } = await settle(urlOf(name), 5);
      expect(settled).toBeLessThan(head.number);
      expect(errors).toEqual([expect.stringMatching(trait.says ?? /./)]);
      expect(heads?.finalizedNumber ?? -1).toBeLessThanOrEqual(finalized);
      rpc.behaviours = [];
      expect((await settle(rpc.url, 20)).settled).toBe(head.number);
      expect(differences(whole, await dumpLedger(fixture.pool))).toEqual([]);
    },
  );
});

/** Traits that give logs other numbers, and so other ids. */
const RENUMBERING: ReadonlySet<TraitName> = new Set([
  'logIndexPerTransaction',
  'transactionIndexOff',
]);
/** Traits of which only the comparison with receipts finds out what is missing, or of another fork. */
const UNNOTICED: ReadonlySet<TraitName> = new Set([
  ...(['emptyLogs', 'oldHistoryAway', 'oldLogsAway', 'deadFork'] as const),
]);

describe('the load of finalized history from an RPC', () => {
  /** Rows by what an RPC cannot number otherwise, and their locations. */
  async function rowsOf(schema: string) {
    const { pool } = fixture;
    const rows = await pool<{ id: string; fact: string }[]>`
      select concat_ws(' ', block_number, block_timestamp, transaction_index, log_index) as id,
        concat_ws(' ', campaign_id, block_hash, transaction_hash, name, args::text) as fact
      from ${pool(schema)}.chain_event order by block_number, log_index`;
    return { ids: rows.map(({ id }) => id), facts: rows.map(({ fact }) => fact) };
  }

  /** Loads as the indexer does, which tries again. @returns true if it came to the end. */
  async function loads(url: string, attempts: number): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const isLoaded = await load(url, 'loaded').then(
        () => true,
        () => false,
      );
      if (isLoaded) return true;
    }
    return false;
  }

  beforeAll(async () => {
    await new IndexerTable(fixture.pool, 'loaded').create();
  });

  it.each(cases)('stores no false row if it $does', async ({ name, trait, begin }) => {
    const { pool } = fixture;
    await pool`truncate loaded.chain_event`;
    await pool`drop table if exists loaded.loaded_history`;
    rpc.behaviours = [begin()];
    const isLoaded = await loads(urlOf(name), trait.settles ? 12 : 2);
    const [whole, loaded] = await Promise.all([rowsOf(fixture.table.schema), rowsOf('loaded')]);
    if (trait.settles) expect(isLoaded).toBe(true);
    const isWhole = isLoaded && !UNNOTICED.has(name);
    if (isWhole) expect(loaded.facts.toSorted()).toEqual(whole.facts.toSorted());
    if (!RENUMBERING.has(name)) {
      expect(loaded.ids.filter((id) => !whole.ids.includes(id))).toEqual([]);
    }
  });
});

describe('verification and bundles over an RPC', () => {
  it.each(cases)('concludes nothing false if it $does', async ({ name, begin }) => {
    rpc.behaviours = [begin()];
    const { verdict, bundle } = await verdicts(urlOf(name));
    expect(['pass', 'unavailable']).toContain(verdict);
    // A header with another bloom is not the one that its hash is of.
    const hasOtherHeaders = name === 'zeroBlooms' || name === 'fullBlooms';
    const impossible = hasOtherHeaders ? ['BundleImpossibleError'] : [];
    expect(['made', 'BundleUnavailableError', ...impossible]).toContain(bundle);
  });
});

describe('settlement after a limit of the rate', () => {
  const limited = cases.filter(({ trait }) => /limits how much/.test(String(trait.says)));

  it.each(limited)('asks less and less of an RPC if it $does', async ({ begin }) => {
    rpc.behaviours = [begin()];
    const { pool } = fixture;
    const asked = chainAt(rpc.url);
    const watch = new ChainWatch(asked.restMs, () => now);
    const perMinute: number[] = [];
    for (let minute = 0; minute < 10; minute += 1) {
      const before = rpc.calls.length;
      for (let tick = 0; tick < 12; tick += 1, now += 5_000) {
        const queue = new PushedJobs();
        await feed({ pool, chain: asked, queue, watch, onChainError: () => {} });
      }
      perMinute.push(rpc.calls.length - before);
    }
    // The newest block and two tags, in the end once a minute at most.
    expect(Math.max(...perMinute.slice(5))).toBeLessThanOrEqual(3);
    expect(Math.max(...perMinute)).toBe(perMinute[0]);
    expect(rpc.calls.filter(({ method }) => method === 'eth_getLogs')).toEqual([]);
  });

  it.each(limited)('asks for ranges as before after an RPC that $does', async ({ begin }) => {
    const behaviour = begin();
    rpc.behaviours = [
      {
        http: (calls, authorization) =>
          calls.some(rangeOf) ? behaviour.http?.(calls, authorization) : undefined,
        answer: async (request, ask) =>
          rangeOf(request) && behaviour.answer
            ? await behaviour.answer(request, ask)
            : await ask(request),
      },
    ];
    const asked = chainAt(rpc.url);
    await expect(asked.logsOf(1, head.number)).rejects.toThrow();
    const refused = rpc.calls.flatMap((call) => rangeOf(call) ?? []);
    expect(refused.map(({ blocks }) => blocks)).toEqual([FIRST_BLOCKS]);
    rpc.behaviours = [];
    await asked.logsOf(1, head.number);
    const ranges = rpc.calls.flatMap((call) => rangeOf(call) ?? []).slice(1);
    expect(ranges[0]?.blocks).toBe(FIRST_BLOCKS);
  });
});

it('says that the indexer polls if an RPC refuses a WebSocket', async () => {
  const url = rpc.url.replace('http:', 'ws:');
  const env = chainEnv(chain);
  expect(await announcerProblem(url, env)).toMatch(
    /^RPC_WS_URL is left out, so that the indexer polls/,
  );
});
