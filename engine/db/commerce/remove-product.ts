import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { as, flag, rowCodec, type StoredRow, type View } from '../row.ts';

const dependants = rowCodec({
  /** Campaigns that sell its SKU, as of any block, the lowest first; at most 20. */
  campaigns: as<readonly string[]>(),
  /** Drafts of campaigns that name it; at most 20. */
  drafts: as<readonly string[]>(),
  /** True if a version of it was published: only such a product can be sold, or a campaign prepared with it. */
  isPublished: flag,
});

/** Dependants of a product. */
export type ProductDependants = View<typeof dependants>;

/**
 * Dependants of a product of a merchant: one statement.
 * @param sql a transaction that holds the lock of the merchant's profile, as every write of its products and
 * drafts does: so nothing new depends on the product until it ends.
 * @returns `undefined` if the merchant has no such product.
 */
export async function productDependants(
  sql: Sql,
  { merchant, productId }: { readonly merchant: Address; readonly productId: string },
): Promise<ProductDependants | undefined> {
  const [row] = await sql<StoredRow[]>`
    select array(
        select campaign_id::text from ledger.campaign
        where campaign.merchant = owner.address and campaign.sku_hash = product.sku_hash
        order by campaign_id limit 20
      ) as campaigns,
      array(
        select id from commerce.campaign_draft draft
        where draft.merchant = owner.address and draft.draft ->> 'productId' = product.id
        order by id limit 20
      ) as drafts,
      exists (
        select 1 from commerce.product_version version
        where version.product_id = product.id and version.body ->> 'status' <> 'draft'
      ) as is_published
    from commerce.product join commerce.merchant owner on owner.id = product.merchant_id
    where product.id = ${productId} and owner.address = ${merchant}`;
  return row && dependants.decode(row);
}

/**
 * Deletes a product on which nothing depends, with its versions and files.
 * @returns keys of its files, which may be deleted once this is committed.
 */
export async function removeProduct(sql: Sql, productId: string): Promise<string[]> {
  const files = await sql<{ key: string }[]>`
    delete from commerce.asset where product_id = ${productId} returning key`;
  await sql`delete from commerce.product_version where product_id = ${productId}`;
  await sql`delete from commerce.product where id = ${productId}`;
  return files.map(({ key }) => key);
}
