import type { Address, Hex, TrustMode } from '../../core/events.ts';
import type { SaleState } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import type { AsOf } from './one-read.ts';
import type { TransactionPlace } from './policy-rows.ts';
import {
  type MerchantView,
  merchantOf,
  productJoin,
  type SoldProduct,
  type SoldRow,
  soldColumns,
  soldProductOf,
} from './product-rows.ts';

/** A sale as of the settled block. */
export interface SaleView {
  readonly saleId: string;
  readonly campaignId: string;
  readonly buyer: Address;
  /** `null` for a direct sale. */
  readonly nodeId: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly pool: bigint;
  readonly policyVersion: number;
  /** Unix seconds. */
  readonly holdUntil: number;
  readonly orderKey: Hex;
  /** Of the variant that was sold. */
  readonly skuHash: Hex;
  readonly record: TransactionPlace;
  readonly state: SaleState;
  readonly refundedTotal: bigint;
  /** Unix seconds. */
  readonly finalizedAt: number | null;
  /** Block of the newest of its events. */
  readonly newestBlock: number;
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly trustMode: TrustMode;
  /** Of its campaign. */
  readonly termsHash: Hex;
  readonly campaignSkuHash: Hex;
  readonly seller: MerchantView;
  readonly product: SoldProduct | null;
}

export interface SaleRow extends SoldRow {
  campaign_id: string;
  sale_id: string;
  buyer: Address;
  node_id: string | null;
  amount: string;
  pool: string;
  policy_version: number;
  hold_until: string;
  order_key: Hex;
  sale_sku_hash: Hex;
  block_number: string;
  block_timestamp: string;
  transaction_hash: Hex;
  state: SaleState;
  refunded_total: string;
  finalized_at: string | null;
  newest_block: string;
  token: Address;
  token_decimals: number;
  token_symbol: string;
  token_name: string;
  trust_mode: TrustMode;
  terms_hash: Hex;
  campaign_sku_hash: Hex;
}

export function saleColumns(sql: Sql) {
  return sql`
    sale.campaign_id, sale.sale_id, sale.buyer, sale.node_id, sale.amount, sale.pool,
    sale.policy_version, sale.hold_until, sale.order_key, sale.sku_hash as sale_sku_hash,
    sale.block_number, sale.block_timestamp, sale.transaction_hash,
    coalesce(past.state, sale.state) as state,
    coalesce(past.refunded_total, sale.refunded_total) as refunded_total,
    case when past.state is null then sale.finalized_at else past.finalized_at end as finalized_at,
    newest.block_number as newest_block,
    campaign.token, campaign.token_decimals, campaign.token_symbol, campaign.token_name,
    campaign.trust_mode, campaign.terms_hash, campaign.sku_hash as campaign_sku_hash, ${soldColumns(sql)}`;
}

/**
 * Joins to `sale` all that `saleColumns` names, as of the settled block. The row itself holds the
 * newest state; where a later event changed it, `past` is the version before. `newest` is the
 * newest of the sale's events at or below the settled block.
 */
export function saleJoins(sql: Sql, at: AsOf) {
  return sql`
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    join lateral (
      select seq, block_number from ledger.journal
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id
        and block_number <= ${at.number}
      order by seq desc limit 1
    ) newest on true
    left join lateral (
      select state, refunded_total, finalized_at from ledger.sale_version
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id
        and sale.changed_seq > newest.seq and seq <= newest.seq
      order by seq desc limit 1
    ) past on true
    ${productJoin(sql)}`;
}

export function saleOf(row: SaleRow): SaleView {
  return {
    saleId: row.sale_id,
    campaignId: row.campaign_id,
    buyer: row.buyer,
    nodeId: row.node_id,
    amount: BigInt(row.amount),
    pool: BigInt(row.pool),
    policyVersion: row.policy_version,
    holdUntil: toInteger(row.hold_until),
    orderKey: row.order_key,
    skuHash: row.sale_sku_hash,
    record: {
      hash: row.transaction_hash,
      blockNumber: toInteger(row.block_number),
      timestamp: toInteger(row.block_timestamp),
    },
    state: row.state,
    refundedTotal: BigInt(row.refunded_total),
    finalizedAt: toIntegerOrNull(row.finalized_at),
    newestBlock: toInteger(row.newest_block),
    token: {
      address: row.token,
      symbol: row.token_symbol,
      decimals: row.token_decimals,
      name: row.token_name,
    },
    trustMode: row.trust_mode,
    termsHash: row.terms_hash,
    campaignSkuHash: row.campaign_sku_hash,
    seller: merchantOf(row),
    product: soldProductOf(row),
  };
}
