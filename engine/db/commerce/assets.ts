import type { Sql } from '../connection.ts';

/** A file that a merchant uploaded, as it lies in the storage. */
export interface Asset {
  readonly id: string;
  readonly merchantId: string;
  /** `null`: the merchant's logo. */
  readonly productId: string | null;
  /** Only an image is public. */
  readonly kind: 'image' | 'download';
  /** Where its bytes lie in the storage. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  /** As the content shows, whatever its name said. */
  readonly contentType: string;
  /** The ending of a file of that type, without its dot. */
  readonly extension: string;
  /** Pixels, of an image; `null` for a download. */
  readonly width: number | null;
  readonly height: number | null;
}

interface AssetRow {
  id: string;
  merchant_id: string;
  product_id: string | null;
  kind: 'image' | 'download';
  key: string;
  size: string;
  sha256: string;
  content_type: string;
  extension: string;
  width: number | null;
  height: number | null;
}

/** @returns `undefined` where nothing of that id was uploaded, or it was dropped. */
export async function readAsset(sql: Sql, id: string): Promise<Asset | undefined> {
  const [row] = await sql<AssetRow[]>`select * from commerce.asset where id = ${id}`;
  return row && assetOf(row);
}

function assetOf(row: AssetRow): Asset {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    productId: row.product_id,
    kind: row.kind,
    key: row.key,
    size: Number(row.size),
    sha256: row.sha256,
    contentType: row.content_type,
    extension: row.extension,
    width: row.width,
    height: row.height,
  };
}

/** The files of a product. */
export async function productAssets(sql: Sql, productId: string): Promise<Asset[]> {
  const rows = await sql<AssetRow[]>`
    select * from commerce.asset where product_id = ${productId} order by created_at, id`;
  return rows.map(assetOf);
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
  const row = {
    id: asset.id,
    merchant_id: asset.merchantId,
    product_id: asset.productId,
    kind: asset.kind,
    key: asset.key,
    size: asset.size,
    sha256: asset.sha256,
    content_type: asset.contentType,
    extension: asset.extension,
    width: asset.width,
    height: asset.height,
    created_at: now.toISOString(),
  };
  await sql`insert into commerce.asset ${sql(row)}`;
}

/**
 * Forgets the logos of a merchant but that one.
 * @returns the keys of their files, which may be deleted once this is committed.
 */
export async function dropOtherLogos(
  sql: Sql,
  { id, merchantId }: Pick<Asset, 'id' | 'merchantId'>,
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    delete from commerce.asset
    where merchant_id = ${merchantId} and product_id is null and id <> ${id}
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
