import type { Address } from '../../core/events.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import type { Sql } from '../connection.ts';
import { address, as, date, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';
import type { ProductMedia } from '../rows/commerce.ts';
import { isReleasedByAnother, moveName, NameRefused } from './released-names.ts';

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

/**
 * Creates a profile; in a transaction.
 * @returns `undefined` where the account has a profile, or another one has the slug.
 * @throws {NameRefused} if the account may not have the slug or the name.
 */
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
  if (row === undefined) return undefined;
  await moveNames(sql, merchant.address, null, merchant, now);
  return merchantRow.decode(row);
}

/**
 * Changes what a merchant says of itself, in a transaction that has locked it; the same text again changes nothing.
 * @throws PostgresError where another merchant has the slug: see {@link isTaken}.
 * @throws {NameRefused} if the merchant may not have the slug or the name.
 */
export async function updateMerchant(
  sql: Sql,
  before: OwnMerchant,
  text: MerchantText,
  now: Date,
): Promise<OwnMerchant> {
  const { id, address } = before;
  const fields = ['slug', 'name', 'description', 'websiteUrl', 'supportEmail'] as const;
  if (fields.every((field) => before[field] === text[field])) return before;
  const [row] = await sql<StoredRow[]>`
    update commerce.merchant set
      slug = ${text.slug}, name = ${text.name}, description = ${text.description},
      website_url = ${text.websiteUrl}, support_email = ${text.supportEmail},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${id}
    returning ${merchantRow.columns(sql, 'merchant')}`;
  if (row === undefined) throw new Error(`There is no merchant ${id} to update.`);
  await moveNames(sql, address, before, text, now);
  return merchantRow.decode(row);
}

/** Whether an error says that somebody else has a name that only one may have (SQLSTATE 23505). */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** True if no other account has the slug, or gave it up lately. */
export async function isSlugFree(
  sql: Sql,
  slug: string,
  address: Address,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.merchant where slug = ${slug} and address <> ${address}`;
  return rows.length === 0 && !(await isReleasedByAnother(sql, 'slug', slug, address, now));
}

type Names = Pick<MerchantText, 'slug' | 'name'>;

/** `moveName` for a merchant's slug and its name, which no other merchant has at the same time. */
async function moveNames(
  sql: Sql,
  address: Address,
  before: Names | null,
  after: Names,
  now: Date,
): Promise<void> {
  await moveName(sql, 'slug', { address, given: before?.slug ?? null, taken: after.slug }, now);
  const [row] = await sql<{ given: string | null; taken: string }[]>`
    select commerce.name_key(${before?.name ?? null}::text) as given,
      commerce.name_key(${after.name}::text) as taken`;
  if (row === undefined || row.given === row.taken) return;
  // Until the transaction ends, no other merchant takes this name.
  // One lock for all names, because two names that look alike have different keys.
  await sql`select pg_advisory_xact_lock(${advisoryLocks.merchantName}, 0)`;
  const others = await sql`
    select 1 from commerce.merchant where name_key = ${row.taken} and address <> ${address}
    union all
    select 1 from commerce.merchant
    where commerce.name_skeleton(name) = commerce.name_skeleton(${after.name}) and address <> ${address}
    limit 1`;
  if (others.length > 0) throw new NameRefused('merchant name', 'taken');
  await moveName(sql, 'merchant name', { address, ...row }, now);
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
      and not exists (
        select 1 from commerce.released_name where kind = 'slug' and name = suggestion)
    order by number limit 1`;
  return row?.suggestion ?? null;
}

/** Shows another logo in the profile, or none. */
export async function setLogo(
  sql: Sql,
  id: string,
  logo: ProductMedia | null,
  now: Date,
): Promise<void> {
  await sql`
    update commerce.merchant set logo = ${logo && sql.json({ ...logo })},
      updated_at = ${now.toISOString()}::timestamptz
    where id = ${id}`;
}
