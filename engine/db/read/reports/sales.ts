import type { Snapshot } from '../snapshot.ts';
import { type ReportScope, type RowSource, saleColumns, salesOf, tokenColumns } from './scope.ts';

/** A row for each sale. Where a later event changed it, the row tells the version before. */
export function saleRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const sales = salesOf(sql, head, scope);
  return {
    count: sql`select count(*) as rows from ${sales}`,
    rows: sql`
      select ${saleColumns(sql)}, ${tokenColumns(sql)}, product.title as product, sale.buyer,
        sale.node_id as "nodeId", node.owner as seller, sale.amount,
        coalesce(past.refunded_total, sale.refunded_total) as refunded, sale.pool,
        sale.policy_version as "policyVersion", own.trust_mode as "trustMode",
        coalesce(past.state, sale.state) as state, sale.hold_until as "holdUntil",
        case when past.state is null then sale.finalized_at else past.finalized_at
          end as "finalizedAt",
        sale.order_key as "orderKey", sale.sku_hash as "skuHash"
      from ${sales}
      left join lateral (
        select version.state, version.refunded_total, version.finalized_at
        from ledger.sale_version version
        where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
          and sale.changed_seq > own.settled_seq and version.seq <= own.settled_seq
        order by version.seq desc limit 1
      ) past on true
      left join ledger.node on node.campaign_id = sale.campaign_id
        and node.node_id = sale.node_id
      left join commerce.merchant on merchant.address = own.merchant
      left join commerce.product on product.merchant_id = merchant.id
        and product.sku_hash = own.sku_hash
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id`,
  };
}
