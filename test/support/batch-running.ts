import { type Pool, sessionName } from '../../engine/db/connection.ts';

/** True while a worker writes a batch to this database: each of its events is a row of `ledger.journal`. */
export async function isBatchRunning(pool: Pool): Promise<boolean> {
  const rows = await pool`
    select 1 from pg_stat_activity
    where application_name = ${sessionName('worker')} and datname = current_database()
      and query ~ '(insert into|copy) "ledger"[.]"journal"' and state = 'active'`;
  return rows.length > 0;
}
