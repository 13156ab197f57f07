import type { Sql } from '../../connection.ts';
import { date, rowCodec, type StoredRow } from '../../row.ts';

const newestBackup = rowCodec({ finishedAt: date });

/** When the newest backup of this database was completed; `null` if there is none. */
export async function lastBackupAt(sql: Sql): Promise<Date | null> {
  const [row] = await sql<StoredRow[]>`
    select ${newestBackup.columns(sql, 'backup')} from commerce.backup
    order by finished_at desc limit 1`;
  return row === undefined ? null : newestBackup.decode(row).finishedAt;
}
