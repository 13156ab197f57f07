import type { Fragment, Sql } from '../connection.ts';
import { fence } from '../planner.ts';
import { joinBeforeChange, saleRefunded, saleState } from './as-of/sale.ts';

/**
 * Corrections that turn totals of the newest rows into totals as of the settled block. All of them read
 * `as_of`, a table of the statement with a row for each campaign, whose `seq` is its newest event at or
 * below the settled block.
 */

/** Above every sequence number. */
export const MAX_SEQ = '9223372036854775807';

/**
 * Rows that an event after `as_of.seq` made or changed, to join laterally. There are nearly always none,
 * which the planner cannot know of `as_of.seq`: the second bound and the fence make it expect few, and
 * use the index.
 */
function laterRows(sql: Sql, table: 'sale' | 'node' | 'entry', column: 'seq' | 'changed_seq') {
  return sql`(
    select * from ${sql(`ledger.${table}`)} later
    where later.campaign_id = as_of.campaign_id
      and later.${sql(column)} > as_of.seq and later.${sql(column)} <= ${MAX_SEQ}::bigint
    ${fence(sql)}
  ) ${sql(table)}`;
}

/** Sales of a campaign of `as_of` that a later event recorded or changed, as `sale`, to join laterally. */
export function changedSales(sql: Sql) {
  return laterRows(sql, 'sale', 'changed_seq');
}

/** Nodes of a campaign of `as_of` that joined later, as `node`, to join laterally. */
export function laterNodes(sql: Sql) {
  return laterRows(sql, 'node', 'seq');
}

/** Accounts whose money later events of a campaign of `as_of` moved, as `moved`, to join laterally. */
export function accountsMovedLater(sql: Sql) {
  return sql`(
    select entry.account from ${laterRows(sql, 'entry', 'seq')}
    union all
    select level.recipient from ${changedSales(sql)}
    join ledger.sale_level level on level.campaign_id = sale.campaign_id
      and level.sale_id = sale.sale_id and level.share <> 0
    where sale.seq > as_of.seq
  ) moved`;
}

/** Joins to `sale` its version as of `as_of.seq` (see `joinBeforeChange`). */
export function joinSaleAsOf(sql: Sql) {
  return joinBeforeChange(sql, sql`as_of.seq`);
}

/** State and remaining value of `sale` after `joinSaleAsOf`, as columns to select. */
export function saleAsOf(sql: Sql) {
  return sql`${saleState(sql)} as state, sale.amount - ${saleRefunded(sql)} as remaining`;
}

/**
 * Each sale that a later event recorded or changed, twice: with `sign` 1 as it was as of `as_of.seq`, and
 * with `sign` -1 as it is now, which is what the totals include. A fragment to select from.
 * @param columns of `as_of`, to select with each row.
 */
export function saleCorrections(sql: Sql, columns: Fragment) {
  return sql`
    select 1 as sign, as_of.campaign_id, ${columns}, sale.sale_id, sale.node_id,
      sale.block_timestamp, ${saleAsOf(sql)}
    from as_of cross join lateral ${changedSales(sql)}
    ${joinSaleAsOf(sql)}
    where sale.seq <= as_of.seq
    union all
    select -1, as_of.campaign_id, ${columns}, sale.sale_id, sale.node_id, sale.block_timestamp,
      sale.state, sale.amount - sale.refunded_total
    from as_of cross join lateral ${changedSales(sql)}`;
}
