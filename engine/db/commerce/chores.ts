import type { Pool, Sql } from '../connection.ts';

/** How often a chore is done. */
export interface ChoreSchedule {
  readonly name: string;
  readonly everySeconds: number;
}

/**
 * Claims the chores that are due, and stores when each is due next: of several concurrent callers, one
 * gets it. A new chore is due immediately.
 * @returns the names of the claimed chores.
 */
export async function claimDueChores(
  pool: Pool,
  schedules: readonly ChoreSchedule[],
  now: Date,
): Promise<string[]> {
  const rows = await pool<{ name: string }[]>`
    insert into commerce.chore as chore (name, due_at)
    select name, ${now.toISOString()}::timestamptz + every * interval '1 second'
    from unnest(${schedules.map(({ name }) => name)}::text[],
      ${schedules.map(({ everySeconds }) => everySeconds)}::int[]) schedule (name, every)
    on conflict (name) do update set due_at = excluded.due_at
    where chore.due_at <= ${now.toISOString()}::timestamptz
      -- A clock that was wrong, or a schedule that was longer, must not keep a chore from its turn.
      or chore.due_at > excluded.due_at
    returning name`;
  return rows.map(({ name }) => name);
}

export async function choreStarted(sql: Sql, name: string, now: Date): Promise<void> {
  await sql`
    update commerce.chore set started_at = ${now.toISOString()}::timestamptz where name = ${name}`;
}

/** @param error a sentence where it failed; `null` where it went well. */
export async function choreFinished(
  sql: Sql,
  name: string,
  now: Date,
  error: string | null,
): Promise<void> {
  await sql`
    update commerce.chore set finished_at = ${now.toISOString()}::timestamptz,
      error = left(${error}::text, 500)
    where name = ${name}`;
}
