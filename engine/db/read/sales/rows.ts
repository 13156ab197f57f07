import type { TrustMode } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { hexBytes } from '../../hex.ts';
import { fence } from '../../planner.ts';
import {
  address,
  as,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  small,
  text,
  type View,
} from '../../row.ts';
import type { ProductVariant } from '../../rows/commerce.ts';
import { transactionRow } from '../../rows/event.ts';
import { saleRow } from '../../rows/sale.ts';
import { joinBeforeChange, saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import type { AsOf } from '../one-read.ts';
import { joinSoldProduct, merchantView, soldColumns, soldProductView } from '../products/rows.ts';

/** Row codec of `SoldVersion`. */
const soldVersionView = rowCodec({
  ...soldProductView.fields,
  version: small.from('product_version'),
  /** `null` if the sale is of the product's own SKU. */
  variants: nullable(as<readonly ProductVariant[]>().from('sold_variants')),
});

/** The product of a sale, in the version that was sold. */
export type SoldVersion = View<typeof soldVersionView>;

/** Fields of a sale that come from its campaign, and from the campaign's merchant: `termsColumns`. */
export const termsView = rowCodec({
  token: {
    address: address.from('token'),
    symbol: text.from('token_symbol'),
    decimals: small.from('token_decimals'),
    name: text.from('token_name'),
  },
  trustMode: as<TrustMode>(),
  termsHash: hex,
  /** The SKU of the campaign; `skuHash` is the variant that was sold. */
  campaignSkuHash: hex,
  seller: merchantView.fields,
  /** As it was when the sale was recorded. */
  product: optional(soldVersionView.fields),
});

/** Row codec of `SaleView`. */
export const saleView = rowCodec({
  campaignId: id,
  ...saleRow.fields,
  record: transactionRow.fields,
  /** Block of the newest of its events. */
  newestBlock: integer,
  ...termsView.fields,
});

/** A sale as of the settled block. */
export type SaleView = View<typeof saleView>;

/** Columns of `saleView`, of `sale` with what `joinSale` joins. */
export function saleColumns(sql: Sql) {
  return sql`
    sale.campaign_id, sale.sale_id, sale.buyer, sale.node_id, sale.amount, sale.pool,
    sale.policy_version, sale.hold_until, sale.order_key, sale.sku_hash,
    sale.block_number, sale.block_timestamp, sale.transaction_hash, ${saleState(sql)} as state,
    ${saleRefunded(sql)} as refunded_total, ${saleFinalizedAt(sql)} as finalized_at,
    ${newestBlock(sql)} as newest_block, ${termsColumns(sql)}`;
}

/** The columns of `saleView` that are of `campaign` with what `joinProduct` joins. */
export function termsColumns(sql: Sql) {
  return sql`
    campaign.token, campaign.token_decimals, campaign.token_symbol, campaign.token_name,
    campaign.trust_mode, campaign.terms_hash, campaign.sku_hash as campaign_sku_hash, ${soldColumns(sql)},
    product.version as product_version,
    case when sale.sku_hash <> ${hexBytes(sql, sql`campaign.sku_hash`)} then product.variants end as sold_variants`;
}

/**
 * Joins to `sale` all that `saleColumns` names, as of the block; a sale that was recorded above it has no row. As of its newest
 * event then, `before_change` is the state of a sale that a later event changed, as `joinBeforeChange` has it.
 */
export function joinSale(sql: Sql, at: AsOf) {
  return sql`
    join ledger.campaign campaign
      on campaign.campaign_id = sale.campaign_id and sale.block_number <= ${at.number}
    left join lateral (
      select newest.seq as newest_seq, newest.block_number as newest_block, before_change.*
      from (
        select seq, block_number from ledger.journal
        where campaign_id = sale.campaign_id and sale_id = sale.sale_id
          and block_number <= ${at.number}
        order by seq desc limit 1
      ) newest
      ${joinBeforeChange(sql, sql`newest.seq`)}
      -- A sale that nothing has changed since has no other event.
      where sale.changed_seq <> sale.seq ${fence(sql)}
    ) before_change on true
    ${joinSoldProduct(sql)}`;
}

/** Sequence number of the newest event of `sale` as of the block of `joinSale`. */
export function newestSeq(sql: Sql) {
  return sql`coalesce(before_change.newest_seq, sale.seq)`;
}

/** Block of that event. */
function newestBlock(sql: Sql) {
  return sql`coalesce(before_change.newest_block, sale.block_number)`;
}
