import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  address,
  as,
  date,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';

const profileRow = rowCodec({
  address,
  handle: nullable(text),
  displayName: nullable(text),
  visibility: as<'public' | 'pseudonymous'>(),
});

/** Profile of a distributor: columns of `commerce.distributor`. */
export type DistributorProfile = View<typeof profileRow>;

/** The profile of an address; `undefined` without one. */
export async function profileOfAddress(
  sql: Sql,
  owner: Address,
): Promise<DistributorProfile | undefined> {
  return await readProfile(sql, sql`address = ${owner}`);
}

/** The profile with a handle; `undefined` without one. */
export async function profileOfHandle(
  sql: Sql,
  handle: string,
): Promise<DistributorProfile | undefined> {
  return await readProfile(sql, sql`handle = ${handle}`);
}

async function readProfile(sql: Sql, condition: Fragment): Promise<DistributorProfile | undefined> {
  const [row] = await sql<StoredRow[]>`
    select address, handle, display_name, visibility from commerce.distributor
    where ${condition}`;
  return row && profileRow.decode(row);
}

const ownProfileRow = rowCodec({ ...profileRow.fields, updatedAt: nullable(date) });

/** A profile as its owner sees it; `updatedAt` is null if it has never been saved. */
export type OwnDistributorProfile = View<typeof ownProfileRow>;

/** The profile of an address; the default profile if it has never been saved. */
export async function ownProfile(sql: Sql, owner: Address): Promise<OwnDistributorProfile> {
  const [row] = await sql<StoredRow[]>`
    select address, handle, display_name, visibility, updated_at from commerce.distributor
    where address = ${owner}`;
  if (row === undefined) {
    return {
      address: owner,
      handle: null,
      displayName: null,
      visibility: 'pseudonymous',
      updatedAt: null,
    };
  }
  return ownProfileRow.decode(row);
}
