import { joinBeforeChange, saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import type { Snapshot } from '../snapshot.ts';
import { type ReportScope, type RowSource, saleColumns, salesOf, tokenColumns } from './scope.ts';

/** A row for each sale, as of the settled block. */
export function saleRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const sales = salesOf(sql, head, scope);
  return {
    count: sql`select count(*) as rows from ${sales}`,
    rows: sql`
      select ${saleColumns(sql)}, ${tokenColumns(sql)}, product.title as product, sale.buyer,
        sale.node_id as "nodeId", node.owner as seller, sale.amount,
        ${saleRefunded(sql)} as refunded, sale.pool,
        sale.policy_version as "policyVersion", as_of.trust_mode as "trustMode",
        ${saleState(sql)} as state, sale.hold_until as "holdUntil",
        ${saleFinalizedAt(sql)} as "finalizedAt",
        sale.order_key as "orderKey", sale.sku_hash as "skuHash"
      from ${sales}
      ${joinBeforeChange(sql, sql`as_of.seq`)}
      left join ledger.node on node.campaign_id = sale.campaign_id
        and node.node_id = sale.node_id
      left join commerce.merchant on merchant.address = as_of.merchant
      left join commerce.product on product.merchant_id = merchant.id
        and product.sku_hash = as_of.sku_hash
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id`,
  };
}
