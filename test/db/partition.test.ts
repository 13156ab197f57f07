import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { openPool, type Pool, type Sql } from '../../engine/db/connection.ts';
import { conversionUnderWay } from '../../engine/db/partition/conversion.ts';
import {
  cancelConversion,
  type PartitionOptions,
  type PartitionProgress,
  partitionTables,
} from '../../engine/db/partition/convert.ts';
import { sessionsOfOtherVersions } from '../../engine/db/sessions.ts';
import { partitionableTables } from '../../engine/db/tables/ledger.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { version } from '../../engine/version.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { hash, randomHistory, seeded } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { holdLocks, waitingSessions } from '../support/locks.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { tableCatalog } from '../support/table-catalog.ts';
import { waitFor } from '../support/wait-for.ts';

const CAMPAIGNS = 5;
const IDS = Array.from({ length: CAMPAIGNS }, (_, i) => String(i + 1));

const fixtures = new SettleFixtures();

afterEach(() => fixtures.close());

/** Converts tables, by default all, in small batches. */
function convert(pool: Pool, partitions: number, options: Partial<PartitionOptions> = {}) {
  return partitionTables(pool, {
    tables: partitionableTables,
    partitions,
    batchRows: 40,
    ...options,
  });
}

/** Number of partitions of each table that has some, and the schemas of a conversion. */
async function layoutOf(pool: Pool): Promise<{ partitions: number[]; schemas: string[] }> {
  const partitioned = await pool<{ partitions: number }[]>`
    select count(inhrelid)::int as partitions from pg_class
    left join pg_inherits on inhparent = pg_class.oid
    where relnamespace = 'ledger'::regnamespace and relkind = 'p' group by pg_class.oid`;
  const schemas = await pool<{ name: string }[]>`
    select nspname as name from pg_namespace where nspname like 'ledger\\_%' order by 1`;
  return {
    partitions: partitioned.map(({ partitions }) => partitions),
    schemas: schemas.map(({ name }) => name),
  };
}

const PARTITIONED = {
  partitions: partitionableTables.map(() => 4),
  schemas: ['ledger_partitions'],
};
const PLAIN = { partitions: [], schemas: [] };

/** The first part of a history, of whole blocks. */
function firstHalf(history: readonly Fact[]): Fact[] {
  const end = history[Math.floor(history.length / 2)]?.blockNumber ?? 0;
  return history.filter(({ blockNumber }) => blockNumber < end);
}

/** The history in another fork from a block on, without what happened in campaign 2. */
function forkOf(history: readonly Fact[], fork: number): Fact[] {
  return history.flatMap((fact): Fact[] => {
    if (fact.blockNumber < fork) return [fact];
    if (fact.campaignId === '2') return [];
    return [{ ...fact, blockHash: hash(`other ${fact.blockNumber}`) }];
  });
}

/** A transaction whose snapshot is older than all that follows: a conversion waits for its end. */
async function beginOlder(fixture: SettleFixture) {
  const reader = openPool(fixtures.urlOf(fixture), { max: 1, applicationName: 'an audit' });
  let sql: Sql = reader;
  const commit = await holdLocks(reader, async (transaction) => {
    sql = transaction;
    await sql`set transaction isolation level repeatable read, read only`;
    await sql`select 1 from ledger.head`;
  });
  const end = async () => {
    await commit();
    await reader.end();
  };
  return { sql, end };
}

/** Settles some campaigns in batches of random sizes, as several workers would, until it is stopped. */
async function settleUntil(
  fixture: SettleFixture,
  random: () => number,
  stopped: () => boolean,
  toIndex: (readonly Fact[])[],
): Promise<void> {
  const { pool, chain } = fixture;
  while (!stopped()) {
    const facts = toIndex.shift();
    if (facts !== undefined) await fixture.index(facts);
    await fixture.tick();
    const some = IDS.filter(() => random() < 0.6);
    const batchSize = 1 + Math.floor(random() * 30);
    await settleCampaigns({ pool, chain, keccak256: keccak, batchSize }, some);
    await setTimeout(1);
  }
}

/** The ledger that a fresh run over these facts has, without partitions. */
async function freshLedger(facts: readonly Fact[]) {
  const reference = await fixtures.open();
  await reference.index(facts);
  await reference.settle();
  return await dumpLedger(reference.pool);
}

