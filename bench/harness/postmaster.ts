import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool } from '../../engine/db/connection.ts';

/** Process id of a PostgreSQL of this machine. @param server URL of any of its databases. */
export async function postmasterOf(server: string): Promise<number> {
  const pool = openPool(server, { max: 1 });
  try {
    const [row] = await pool<{ folder: string }[]>`
      select current_setting('data_directory') as folder`;
    return Number.parseInt(await readFile(join(row?.folder ?? '', 'postmaster.pid'), 'utf8'), 10);
  } finally {
    await pool.end();
  }
}
