import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { openPool, type Pool, type Sql } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { analyzePartitionedTables } from '../../engine/db/partition/analyze.ts';
import { cancelConversion, partitionTables } from '../../engine/db/partition/convert.ts';
import { partitionableTables } from '../../engine/db/tables/ledger.ts';
import { moveClocks } from '../../engine/db/write/clock.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { runHere } from '../support/run-cli.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const PARTITIONS = 8;

const fixtures = new SettleFixtures();
let fixture: SettleFixture;
let pool: Pool;

beforeEach(async () => {
  fixture = await fixtures.open();
  ({ pool } = fixture);
});
afterEach(() => fixtures.close());

async function partition(): Promise<void> {
  await partitionTables(pool, { tables: partitionableTables, partitions: PARTITIONS });
}

/** Scans of each partition and its indexes so far, by the remainder of its campaigns' hash. */
async function scansByPartition(sql: Sql): Promise<Map<number, number>> {
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ remainder: number; scans: number }[]>`
    select substring(relname from '[0-9]+$')::int as remainder,
      sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int as scans
    from pg_stat_user_tables where schemaname = 'ledger_partitions' group by 1 order by 1`;
  return new Map(rows.map(({ remainder, scans }) => [remainder, scans]));
}

/** Ends all other sessions: each adds what it counted to the statistics when it ends, at the latest. */
async function endOtherSessions(sql: Sql): Promise<void> {
  await waitFor(
    async () => {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'`;
      return rows.length === 0;
    },
    { what: 'the other sessions to end' },
  );
}

describe('settlement on partitioned tables', () => {
  it.each([91, 92])(
    'gives the ledger of plain tables for random histories, also after a rollback and a replay (seed %i)',
    async (seed) => {
      await partition();
      const facts = randomHistory({ seed, steps: 200, campaigns: 5 });
      const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
      const fork = blocks.at(-20) ?? 0;
      const later = facts
        .filter(({ blockNumber, campaignId }) => blockNumber < fork || campaignId !== '2')
        .map((fact) =>
          fact.blockNumber < fork
            ? fact
            : { ...fact, blockHash: hash(`other ${fact.blockNumber}`) },
        );
      await fixture.index(facts);
      await fixture.settle(40);
      await fixture.index(later);
      await fixture.settle(40);
      const replayed = await replay({
        ...{ pool, keccak256: keccak, fromBlock: 0, shadow: true, batchSize: 50 },
        onProgress: () => {},
      });
      expect(replayed.campaigns.map(({ outcome }) => outcome)).toEqual(Array(5).fill('equal'));
      expect(await auditLedger(pool)).toEqual([]);

      const plain = await fixtures.open();
      await plain.index(later);
      await plain.settle();
      expect(differences(await dumpLedger(pool), await dumpLedger(plain.pool))).toEqual([]);
    },
  );

  it('reads and writes only the partition of the campaign that it settles', async () => {
    await partition();
    const facts = randomHistory({ seed: 81, steps: 150, campaigns: 3 });
    await fixture.index(facts);
    await fixture.tick();
    const [{ own } = { own: -1 }] = await pool<{ own: number }[]>`
      select remainder as own from generate_series(0, ${PARTITIONS - 1}) remainder
      where satisfies_hash_partition('ledger.sale'::regclass, ${PARTITIONS}, remainder, 2::bigint)`;
    const session = openPool(fixtures.urlOf(fixture), { max: 1 });
    await endOtherSessions(session);
    const before = await scansByPartition(session);
    const options = { pool: session, chain: fixture.chain, keccak256: keccak, batchSize: 20 };
    for (let i = 0; i < 20; i += 1) await settleCampaigns(options, ['2']);
    await moveClocks(session, [{ campaignId: '2', from: 0, to: 2_000_000_000 }]);
    const after = await scansByPartition(session);
    await session.end();
    const touched = [...after].filter(([remainder, scans]) => scans > (before.get(remainder) ?? 0));
    expect(touched.map(([remainder]) => remainder)).toEqual([own]);
    const [settled] = await pool`select seq from ledger.cursor where campaign_id = 2`;
    expect(Number(settled?.seq)).toBe(facts.filter(({ campaignId }) => campaignId === '2').length);
  });
});

describe('analyzePartitionedTables', () => {
  it('collects the statistics of the tables as a whole, which autovacuum does not do', async () => {
    await partition();
    await fixture.index(randomHistory({ seed: 84, steps: 40, campaigns: 2 }));
    await fixture.settle();
    const columns = async () => {
      const rows = await pool`
        select attname from pg_stats
        where schemaname = 'ledger' and tablename = 'sale' and inherited`;
      return rows.length;
    };
    expect(await columns()).toBe(0);
    await analyzePartitionedTables(pool);
    expect(await columns()).toBeGreaterThan(10);
  });
});

