import type { Sql } from '../../connection.ts';
import type { SoldVersion } from './rows.ts';

/**
 * The deliverable of a version of a product: the id of a file, an address or a text, depending on its
 * fulfillment mode; `null` if the merchant gave none. Only buyers may see it, so no other query reads it.
 */
export async function readDeliverable(
  sql: Sql,
  { id, version }: Pick<SoldVersion, 'id' | 'version'>,
): Promise<string | null> {
  const [row] = await sql<{ deliverable: string | null }[]>`
    select body ->> 'deliverable' as deliverable from commerce.product_version
    where product_id = ${id} and version = ${version}`;
  return row?.deliverable ?? null;
}
