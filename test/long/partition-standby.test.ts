import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closePool, openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { partitionTables } from '../../engine/db/partition/convert.ts';
import { InstalledPostgres, postgresIsInstalled } from '../support/installed-postgres.ts';
import { holdLocks } from '../support/locks.ts';
import { waitFor } from '../support/wait-for.ts';

describe.runIf(postgresIsInstalled)('partitioning tables that replicas read', () => {
  const DATABASE = 'shop';
  const FEEDBACK = ['hot_standby_feedback=on', 'wal_receiver_status_interval=1s'];
  const SLOT = 'standby_1';
  let primary: InstalledPostgres;
  const servers: InstalledPostgres[] = [];

  beforeAll(async () => {
    primary = await InstalledPostgres.primary();
    servers.push(primary);
    await primary.createDatabase(DATABASE);
    await primary.do((sql) => migrate(sql), DATABASE);
    await primary.do((sql) => sql`select pg_create_physical_replication_slot(${SLOT})`);
  });
  afterAll(async () => {
    for (const server of servers.reverse()) await server.remove();
  });

  it.each([
    ['without a slot', [], /^older transactions of .*\bwalreceiver \(process \d+\)/, 4],
    [
      'with a slot',
      [`primary_slot_name=${SLOT}`],
      /^older transactions of .*\ba replica \(slot standby_1\)/,
      1,
    ],
  ])(
    'waits for an older transaction of a replica %s',
    async (_kind, settings, expected, partitions) => {
      const standby = await primary.standby({ settings: [...FEEDBACK, ...settings] });
      servers.push(standby);
      const reader = openPool(standby.url(DATABASE), { max: 1 });
      const end = await holdLocks(reader, async (sql) => {
        await sql`set transaction isolation level repeatable read, read only`;
        await sql`select 1 from ledger.head`;
      });
      await primary.do(async (sql) => {
        await waitFor(
          async () =>
            (
              await sql`
                select from pg_stat_activity where backend_type = 'walsender' and backend_xmin is not null
                union all select from pg_replication_slots where xmin is not null`
            ).length > 0,
          { what: 'the snapshot that the replica sends back' },
        );
        const waits: string[] = [];
        const converted = partitionTables(sql, {
          tables: ['sale'],
          partitions,
          onProgress: ({ step, waitsFor = '' }) => step === 'waiting' && waits.push(waitsFor),
        });
        await waitFor(() => waits.length >= 2, { what: 'the conversion to wait' });
        expect(waits[0]).toMatch(expected);
        await end();
        await closePool(reader);
        expect(await converted).toEqual(['sale']);
      }, DATABASE);
      await standby.remove();
    },
  );
});
