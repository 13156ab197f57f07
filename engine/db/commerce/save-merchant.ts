import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

/** A merchant's profile. */
export interface Merchant {
  /** 1 to 100 letters, digits, underscores or hyphens. */
  readonly id: string;
  readonly address: Address;
  /** Lower-case letters, digits and hyphens, 63 at most. */
  readonly slug: string;
  readonly name: string;
}

/**
 * Writes a merchant's profile by its id; the same profile again changes nothing.
 * @throws PostgresError where another merchant has the address or the slug.
 */
export async function saveMerchant(sql: Sql, merchant: Merchant): Promise<void> {
  const address = merchant.address.toLowerCase();
  await sql`
    insert into commerce.merchant as m (id, address, slug, name)
    values (${merchant.id}, ${address}, ${merchant.slug}, ${merchant.name})
    on conflict (id) do update set
      address = excluded.address, slug = excluded.slug, name = excluded.name, updated_at = now()
    where (m.address, m.slug, m.name)
      is distinct from (excluded.address, excluded.slug, excluded.name)`;
}
