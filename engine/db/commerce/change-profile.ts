import type { Address } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type OwnDistributorProfile, ownProfile } from '../read/distributors/profile.ts';
import { isTaken } from './own-merchant.ts';
import { moveName, type NameRefusal, NameRefused } from './released-names.ts';

/** Fields of a profile to change; fields that are left out stay. */
export interface ProfileChange {
  readonly address: Address;
  readonly visibility: 'public' | 'pseudonymous';
  readonly handle?: string | null | undefined;
  readonly displayName?: string | null | undefined;
}

/**
 * Changes a profile, in one transaction under the lock of its row. A handle that is given up is recorded,
 * so that no other account can pose as its previous owner for some time.
 */
export async function changeProfile(
  pool: Pool,
  change: ProfileChange,
  now: Date,
): Promise<OwnDistributorProfile | NameRefusal> {
  try {
    return await pool.begin(async (sql) => await changeIn(sql, change, now));
  } catch (error) {
    if (error instanceof NameRefused) return error.why;
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
  const current = { handle: before?.handle ?? null, displayName: before?.display_name ?? null };
  const handle = change.handle === undefined ? current.handle : change.handle;
  const displayName = change.displayName === undefined ? current.displayName : change.displayName;
  // Waits for another account that takes or gives up the same handle, and so goes before the check.
  await sql`
    update commerce.distributor set handle = ${handle}, display_name = ${displayName},
      visibility = ${visibility}, updated_at = ${now.toISOString()}::timestamptz
    where address = ${address}`;
  await moveName(sql, 'handle', { address, given: current.handle, taken: handle }, now);
  return await ownProfile(sql, address);
}
