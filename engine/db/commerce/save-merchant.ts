import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { ProductMedia } from '../rows/commerce.ts';

/** A merchant's profile. */
export interface Merchant {
  /** 1 to 100 letters, digits, underscores or hyphens. */
  readonly id: string;
  readonly address: Address;
  /** Lower-case letters, digits and hyphens, 63 at most. */
  readonly slug: string;
  readonly name: string;
  /** Empty if left out. */
  readonly description?: string;
  readonly websiteUrl?: string | null;
  readonly supportEmail?: string | null;
  readonly logo?: ProductMedia | null;
}

/**
 * Writes a merchant's profile by its id; the same profile again changes nothing.
 * @throws PostgresError where another merchant has the address or the slug.
 */
export async function saveMerchant(sql: Sql, merchant: Merchant): Promise<void> {
  const row = {
    id: merchant.id,
    address: merchant.address.toLowerCase(),
    slug: merchant.slug,
    name: merchant.name,
    description: merchant.description ?? '',
    website_url: merchant.websiteUrl ?? null,
    support_email: merchant.supportEmail ?? null,
    logo: merchant.logo ? sql.json({ ...merchant.logo }) : null,
  };
  const [, ...content] = Object.keys(row);
  const columns = (table: string) => sql(content.map((column) => `${table}.${column}`));
  await sql`
    insert into commerce.merchant ${sql(row)}
    on conflict (id) do update set
      ( ${sql(content)} ) = row ( ${columns('excluded')} ), updated_at = now()
    where row ( ${columns('merchant')} ) is distinct from row ( ${columns('excluded')} )`;
}
