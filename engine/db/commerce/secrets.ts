import { randomBytes } from 'node:crypto';
import type { Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { bytesOfHex } from '../hex.ts';

const SECRET_BYTES = 32;

/**
 * Seconds after which a new secret signs. By then every API has read it, so that no API meets a link
 * that it cannot check.
 */
export const SECRET_ACTIVATION_SECONDS = 60;

/** Seconds for which a secret that was replaced is still accepted: longer than any link is good for. */
export const SECRET_OVERLAP_SECONDS = 86_400;

/**
 * The secrets that are accepted now, the one that signs first. Makes the first one if there is none;
 * of processes that start together, all get the same one.
 */
export async function readSecrets(pool: Pool): Promise<Uint8Array[]> {
  const found = await acceptedSecrets(pool);
  if (found.length > 0) return found;
  await pool.begin(async (sql) => {
    await sql`lock table commerce.secret in exclusive mode`;
    const there = await sql`select 1 from commerce.secret limit 1`;
    if (there.length === 0) await addSecret(sql);
  });
  return await acceptedSecrets(pool);
}

/**
 * Adds a secret. It signs after {@link SECRET_ACTIVATION_SECONDS}; the one before it is accepted for
 * {@link SECRET_OVERLAP_SECONDS} more.
 * @param forgetPrevious removes all others now, because somebody else may know them: the new one
 * signs as soon as an API has read it, and all older links are dead.
 */
export async function rotateSecret(pool: Pool, forgetPrevious = false): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`lock table commerce.secret in exclusive mode`;
    if (forgetPrevious) await sql`delete from commerce.secret`;
    await addSecret(sql);
    // A secret that nothing accepts any more can only be stolen.
    await sql`
      delete from commerce.secret where id in (
        select id from (${replaced(sql)}) secret
        where replaced_at <= now() - make_interval(secs => ${SECRET_OVERLAP_SECONDS}))`;
  });
}

async function addSecret(sql: Sql): Promise<void> {
  await sql`insert into commerce.secret (value) values (${randomBytes(SECRET_BYTES)})`;
}

async function acceptedSecrets(sql: Sql): Promise<Uint8Array[]> {
  const rows = await sql<{ value: Hex; active: boolean }[]>`
    select value,
      created_at <= now() - make_interval(secs => ${SECRET_ACTIVATION_SECONDS}) as active
    from (${replaced(sql)}) secret
    where replaced_at is null
      or replaced_at > now() - make_interval(secs => ${SECRET_OVERLAP_SECONDS})
    order by id desc`;
  const signing = rows.find(({ active }) => active) ?? rows.at(-1);
  const others = rows.filter((row) => row !== signing);
  return [...(signing ? [signing] : []), ...others].map(({ value }) => bytesOfHex(value));
}

/** The secrets, each with the time at which another one took its place. */
function replaced(sql: Sql) {
  return sql`select *, lead(created_at) over (order by id) as replaced_at from commerce.secret`;
}
