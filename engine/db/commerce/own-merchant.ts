import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { ProductMedia } from '../rows/commerce.ts';

/** A profile as its merchant sees it. */
export interface OwnMerchant {
  readonly id: string;
  readonly address: Address;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly websiteUrl: string | null;
  readonly supportEmail: string | null;
  readonly logo: ProductMedia | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** `null` while it sells through this service. */
  readonly closedAt: Date | null;
}

/** The merchant's own description of itself. */
export type MerchantText = Pick<
  OwnMerchant,
  'slug' | 'name' | 'description' | 'websiteUrl' | 'supportEmail'
>;

interface OwnMerchantRow {
  id: string;
  address: Address;
  slug: string;
  name: string;
  description: string;
  website_url: string | null;
  support_email: string | null;
  logo: ProductMedia | null;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

/** @returns `undefined` where that account, in lower case, never made a profile. */
export async function readOwnMerchant(
  sql: Sql,
  address: Address,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<OwnMerchantRow[]>`
    select ${columns(sql)} from commerce.merchant where address = ${address}`;
  return row && merchantOf(row);
}

/**
 * Reads a merchant and locks it until the transaction ends: everything that a merchant writes goes through
 * here, one after the other, so that counts and limits hold and nothing is written after closing.
 */
export async function lockOwnMerchant(
  sql: Sql,
  address: Address,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<OwnMerchantRow[]>`
    select ${columns(sql)} from commerce.merchant where address = ${address}
    for no key update`;
  return row && merchantOf(row);
}

/** @returns `undefined` where the account has a profile, or another one has the slug. */
export async function createMerchant(
  sql: Sql,
  merchant: MerchantText & { readonly id: string; readonly address: Address },
  now: Date,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<OwnMerchantRow[]>`
    insert into commerce.merchant (id, address, ${textColumns(sql)}, created_at, updated_at)
    values (
      ${merchant.id}, ${merchant.address}, ${merchant.slug}, ${merchant.name},
      ${merchant.description}, ${merchant.websiteUrl}, ${merchant.supportEmail},
      ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    )
    on conflict do nothing
    returning ${columns(sql)}`;
  return row && merchantOf(row);
}

/** @throws PostgresError where another merchant has the slug: see {@link isTaken}. */
export async function updateMerchant(
  sql: Sql,
  id: string,
  text: MerchantText,
  now: Date,
): Promise<OwnMerchant> {
  const [row] = await sql<OwnMerchantRow[]>`
    update commerce.merchant set
      slug = ${text.slug}, name = ${text.name}, description = ${text.description},
      website_url = ${text.websiteUrl}, support_email = ${text.supportEmail},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${id}
    returning ${columns(sql)}`;
  if (row === undefined) throw new Error(`There is no merchant ${id} to update.`);
  return merchantOf(row);
}

/** Whether an error says that somebody else has a name that only one may have (SQLSTATE 23505). */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** True if no other account has the slug. */
export async function isSlugFree(sql: Sql, slug: string, address: Address): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.merchant where slug = ${slug} and address <> ${address}`;
  return rows.length === 0;
}

/** Numbers that are tried behind a slug. */
const MAX_SUGGESTIONS = 1_000;

/** The slug with the least number behind it that is free; `null` where there are too many. */
export async function suggestSlug(sql: Sql, slug: string): Promise<string | null> {
  const [row] = await sql<{ suggestion: string }[]>`
    select suggestion
    from generate_series(2, ${MAX_SUGGESTIONS}) number
    cross join lateral (
      select left(${slug}, 62 - length(number::text)) || '-' || number as suggestion
    ) one
    where not exists (select 1 from commerce.merchant where slug = suggestion)
    order by number limit 1`;
  return row?.suggestion ?? null;
}

/** Shows another logo in the profile. */
export async function setLogo(sql: Sql, id: string, logo: ProductMedia, now: Date): Promise<void> {
  await sql`
    update commerce.merchant set logo = ${sql.json({ ...logo })},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${id}`;
}

function textColumns(sql: Sql) {
  return sql`slug, name, description, website_url, support_email`;
}

function columns(sql: Sql) {
  return sql`id, address, ${textColumns(sql)}, logo, created_at, updated_at, closed_at`;
}

function merchantOf(row: OwnMerchantRow): OwnMerchant {
  return {
    id: row.id,
    address: row.address,
    slug: row.slug,
    name: row.name,
    description: row.description,
    websiteUrl: row.website_url,
    supportEmail: row.support_email,
    logo: row.logo,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
  };
}
