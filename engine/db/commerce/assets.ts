import type { Sql } from '../connection.ts';
import { as, integer, nullable, rowCodec, type StoredRow, small, text, type View } from '../row.ts';

const assetRow = rowCodec({
  id: text,
  merchantId: text,
  /** `null`: the merchant's logo. */
  productId: nullable(text),
  /** Only an image is public. */
  kind: as<'image' | 'download'>(),
  /** Where its bytes lie in the storage. */
  key: text,
  /** Bytes. */
  size: integer,
  /** 64 lower-case hex digits. */
  sha256: text,
  /** As the content shows, whatever its name said. */
  contentType: text,
  /** The ending of a file of that type, without its dot. */
  extension: text,
  /** Pixels, of an image; `null` for a download. */
  width: nullable(small),
  height: nullable(small),
});

/** A file that a merchant uploaded, as it lies in the storage. */
export type Asset = View<typeof assetRow>;

/** @returns `undefined` where nothing of that id was uploaded, or it was dropped. */
export async function readAsset(sql: Sql, id: string): Promise<Asset | undefined> {
  const [row] = await sql<
    StoredRow[]
  >`select ${assetRow.columns(sql, 'asset')} from commerce.asset where id = ${id}`;
  return row && assetRow.decode(row);
}

/** A file of a merchant, if that account's profile still has it. */
export async function readOwnAsset(
  sql: Sql,
  { assetId, merchant }: { readonly assetId: string; readonly merchant: string },
): Promise<Asset | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${assetRow.columns(sql, 'asset')} from commerce.asset
    join commerce.merchant owner on owner.id = asset.merchant_id
    where asset.id = ${assetId} and owner.address = ${merchant}`;
  return row && assetRow.decode(row);
}

/** The files of a product. */
export async function productAssets(sql: Sql, productId: string): Promise<Asset[]> {
  const rows = await sql<StoredRow[]>`
    select ${assetRow.columns(sql, 'asset')} from commerce.asset where product_id = ${productId} order by created_at, id`;
  return rows.map(assetRow.decode);
}

/** Files of the asset's product, and bytes of all files of its merchant. */
export async function assetTotals(
  sql: Sql,
  { merchantId, productId }: Pick<Asset, 'merchantId' | 'productId'>,
): Promise<{ files: number; bytes: number }> {
  const [row] = await sql<{ files: string; bytes: string }[]>`
    select count(*) filter (where product_id = ${productId}) as files,
      coalesce(sum(size), 0) as bytes
    from commerce.asset where merchant_id = ${merchantId}`;
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Writes the row of a file that lies in the storage. */
export async function addAsset(sql: Sql, asset: Asset, now: Date): Promise<void> {
  const row = { ...assetRow.encode(asset), created_at: now.toISOString() };
  await sql`insert into commerce.asset ${sql(row)}`;
}

/**
 * Forgets the logos of a merchant, except one that it still shows.
 * @param shownId `null` if it shows none.
 * @returns the keys of their files, which may be deleted once this is committed.
 */
export async function dropLogos(
  sql: Sql,
  merchantId: string,
  shownId: string | null,
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    delete from commerce.asset
    where merchant_id = ${merchantId} and product_id is null
      and id is distinct from ${shownId}::text
    returning key`;
  return rows.map(({ key }) => key);
}

/**
 * Forgets what a product does not show any more. While a campaign sells it, what an earlier version
 * shows stays, because buyers may have bought that one. So does what was uploaded after `since`: a
 * product that is saved while a file is on its way does not name it yet.
 * @returns the keys of their files, which may be deleted once this is committed.
 */
export async function dropUnnamedAssets(
  sql: Sql,
  { productId, sold, since }: { productId: string; sold: boolean; since: Date },
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    delete from commerce.asset asset
    where asset.product_id = ${productId}
      and asset.created_at <= ${since.toISOString()}::timestamptz
      and not exists (
        select 1 from commerce.product product
        cross join lateral jsonb_array_elements(product.media) item
        where product.id = ${productId} and item ->> 'id' = asset.id
      )
      and not (${sold} and exists (
        select 1 from commerce.product_version version
        cross join lateral jsonb_array_elements(version.body -> 'media') item
        where version.product_id = ${productId} and item ->> 'id' = asset.id
      ))
    returning key`;
  return rows.map(({ key }) => key);
}
