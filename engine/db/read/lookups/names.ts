import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import {
  address,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';

const publicName = rowCodec({
  address,
  merchant: optional({ name: text, slug: text }),
  distributor: optional({ handle: text, displayName: nullable(text) }),
});

/** An account's names that everybody may know. */
export type PublicName = View<typeof publicName>;

/**
 * The public names of accounts, in the order given; accounts without one are left out, as are handles that their owners
 * keep separate from the address.
 */
export async function publicNames(sql: Sql, addresses: readonly Address[]): Promise<PublicName[]> {
  const rows = await sql<StoredRow[]>`
    select named.address, merchant.name, merchant.slug, distributor.handle, distributor.display_name
    from unnest(${[...addresses]}::text[]) with ordinality named (address, position)
    left join commerce.merchant
      on merchant.address = named.address and merchant.slug !~ '^deleted-[0-9a-f]{32}$'
    left join commerce.distributor
      on distributor.address = named.address and distributor.visibility = 'public'
        and distributor.handle is not null
    where merchant.slug is not null or distributor.handle is not null
    order by named.position`;
  return rows.map(publicName.decode);
}
