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

/** Whether PostgreSQL's last attempt to archive its log failed; false if it does not archive it. */
export async function logArchiveFails(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ fails: boolean }[]>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
    from pg_stat_archiver`;
  return row?.fails ?? false;
}
