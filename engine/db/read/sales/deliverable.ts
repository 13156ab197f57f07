import type { Sql } from '../../connection.ts';

/**
 * The deliverable of a product: the id of a file, an address or a text, depending on its fulfillment
 * mode; `null` if the merchant gave none. Only buyers may see it, so no other query reads it.
 */
export async function readDeliverable(sql: Sql, productId: string): Promise<string | null> {
  const [row] = await sql<{ deliverable: string | null }[]>`
    select deliverable from commerce.product where id = ${productId}`;
  return row?.deliverable ?? null;
}
