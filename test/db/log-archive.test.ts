import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logArchiveFails } from '../../engine/db/read/system/backups.ts';
import { InstalledPostgres, postgresIsInstalled } from '../support/installed-postgres.ts';

describe.skipIf(!postgresIsInstalled)('the archive of the log of PostgreSQL', () => {
  let server: InstalledPostgres;

  beforeAll(async () => {
    server = await InstalledPostgres.primary({ archivesLog: true });
  });
  afterAll(() => server?.remove());

  /** Fills the present file of the log, so that there is one to archive. @returns whether archiving fails. */
  const archiving = () =>
    server.do(async (sql) => {
      await sql`select pg_logical_emit_message(false, 'test', 'a line of the log')`;
      await sql`select pg_switch_wal()`;
      return await logArchiveFails(sql);
    });

  it('fails from an attempt that failed until one that did not', async () => {
    const folder = join(server.folder, 'archive');
    const patience = { interval: 500, timeout: 60_000 };
    expect(await archiving()).toBe(false);
    await rename(folder, `${folder}-away`);
    await expect.poll(archiving, patience).toBe(true);
    await rename(`${folder}-away`, folder);
    await expect.poll(archiving, patience).toBe(false);
  });
});