describe('migrating a database with partitioned tables', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-migrations-'));
    await fixture.index(randomHistory({ seed: 82, steps: 40, campaigns: 2 }));
    await fixture.settle();
    await pool`delete from public.tributary_migration`;
  });
  afterEach(() => rm(folder, { recursive: true }));

  const options = () => ({ folder: pathToFileURL(`${folder}/`) });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const INDEX = `-- online
    -- Two indexes.
    create index concurrently if not exists sale_amount on ledger.sale (amount, campaign_id)
      where amount > 5;
    create unique index concurrently if not exists sale_twice on ledger.sale (sale_id, campaign_id);`;

  async function indexes(): Promise<{ name: string; parts: number; valid: boolean }[]> {
    return await pool<{ name: string; parts: number; valid: boolean }[]>`
      select relname as name, indisvalid as valid,
        (select count(*)::int from pg_inherits where inhparent = i.indexrelid) as parts
      from pg_index i join pg_class on pg_class.oid = indexrelid
      where indrelid = 'ledger.sale'::regclass and relname in ('sale_amount', 'sale_twice')
      order by 1`;
  }
  const COMPLETE = ['sale_amount', 'sale_twice'].map((name) => ({
    name,
    parts: PARTITIONS,
    valid: true,
  }));

  it('builds an index of each partition online, and drops it', async () => {
    await partition();
    await write('0101_index.sql', INDEX);
    expect(await migrate(pool, options())).toEqual(['0101_index.sql']);
    expect(await indexes()).toEqual(COMPLETE);
    await write(
      '0102_drop.sql',
      '-- online\ndrop index concurrently if exists ledger.sale_amount;',
    );
    expect(await migrate(pool, options())).toEqual(['0102_drop.sql']);
    expect(await indexes()).toEqual(COMPLETE.slice(1));
  });

  it('completes what an interrupted migration left unfinished', async () => {
    await partition();
    await write('0101_index.sql', INDEX);
    // One partition has its index, which is not attached yet; that of another is not finished, and so not valid.
    const on = '(amount, campaign_id) where amount > 5';
    const parts = await pool<{ name: string }[]>`
      select distinct tableoid::regclass::text as name from ledger.sale order by 1`;
    const [one, other] = parts.map(({ name }) => name.replace('ledger_partitions.', ''));
    await pool.unsafe(`create index sale_amount on only ledger.sale ${on}`);
    await pool.unsafe(`create index ${one}_sale_amount on ledger_partitions.${one} ${on}`);
    const unfinished = `create unique index concurrently ${other}_sale_amount on ledger_partitions.${other} ((1))`;
    await expect(pool.unsafe(unfinished)).rejects.toThrow('could not create unique index');
    await migrate(pool, options());
    expect(await indexes()).toEqual(COMPLETE);
  });

  it('refuses to migrate while tables are being converted, and migrates after that was cancelled', async () => {
    const stop = new AbortController();
    const stopped = partitionTables(pool, {
      tables: ['sale'],
      ...{ partitions: PARTITIONS, batchRows: 5, signal: stop.signal },
      onProgress: ({ copied }) => copied > 0 && stop.abort(),
    });
    await expect(stopped).rejects.toThrow('aborted');
    await write('0101_x.sql', '-- locks: ledger.sale\nalter table ledger.sale add column x int;');
    await expect(migrate(pool, options())).rejects.toThrow('Tables are being partitioned: finish');
    await cancelConversion(pool);
    expect(await migrate(pool, options())).toEqual(['0101_x.sql']);
    await partition();
    const [row] = await pool`select x from ledger.sale limit 1`;
    expect(row).toEqual({ x: null });
  });
});

describe('tributary partition', () => {
  const run = (...args: string[]) =>
    runHere(['partition', ...args], {
      DATABASE_URL: fixtures.urlOf(fixture),
      CHAIN_ID: '31337',
      RPC_URL: 'http://127.0.0.1:1',
      CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
      START_BLOCK: '0',
    });

  it('shows what it would do, does it, and undoes it', async () => {
    await fixture.index(randomHistory({ seed: 83, steps: 40, campaigns: 2 }));
    await fixture.settle();
    const planned = await run('--partitions', '4', '--table', 'sale', 'node', '--dry-run');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toContain('create table ledger_partitions.sale_4_3');
    expect(planned.stdout).toMatch(/Disk needed meanwhile: \d+ MB/);
    expect(await pool`select to_regnamespace('ledger_partitions')`).toEqual([
      { to_regnamespace: null },
    ]);
    const done = await run('--partitions', '4', '--table', 'sale', 'node', '--json');
    expect(JSON.parse(done.stdout)).toEqual({ converted: ['sale', 'node'], partitions: 4 });
    const shown = JSON.parse((await run('--json')).stdout) as {
      tables: { table: string; partitions: number }[];
    };
    const partitioned = shown.tables.filter(({ partitions }) => partitions === 4);
    expect(partitioned.map(({ table }) => table)).toEqual(['node', 'sale']);
    const undone = await run('--partitions', '1');
    expect(undone.stdout).toContain('ledger.node has no partitions.');
    expect((await run('--cancel')).stdout.trim()).toBe('No conversion is under way.');
  }, 180_000);

  it.each(['0', '129', 'x'])('refuses %s partitions', async (count) => {
    expect((await run('--partitions', count)).code).toBe(2);
  });
});
