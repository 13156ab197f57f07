import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

/** What a distributor says of itself. */
export interface DistributorProfile {
  readonly address: Address;
  readonly handle: string | null;
  readonly displayName: string | null;
  readonly visibility: 'public' | 'pseudonymous';
}

interface ProfileRow {
  address: Address;
  handle: string | null;
  display_name: string | null;
  visibility: 'public' | 'pseudonymous';
}

/** The profile of an address; `undefined` without one. */
export async function profileOfAddress(
  sql: Sql,
  address: Address,
): Promise<DistributorProfile | undefined> {
  return await readProfile(sql, sql`address = ${address}`);
}

/** The profile that has a handle; `undefined` where nobody has it. */
export async function profileOfHandle(
  sql: Sql,
  handle: string,
): Promise<DistributorProfile | undefined> {
  return await readProfile(sql, sql`handle = ${handle}`);
}

async function readProfile(
  sql: Sql,
  condition: ReturnType<typeof sql>,
): Promise<DistributorProfile | undefined> {
  const [row] = await sql<ProfileRow[]>`
    select address, handle, display_name, visibility from commerce.distributor
    where ${condition}`;
  if (row === undefined) return undefined;
  const { address, handle, display_name: displayName, visibility } = row;
  return { address, handle, displayName, visibility };
}

/** A profile as its owner sees it; without a row, what everybody begins with. */
export interface OwnProfileRow extends DistributorProfile {
  readonly updatedAt: Date | null;
}

export async function ownProfile(sql: Sql, address: Address): Promise<OwnProfileRow> {
  const [row] = await sql<(ProfileRow & { updated_at: Date })[]>`
    select address, handle, display_name, visibility, updated_at from commerce.distributor
    where address = ${address}`;
  if (row === undefined) {
    return {
      address,
      handle: null,
      displayName: null,
      visibility: 'pseudonymous',
      updatedAt: null,
    };
  }
  const { handle, display_name: displayName, visibility, updated_at: updatedAt } = row;
  return { address, handle, displayName, visibility, updatedAt };
}
