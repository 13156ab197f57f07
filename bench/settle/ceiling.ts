import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { cloneDatabase, type Indexed } from '../data/settle-database.ts';
import { checksumOf, type Sample, timed } from '../harness/measure.ts';

/** The tables that sales make rows in; what else a batch writes is a few rows. */
const TABLES = ['journal', 'entry', 'sale', 'sale_level', 'sale_version', 'bucket'] as const;

/** Connections that copy concurrently: as many as two cores serve. */
const PARTS = 2;

/** Rows of a settled ledger, as files that the server reads. */
export interface ExportedRows {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Writes the rows of a ledger into files, half of them for each connection, in their order. */
export async function exportRows(pool: Pool): Promise<ExportedRows> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-rows-'));
  // The server's account writes and reads them.
  await chmod(folder, 0o777);
  const [row] = await pool<{ campaigns: number }[]>`
    select count(*)::int as campaigns from ledger.campaign`;
  for (const table of TABLES) {
    // One campaign has its rows dealt out by sale or event, several are dealt out whole.
    const dealt = (row?.campaigns ?? 1) > 1 ? 'campaign_id' : dealtBy(table);
    for (let part = 0; part < PARTS; part += 1) {
      await pool.unsafe(
        `copy (select * from ledger.${table} where ${dealt} % ${PARTS} = ${part} order by ctid)
         to '${fileOf(folder, table, part)}'`,
      );
    }
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The ceiling: the same rows, into tables with the same indexes, copied by the server. */
export async function copyRowsBack(
  server: string,
  { name }: Indexed,
  { folder }: ExportedRows,
): Promise<Sample> {
  const copy = `${name}_copy`;
  const pool = openPool(await cloneDatabase(server, name, copy), { max: PARTS });
  try {
    return await timed(
      () => Promise.all(Array.from({ length: PARTS }, (_, part) => copyPart(pool, folder, part))),
      async () => {
        const [row] = await pool<{ counts: string }[]>`
          select concat_ws(' ', (select count(*) from ledger.journal),
            (select sum(amount) from ledger.entry), (select sum(amount) from ledger.sale),
            (select concat_ws(' ', sum(share), sum(reserved_after)) from ledger.sale_level)) as counts`;
        return checksumOf(row?.counts ?? '');
      },
    );
  } finally {
    await pool.end();
    await dropDatabase(server, copy);
  }
}

async function copyPart(pool: Pool, folder: string, part: number): Promise<void> {
  await pool.begin(async (sql) => {
    for (const table of TABLES) {
      await sql.unsafe(`copy ledger.${table} from '${fileOf(folder, table, part)}'`);
    }
  });
}

function dealtBy(table: (typeof TABLES)[number]): string {
  if (table === 'bucket') return 'at_risk';
  return table === 'journal' || table === 'entry' ? 'seq' : 'sale_id';
}

function fileOf(folder: string, table: string, part: number): string {
  return join(folder, `${table}-${part}`);
}
