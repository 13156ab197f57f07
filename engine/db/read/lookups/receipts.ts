import type { StoredRow } from '../../row.ts';
import type { OneRead } from '../one-read.ts';
import { joinSale, type SaleView, saleColumns, saleView } from '../sales/rows.ts';

/**
 * Sales by their ids, by sale id: one statement. While a reorg moves an id from one campaign to another, the sale
 * of the newer block has it, as for `getSale`.
 * @param saleIds as `probeId` returns them.
 */
export function salesById(
  saleIds: readonly string[],
): OneRead<StoredRow, ReadonlyMap<string, SaleView>> {
  return {
    select: (sql, at) => sql`
      select distinct on (sale.sale_id) ${saleColumns(sql)}
      from unnest(${[...saleIds]}::bigint[]) named (sale_id)
      join ledger.sale sale on sale.sale_id = named.sale_id and sale.block_number <= ${at.number}
      ${joinSale(sql, at)}
      order by sale.sale_id, sale.block_number desc, sale.campaign_id desc`,
    answer: (rows) => {
      const sales = rows.map(saleView.decode);
      return new Map(sales.map((sale) => [sale.saleId, sale]));
    },
  };
}
