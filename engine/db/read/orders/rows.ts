import type { Sql } from '../../connection.ts';
import { amount, rowCodec, type View } from '../../row.ts';
import { saleRewards } from '../sales/rewards.ts';
import { saleColumns, saleView } from '../sales/rows.ts';

/** Row codec of `OrderView`. */
export const orderView = rowCodec({
  sale: saleView.fields,
  /** Base units that all levels have of it now. */
  rewards: amount,
});

/** A sale as the backend of its merchant sees it. */
export type OrderView = View<typeof orderView>;

/** Columns of `orderView`, of `sale` with what `joinSale` joins. */
export function orderColumns(sql: Sql) {
  return sql`${saleColumns(sql)}, ${saleRewards(sql)} as rewards`;
}
