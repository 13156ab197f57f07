import { readdir, readFile } from 'node:fs/promises';
import { advisoryLocks } from './advisory-locks.ts';
import type { Pool } from './connection.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/** A newer version of this program has changed the database. */
class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';

  constructor(readonly migrations: readonly string[]) {
    super(
      `This database has migrations that this version does not know (${migrations.join(', ')}): run the newer version that made them.`,
    );
  }
}

/**
 * Brings a database up to the newest migration, each in a transaction of its own with the note that
 * it was applied. Processes that start together wait for each other.
 * @returns the names of the migrations applied now.
 * @throws {NewerDatabaseError} if it has some that this version does not know: nothing is changed.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const connection = await pool.reserve();
  try {
    // An index over a great ledger takes longer than a request may; so does the wait for another.
    await connection`set statement_timeout = 0`;
    await connection`select pg_advisory_lock(${advisoryLocks.migrate})`;
    await connection`
      create table if not exists public.tributary_migration (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const rows = await connection<{ name: string }[]>`select name from public.tributary_migration`;
    const done = new Set(rows.map((row) => row.name));
    const unknown = [...done].filter((name) => !files.includes(name)).sort();
    if (unknown.length > 0) throw new NewerDatabaseError(unknown);
    const applied: string[] = [];
    for (const name of files) {
      if (done.has(name)) continue;
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      await connection`begin`;
      try {
        await connection.unsafe(text);
        await connection`insert into public.tributary_migration (name) values (${name})`;
        await connection`commit`;
      } catch (error) {
        await connection`rollback`;
        throw error;
      }
      applied.push(name);
    }
    return applied;
  } finally {
    await connection`select pg_advisory_unlock(${advisoryLocks.migrate})`;
    await connection`reset statement_timeout`;
    connection.release();
  }
}
