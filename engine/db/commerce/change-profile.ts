import type { Address } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type OwnDistributorProfile, ownProfile } from '../read/distributors/profile.ts';
import { isTaken } from './own-merchant.ts';

/** Days for which a handle that was given up is reserved for its previous owner. */
export const HANDLE_RESERVED_DAYS = 30;
/** Handles that one account may give up in that time, because each of them is reserved. */
export const MAX_HANDLES_GIVEN_UP = 3;

/** Fields of a profile to change; fields that are left out stay. */
export interface ProfileChange {
  readonly address: Address;
  readonly visibility: 'public' | 'pseudonymous';
  readonly handle?: string | null | undefined;
  readonly displayName?: string | null | undefined;
}

/** Why a handle cannot be had: somebody has it, had it a while ago, or one changes too often. */
export type HandleRefusal = 'taken' | 'kept' | 'too_many_changes';

/** Thrown to undo the transaction; it never leaves this file. */
class Refused extends Error {
  constructor(readonly why: HandleRefusal) {
    super(why);
  }
}

/**
 * Changes a profile, in one transaction under the lock of its row. A handle that is given up is recorded,
 * so that no other account can pose as its previous owner for some time.
 */
export async function changeProfile(
  pool: Pool,
  change: ProfileChange,
  now: Date,
): Promise<OwnDistributorProfile | HandleRefusal> {
  try {
    return await pool.begin(async (sql) => await changeIn(sql, change, now));
  } catch (error) {
    if (error instanceof Refused) return error.why;
    if (isTaken(error)) return 'taken';
    throw error;
  }
}

async function changeIn(
  sql: Sql,
  change: ProfileChange,
  now: Date,
): Promise<OwnDistributorProfile> {
  const { address, visibility } = change;
  await sql`
    insert into commerce.distributor (address) values (${address}) on conflict do nothing`;
  const [before] = await sql<{ handle: string | null; display_name: string | null }[]>`
    select handle, display_name from commerce.distributor where address = ${address} for update`;
  const kept = { handle: before?.handle ?? null, displayName: before?.display_name ?? null };
  const handle = change.handle === undefined ? kept.handle : change.handle;
  const displayName = change.displayName === undefined ? kept.displayName : change.displayName;
  // Waits for another account that takes or gives up the same handle, and so goes before the check.
  await sql`
    update commerce.distributor set handle = ${handle}, display_name = ${displayName},
      visibility = ${visibility}, updated_at = ${now.toISOString()}::timestamptz
    where address = ${address}`;
  if (handle !== kept.handle) await moveHandle(sql, address, kept.handle, handle, now);
  return await ownProfile(sql, address);
}

/** Notes the handle that is given up, and checks that the other one may be had. */
async function moveHandle(
  sql: Sql,
  address: Address,
  given: string | null,
  taken: string | null,
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - HANDLE_RESERVED_DAYS * 86_400_000).toISOString();
  if (taken !== null) {
    const held = await sql`
      select 1 from commerce.released_handle
      where handle = ${taken} and address <> ${address} and released_at > ${since}::timestamptz`;
    if (held.length > 0) throw new Refused('kept');
    await sql`delete from commerce.released_handle where handle = ${taken}`;
  }
  if (given === null) return;
  await sql`
    insert into commerce.released_handle (handle, address, released_at)
    values (${given}, ${address}, ${now.toISOString()}::timestamptz)
    on conflict (handle) do update set address = excluded.address,
      released_at = excluded.released_at`;
  const [{ count } = { count: '0' }] = await sql<{ count: string }[]>`
    select count(*) from commerce.released_handle
    where address = ${address} and released_at > ${since}::timestamptz`;
  if (Number(count) > MAX_HANDLES_GIVEN_UP) throw new Refused('too_many_changes');
}
