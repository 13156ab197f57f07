import type { Sql } from '../connection.ts';

/** Days for which completed backups stay in the list. */
const REMEMBER_DAYS = 400;

/** Records a completed backup, for metrics and `tributary status`. */
export async function recordBackup(
  sql: Sql,
  backup: {
    readonly id: string;
    readonly finishedAt: Date;
    readonly blockNumber: number | null;
    readonly bytes: number;
  },
): Promise<void> {
  await sql`
    with old as (
      delete from commerce.backup where finished_at < now() - make_interval(days => ${REMEMBER_DAYS})
    )
    insert into commerce.backup (id, finished_at, block_number, bytes)
    values (${backup.id}, ${backup.finishedAt.toISOString()}, ${backup.blockNumber}, ${backup.bytes})`;
}