describe('partitioning tables while they are in use', () => {
  it('loses and doubles nothing while campaigns are settled, rolled back and replayed', async () => {
    const random = seeded(7);
    const first = randomHistory({ seed: 71, steps: 260, campaigns: CAMPAIGNS });
    const blocks = [...new Set(first.map(({ blockNumber }) => blockNumber))];
    const second = forkOf(first, blocks.at(-30) ?? 0);
    const fixture = await fixtures.open();
    await fixture.index(firstHalf(first));
    await fixture.settle();

    let done = false;
    const steps: PartitionProgress[] = [];
    const converted = convert(fixture.pool, 4, {
      onProgress: (progress) => steps.push(progress),
    }).finally(() => {
      done = true;
    });
    const replays = async () => {
      while (!done) {
        const options = { fromBlock: 0, shadow: random() < 0.5, batchSize: 50 };
        await replay({
          ...{ pool: fixture.pool, keccak256: keccak, onProgress: () => {} },
          ...options,
          campaignId: '3',
        });
        await setTimeout(20);
      }
    };
    const toIndex: Fact[][] = [];
    const settling = settleUntil(fixture, random, () => done, toIndex);
    const replaying = replays();
    await waitFor(() => steps.some(({ table }) => table === 'entry'), {
      what: 'the table entry',
      timeout: 60_000,
    });
    toIndex.push(first);
    await waitFor(() => steps.some(({ table }) => table === 'node'), {
      what: 'the table node',
      timeout: 60_000,
    });
    toIndex.push(second);
    expect(await converted).toEqual([...partitionableTables]);
    await Promise.all([settling, replaying]);
    expect(toIndex).toEqual([]);
    await fixture.settle();

    expect(await layoutOf(fixture.pool)).toEqual(PARTITIONED);
    expect(differences(await dumpLedger(fixture.pool), await freshLedger(second))).toEqual([]);
    expect(await auditLedger(fixture.pool)).toEqual([]);
  });

  it('continues after its connection was cut at any moment, and is undone at any moment', async () => {
    const random = seeded(11);
    const facts = randomHistory({ seed: 72, steps: 200, campaigns: CAMPAIGNS });
    const fixture = await fixtures.open();
    const url = fixtures.urlOf(fixture);
    await fixture.index(firstHalf(facts));
    await fixture.settle();
    const tables = ['entry', 'sale'] as const;
    const catalogs = () => Promise.all(tables.map((name) => tableCatalog(fixture.pool, name)));
    const before = await catalogs();

    let done = false;
    const settling = settleUntil(fixture, random, () => done, [facts]);
    let cut = 0;
    for (const partitions of [4, 1, 4]) {
      for (;;) {
        const own = openPool(url, { max: 1, applicationName: 'converting' });
        let left = 1 + Math.floor(random() * 6);
        const interrupt = () => {
          left -= 1;
          if (left !== 0) return;
          cut += 1;
          // Terminated by the server, as by a crash of the machine that runs the command.
          fixture.pool`
            select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'converting' and datname = current_database()`.execute();
        };
        const ended = await convert(own, partitions, { tables, onProgress: interrupt }).then(
          () => true,
          () => false,
        );
        await own.end({ timeout: 0 });
        if (ended) break;
        if (random() < 0.2) await cancelConversion(fixture.pool);
      }
      expect((await layoutOf(fixture.pool)).partitions).toEqual(partitions === 1 ? [] : [4, 4]);
      if (partitions === 1) expect(await catalogs()).toEqual(before);
    }
    done = true;
    await settling;
    await fixture.settle();
    expect(cut).toBeGreaterThan(5);
    expect(differences(await dumpLedger(fixture.pool), await freshLedger(facts))).toEqual([]);
  });

  it.each(['before it begins', 'before it ends'])(
    'refuses to convert if a worker of another version connects %s',
    async (when) => {
      const fixture = await fixtures.open();
      const { pool } = fixture;
      await fixture.index(randomHistory({ seed: 75, steps: 60, campaigns: 2 }));
      await fixture.settle();
      const catalog = await tableCatalog(pool, 'sale');
      // As 0.1.0 named it.
      const old = openPool(fixtures.urlOf(fixture), {
        max: 1,
        applicationName: 'tributary worker',
      });
      const older = await beginOlder(fixture);
      const connect = async () => {
        await old`select 1`;
        await older.end();
      };
      let connected = when === 'before it begins' ? connect() : undefined;
      await connected;
      const refused = convert(pool, 4, {
        tables: ['sale'],
        onProgress: ({ step }) => {
          if (step === 'waiting') connected ??= connect();
        },
      });
      await expect(refused).rejects.toThrow(
        new RegExp(
          `^All programs must have version ${version}, but these sessions belong to another: tributary worker \\(process \\d+\\)\\.$`,
        ),
      );
      expect((await layoutOf(pool)).partitions).toEqual([]);
      await connected;
      await old.end();
      await waitFor(async () => (await sessionsOfOtherVersions(pool)).length === 0, {
        what: 'the end of the old session',
      });
      if (when === 'before it begins') expect(await conversionUnderWay(pool)).toBeUndefined();
      else expect(await cancelConversion(pool)).toBe('sale');
      expect(await tableCatalog(pool, 'sale')).toEqual(catalog);
      expect(await convert(pool, 4, { tables: ['sale'] })).toEqual(['sale']);
    },
  );

  it('leaves every table as it was if it is cancelled', async () => {
    const fixture = await fixtures.open();
    const { pool } = fixture;
    await fixture.index(randomHistory({ seed: 73, steps: 60, campaigns: 2 }));
    await fixture.settle();
    const [catalog, ledger] = [await tableCatalog(pool, 'sale'), await dumpLedger(pool)];
    const stop = new AbortController();
    const stopped = convert(pool, 4, {
      tables: ['sale'],
      batchRows: 5,
      signal: stop.signal,
      onProgress: ({ copied }) => copied >= 10 && stop.abort(),
    });
    await expect(stopped).rejects.toThrow('aborted');
    expect(await conversionUnderWay(pool)).toMatchObject({ table: 'sale', copied: 10 });
    await expect(pool`truncate ledger.sale`).rejects.toThrow('ledger.sale is being partitioned');
    await expect(convert(pool, 8)).rejects.toThrow(
      'ledger.sale is being converted to 4 partitions: finish that, or undo it with --cancel.',
    );
    expect(await cancelConversion(pool)).toBe('sale');
    expect(await cancelConversion(pool)).toBeUndefined();
    expect(await layoutOf(pool)).toEqual(PLAIN);
    expect(await tableCatalog(pool, 'sale')).toEqual(catalog);
    expect(differences(await dumpLedger(pool), ledger)).toEqual([]);
  });

  it('shows all rows to a transaction that is older than the copy, and lets others go on meanwhile', async () => {
    const fixture = await fixtures.open();
    const { pool } = fixture;
    await fixture.index(randomHistory({ seed: 74, steps: 80, campaigns: 2 }));
    await fixture.settle();
    const [{ rows } = { rows: 0 }] = await pool<{ rows: number }[]>`
      select count(*)::int as rows from ledger.sale`;
    const older = await beginOlder(fixture);
    const waits: string[] = [];
    const converted = convert(pool, 4, {
      tables: ['sale'],
      onProgress: ({ waitsFor }) => waitsFor !== undefined && waits.push(waitsFor),
    });
    await waitFor(() => waits.length > 0, { what: 'the conversion to wait' });
    await pool`update ledger.sale set amount = amount`;
    // Processes of the server itself may have a snapshot for a moment, and are named, too.
    expect(waits[0]).toMatch(/^older transactions of .*\ban audit \(process \d+\)/);
    expect(await older.sql`select count(*)::int as rows from ledger.sale`).toEqual([{ rows }]);
    await older.end();
    expect(await converted).toEqual(['sale']);
  });

  it('gives up a batch that waits for a writer that waits for it', async () => {
    const fixture = await fixtures.open();
    const { pool } = fixture;
    await fixture.index(randomHistory({ seed: 76, steps: 120, campaigns: 2 }));
    await fixture.settle();
    const stop = new AbortController();
    const first = convert(pool, 4, {
      tables: ['sale'],
      batchRows: 1,
      signal: stop.signal,
      onProgress: ({ copied }) => copied === 1 && stop.abort(),
    });
    await expect(first).rejects.toThrow('aborted');
    const [next, ...others] = await pool<{ campaign_id: string; sale_id: string }[]>`
      select campaign_id, sale_id from ledger.sale order by campaign_id, sale_id offset 1`;
    const touch = (sql: Sql, sale: typeof next) => sql`
      update ledger.sale set amount = amount
      where campaign_id = ${sale?.campaign_id ?? 0} and sale_id = ${sale?.sale_id ?? 0}`;
    let writer: Sql = pool;
    const commit = await holdLocks(pool, async (sql) => {
      writer = sql;
      await touch(writer, others.at(-1));
    });
    const copied: number[] = [];
    const converted = convert(pool, 4, {
      tables: ['sale'],
      batchRows: others.length + 1,
      onProgress: (progress) => progress.step === 'copying' && copied.push(progress.copied),
    });
    await waitFor(async () => (await waitingSessions(pool)) > 0, { what: 'the batch to wait' });
    await touch(writer, next);
    await commit();
    expect(await converted).toEqual(['sale']);
    // The batch of all rows gave up, and one of half of them went through.
    expect(copied[0]).toBe(1 + Math.ceil((others.length + 1) / 2));
  });

  it('gives up its place in the queue of a lock that others hold, and tries again', async () => {
    const fixture = await fixtures.open();
    const { pool } = fixture;
    await fixture.index(randomHistory({ seed: 75, steps: 40, campaigns: 2 }));
    await fixture.settle();
    const commit = await holdLocks(pool, (sql) => sql`update ledger.sale set amount = amount`);
    const waits: string[] = [];
    const converted = convert(pool, 4, {
      tables: ['sale'],
      onProgress: ({ step, waitsFor }) => waitsFor !== undefined && waits.push(step),
    });
    await waitFor(() => waits.length >= 2, { what: 'two tries' });
    expect(waits[0]).toBe('preparing');
    // A reader would wait behind a lock that is waited for: not for longer than one try.
    await pool.begin(async (sql) => {
      await sql`set local lock_timeout = '800ms'`;
      await sql`select count(*) from ledger.sale`;
    });
    await commit();
    expect(await converted).toEqual(['sale']);
  });

  it('keeps views, privileges, indexes and constraints', async () => {
    const fixture = await fixtures.open();
    const { pool } = fixture;
    await pool`create view public.of_an_operator as select campaign_id, amount from ledger.sale`;
    await pool`grant select on public.of_an_operator to pg_monitor`;
    await pool`grant select, update on ledger.sale to pg_monitor with grant option`;
    await pool`alter table ledger.sale set (fillfactor = 77)`;
    const before = await tableCatalog(pool, 'sale');
    const views = () => pool`
      select viewname, definition from pg_views where schemaname in ('ledger', 'public') order by 1`;
    const definitions = await views();
    await fixture.index(randomHistory({ seed: 76, steps: 60, campaigns: 2 }));
    await fixture.settle();
    await convert(pool, 3, { tables: ['sale'] });
    expect(await tableCatalog(pool, 'sale')).toEqual(before);
    expect(await views()).toEqual(definitions);
    const [counts] = await pool`
      select (select count(*) from public.of_an_operator) as view, count(*) as rows,
        has_table_privilege('pg_monitor', 'public.of_an_operator', 'select') as may from ledger.sale`;
    expect(counts).toMatchObject({ view: counts?.rows, may: true });
    const parts = await pool`
      select reloptions from pg_class
      where relnamespace = 'ledger_partitions'::regnamespace and relkind = 'r'`;
    expect(parts.map(({ reloptions }) => reloptions)).toEqual(
      [1, 2, 3].map(() => ['fillfactor=77']),
    );
  });

  it('answers every request while tables are replaced, and with the same rows', async () => {
    const api = await ApiFixture.open();
    try {
      await api.settle(randomHistory({ seed: 77, steps: 80, campaigns: 3 }));
      const app = api.app({ cacheMiB: 0 });
      const paths = [
        '/v1/receipts',
        '/v1/campaigns',
        '/v1/campaigns/2/entries',
        '/v1/campaigns/2/stats',
      ];
      const read = async () =>
        await Promise.all(
          paths.map(async (path) => {
            const response = await app.request(path);
            const { data } = (await response.json()) as { data: unknown };
            return { path, status: response.status, data };
          }),
        );
      const before = await read();
      expect(before.map(({ status }) => status)).toEqual(paths.map(() => 200));
      let done = false;
      let times = 0;
      const reading = (async () => {
        for (; !done; times += 1) {
          expect(await read()).toEqual(before);
          // Without a pause, reading takes longer than replacing.
          await setTimeout(25);
        }
      })();
      await convert(api.pool, 4);
      await convert(api.pool, 1);
      done = true;
      await reading;
      expect(times).toBeGreaterThan(10);
      expect(await layoutOf(api.pool)).toEqual(PLAIN);
    } finally {
      await api.close();
    }
  });

  it.each([
    [
      'create trigger own before insert on ledger.sale execute function suppress_redundant_updates_trigger()',
      'It has the trigger own.',
    ],
    [
      'alter table ledger.sale add constraint own foreign key (campaign_id) references ledger.campaign',
      'It has the foreign key own.',
    ],
    [
      'create materialized view public.own as select count(*) from ledger.sale',
      'The view own is materialized, or has options.',
    ],
    ['alter table ledger.sale enable row level security', 'It has row-level security.'],
    ['create publication own for table ledger.sale', 'It is published for logical replication.'],
  ])('refuses a table with something that it would lose: %s', async (statement, reason) => {
    const { pool } = await fixtures.open();
    await pool.unsafe(statement);
    await expect(convert(pool, 4, { tables: ['sale'] })).rejects.toThrow(
      `ledger.sale cannot be converted. ${reason}`,
    );
    expect(await layoutOf(pool)).toEqual(PLAIN);
  });
});
