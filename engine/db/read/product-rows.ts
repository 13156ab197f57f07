import type { Address } from '../../core/events.ts';
import type { ProductInput, ProductMedia, ProductVariant } from '../commerce/save-product.ts';
import type { Sql } from '../connection.ts';

/** The merchant of a campaign; without `profile` only what the chain knows. */
export interface MerchantView {
  readonly address: Address;
  readonly profile: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    /** Sells no more through this service. */
    readonly closed: boolean;
  } | null;
}

/** A product as its merchant wrote it, without what only buyers may see. */
export interface ProductView
  extends Required<
    Omit<ProductInput, 'deliverable' | 'merchantId' | 'skuHash' | 'status' | 'token'>
  > {
  readonly version: number;
  readonly updatedAt: Date;
}

/** What a sale tells of its product, and how it is delivered. */
export type SoldProduct = Pick<
  ProductView,
  'id' | 'title' | 'summary' | 'category' | 'fulfillmentMode' | 'accessTiming'
>;

/** The columns of `soldColumns`. */
export interface SoldRow {
  merchant: Address;
  merchant_id: string | null;
  merchant_slug: string;
  merchant_name: string;
  merchant_closed: boolean;
  product_id: string | null;
  title: string;
  summary: string;
  category: string;
  fulfillment_mode: ProductInput['fulfillmentMode'];
  access_timing: 'afterPurchase' | 'afterHold' | null;
}

/** The columns of `productColumns`. */
export interface ProductRow extends SoldRow {
  outcome: string;
  description: string;
  refund_policy: string;
  product_price: string;
  media: ProductMedia[];
  cover_url: string | null;
  cover_alt: string | null;
  variants: ProductVariant[];
  billing_period: 'monthly' | 'yearly' | null;
  product_version: number;
  product_updated_at: Date;
}

/** The merchant of `campaign`, and what a sale tells of the product, by `productJoin`. */
export function soldColumns(sql: Sql) {
  return sql`
    campaign.merchant, merchant.id as merchant_id, merchant.slug as merchant_slug,
    merchant.name as merchant_name, merchant.closed_at is not null as merchant_closed,
    product.id as product_id, product.title, product.summary, product.category,
    product.fulfillment_mode, product.access_timing`;
}

/** Of `campaign`, and what `productJoin` joins to it. Never the deliverable. */
export function productColumns(sql: Sql) {
  return sql`
    ${soldColumns(sql)}, product.outcome, product.description, product.refund_policy,
    product.price as product_price, product.media, product.cover_url, product.cover_alt,
    product.variants, product.billing_period, product.version as product_version,
    product.updated_at as product_updated_at`;
}

/** Joins profile and product to `campaign`, where there are any. A draft is its merchant's alone. */
export function productJoin(sql: Sql) {
  return sql`
    left join commerce.merchant merchant on merchant.address = campaign.merchant
    left join commerce.product product on product.merchant_id = merchant.id
      and product.sku_hash = campaign.sku_hash and product.status <> 'draft'`;
}

export function merchantOf(row: SoldRow): MerchantView {
  const {
    merchant_id: id,
    merchant_slug: slug,
    merchant_name: name,
    merchant_closed: closed,
  } = row;
  return { address: row.merchant, profile: id === null ? null : { id, slug, name, closed } };
}

export function soldProductOf(row: SoldRow): SoldProduct | null {
  if (row.product_id === null) return null;
  return {
    id: row.product_id,
    title: row.title,
    summary: row.summary,
    category: row.category,
    fulfillmentMode: row.fulfillment_mode,
    accessTiming: row.access_timing,
  };
}

export function productOf(row: ProductRow): ProductView | null {
  const sold = soldProductOf(row);
  return (
    sold && {
      ...sold,
      outcome: row.outcome,
      description: row.description,
      refundPolicy: row.refund_policy,
      price: BigInt(row.product_price),
      media: row.media,
      coverUrl: row.cover_url,
      coverAlt: row.cover_alt,
      variants: row.variants,
      billingPeriod: row.billing_period,
      version: row.product_version,
      updatedAt: row.product_updated_at,
    }
  );
}
