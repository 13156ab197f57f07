import type { Sql } from '../connection.ts';

/**
 * What the buyers of a product get: a file's id, an address, or words, as its mode says. It is for
 * buyers alone: no other query reads it. `null` where the merchant said nothing.
 */
export async function readDeliverable(sql: Sql, productId: string): Promise<string | null> {
  const [row] = await sql<{ deliverable: string | null }[]>`
    select deliverable from commerce.product where id = ${productId}`;
  return row?.deliverable ?? null;
}
