import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { address, as, date, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';
import type { ProductMedia } from '../rows/commerce.ts';

const merchantRow = rowCodec({
  id: text,
  address,
  slug: text,
  name: text,
  description: text,
  websiteUrl: nullable(text),
  supportEmail: nullable(text),
  logo: nullable(as<ProductMedia>()),
  createdAt: date,
  updatedAt: date,
  /** `null` while it sells through this service. */
  closedAt: nullable(date),
});

/** A profile as its merchant sees it. */
export type OwnMerchant = View<typeof merchantRow>;

/** The merchant's own description of itself. */
export type MerchantText = Pick<
  OwnMerchant,
  'slug' | 'name' | 'description' | 'websiteUrl' | 'supportEmail'
>;

/** @returns `undefined` where that account, in lower case, never made a profile. */
export async function readOwnMerchant(
  sql: Sql,
  address: Address,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${merchantRow.columns(sql, 'merchant')} from commerce.merchant where address = ${address}`;
  return row && merchantRow.decode(row);
}

/**
 * Reads a merchant and locks it until the transaction ends: everything that a merchant writes goes through
 * here, one after the other, so that counts and limits hold and nothing is written after closing.
 */
export async function lockOwnMerchant(
  sql: Sql,
  address: Address,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${merchantRow.columns(sql, 'merchant')} from commerce.merchant where address = ${address}
    for no key update`;
  return row && merchantRow.decode(row);
}

/** @returns `undefined` where the account has a profile, or another one has the slug. */
export async function createMerchant(
  sql: Sql,
  merchant: MerchantText & { readonly id: string; readonly address: Address },
  now: Date,
): Promise<OwnMerchant | undefined> {
  const [row] = await sql<StoredRow[]>`
    insert into commerce.merchant (id, address, slug, name, description, website_url,
      support_email, created_at, updated_at)
    values (
      ${merchant.id}, ${merchant.address}, ${merchant.slug}, ${merchant.name},
      ${merchant.description}, ${merchant.websiteUrl}, ${merchant.supportEmail},
      ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    )
    on conflict do nothing
    returning ${merchantRow.columns(sql, 'merchant')}`;
  return row && merchantRow.decode(row);
}

/** @throws PostgresError where another merchant has the slug: see {@link isTaken}. */
export async function updateMerchant(
  sql: Sql,
  id: string,
  text: MerchantText,
  now: Date,
): Promise<OwnMerchant> {
  const [row] = await sql<StoredRow[]>`
    update commerce.merchant set
      slug = ${text.slug}, name = ${text.name}, description = ${text.description},
      website_url = ${text.websiteUrl}, support_email = ${text.supportEmail},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${id}
    returning ${merchantRow.columns(sql, 'merchant')}`;
  if (row === undefined) throw new Error(`There is no merchant ${id} to update.`);
  return merchantRow.decode(row);
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
