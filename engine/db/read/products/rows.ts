import type { AskedDetails } from '../../../core/buyer-details.ts';
import type { Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import {
  address,
  amount,
  as,
  date,
  flag,
  nullable,
  optional,
  rowCodec,
  small,
  text,
  type View,
} from '../../row.ts';
import type { ProductInput, ProductMedia, ProductVariant } from '../../rows/commerce.ts';

/** Row codec of `MerchantView`. */
export const merchantView = rowCodec({
  address: address.from('merchant'),
  profile: optional({
    id: text.from('merchant_id'),
    slug: text.from('merchant_slug'),
    name: text.from('merchant_name'),
    /** True if it has stopped selling through this service. */
    closed: flag.from('merchant_closed'),
  }),
});

/** The merchant of a campaign. `profile` is null if only the chain knows the merchant. */
export type MerchantView = View<typeof merchantView>;

/** Row codec of `SoldProduct`. */
export const soldProductView = rowCodec({
  id: text.from('product_id'),
  title: text,
  summary: text,
  category: text,
  fulfillmentMode: as<ProductInput['fulfillmentMode']>(),
  accessTiming: nullable(as<'afterPurchase' | 'afterHold'>()),
});

/** The product of a sale, and how it is delivered. */
export type SoldProduct = View<typeof soldProductView>;

/** Row codec of `ProductView`. */
export const productView = rowCodec({
  ...soldProductView.fields,
  outcome: text,
  description: text,
  refundPolicy: text,
  /** Base units. */
  price: amount.from('product_price'),
  media: as<readonly ProductMedia[]>(),
  coverUrl: nullable(text),
  coverAlt: nullable(text),
  /** `null` in a version from before there were such. */
  asks: nullable(as<AskedDetails>()),
  variants: as<readonly ProductVariant[]>(),
  billingPeriod: nullable(as<'monthly' | 'yearly'>()),
  version: small.from('product_version'),
  updatedAt: date.from('product_updated_at'),
});

/** A product as its merchant wrote it, without what only buyers may see. */
export type ProductView = View<typeof productView>;

/** Columns of `merchantView` and `soldProductView`: `campaign` with what `joinProduct` joins. */
export function soldColumns(sql: Sql) {
  return sql`
    campaign.merchant, merchant.id as merchant_id, merchant.slug as merchant_slug,
    merchant.name as merchant_name, merchant.closed_at is not null as merchant_closed,
    product.id as product_id, product.title, product.summary, product.category,
    product.fulfillment_mode, product.access_timing`;
}

/** Columns of `merchantView` and `productView`, never the deliverable. */
export function productColumns(sql: Sql) {
  return sql`
    ${soldColumns(sql)}, product.outcome, product.description, product.refund_policy,
    product.price as product_price, product.media, product.cover_url, product.cover_alt, product.asks,
    product.variants, product.billing_period, product.version as product_version,
    product.updated_at as product_updated_at`;
}

/** Joins profile and product to `campaign`, if it has any. A draft is visible to its merchant alone. */
export function joinProduct(sql: Sql) {
  return sql`
    left join commerce.merchant merchant on merchant.address = campaign.merchant
    left join commerce.product product on product.merchant_id = merchant.id
      and product.sku_hash = campaign.sku_hash and product.status <> 'draft'`;
}

/** The columns of a sold product, and their types, in the body of its version. */
const VERSION_COLUMNS = {
  title: 'text',
  summary: 'text',
  category: 'text',
  fulfillment_mode: 'text',
  access_timing: 'text',
  refund_policy: 'text',
  variants: 'jsonb',
} as const;

/**
 * Joins profile and product to `campaign` and its `sale`, the product as it was when the sale was recorded: the
 * newest published version that was saved at or before the time of its block, or else the first published one.
 * Versions never change, so neither does what a sale shows and delivers (docs/reference/api.md, "What was sold"). Nearly
 * always that is the version that the product has now: then the index alone says so, and no version is read.
 */
export function joinSoldProduct(sql: Sql) {
  const columns = Object.keys(VERSION_COLUMNS).map(
    (name) => `case when sold.number = described.version then described.${name}
      else earlier.${name} end as ${name}`,
  );
  const published = sql`version.product_id = described.id and version.body ->> 'status' <> 'draft'`;
  return sql`
    left join commerce.merchant merchant on merchant.address = campaign.merchant
    left join commerce.product described on described.merchant_id = merchant.id
      and described.sku_hash = campaign.sku_hash and described.status <> 'draft'
    left join lateral (
      select coalesce((
        select version.version from commerce.product_version version
        where ${published} and version.saved_at <= to_timestamp(sale.block_timestamp)
        order by version.saved_at desc, version.version desc limit 1
      ), (
        select version.version from commerce.product_version version
        where ${published}
        order by version.saved_at, version.version limit 1
      )) as number
      -- Without it each use of the number would look it up again.
      ${fence(sql)}
    ) sold on true
    left join lateral (
      select earlier.* from commerce.product_version version
      cross join lateral jsonb_to_record(version.body) earlier (
        ${sql.unsafe(
          Object.entries(VERSION_COLUMNS)
            .map((column) => column.join(' '))
            .join(', '),
        )}
      )
      where version.product_id = described.id and version.version = sold.number
        and sold.number <> described.version
      -- Nor is a version read that is the product's own.
      ${fence(sql)}
    ) earlier on true
    left join lateral (
      select described.id, sold.number as version, ${sql.unsafe(columns.join(', '))}
    ) product on sold.number is not null`;
}
