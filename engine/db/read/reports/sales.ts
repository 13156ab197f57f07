import { as, hex, nullable, rowCodec, type StoredRow } from '../../row.ts';
import type { ProductVariant } from '../../rows/commerce.ts';
import { joinBeforeChange, saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import { joinSoldProduct } from '../products/rows.ts';
import { variantOfSku } from '../products/variant.ts';
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
        sale.order_key as "orderKey", sale.sku_hash as "skuHash",
        product.version as "productVersion", product.variants, campaign.sku_hash as "ownSku"
      from ${sales}
      ${joinBeforeChange(sql, sql`as_of.seq`)}
      left join ledger.node on node.campaign_id = sale.campaign_id
        and node.node_id = sale.node_id
      cross join lateral (select as_of.merchant, as_of.sku_hash) campaign
      ${joinSoldProduct(sql)}
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id`,
    expand: (row) => [{ ...row, ...variantCells(row) }],
  };
}

const soldSku = rowCodec({
  skuHash: hex.from('skuHash'),
  ownSku: hex.from('ownSku'),
  variants: nullable(as<readonly ProductVariant[]>()),
});

/** The columns of the variant that was sold. */
function variantCells(row: StoredRow) {
  const { skuHash, ownSku, variants } = soldSku.decode(row);
  const variant = variantOfSku(ownSku, variants ?? [], skuHash);
  return { variantId: variant?.id ?? null, variant: variant?.name ?? null };
}
