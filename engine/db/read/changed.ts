import type { Fragment, Sql } from '../connection.ts';

/**
 * What sums of the newest rows are put right with, to be as of the settled block: what came after it.
 * All are over `own`, a table of the statement with a row for each campaign, whose `seq` is its newest
 * event at or below the settled block.
 */

/** Above every seq. */
const LAST_SEQ = '9223372036854775807';

/**
 * Rows that a later event of a campaign of `own` made or changed, as a fragment to join laterally.
 * Nearly always there are none, which the planner cannot know of `own.seq`: the second bound and the
 * fence of `offset 0` make it expect few, and take the index.
 */
function laterRows(sql: Sql, table: 'sale' | 'node' | 'entry', column: 'seq' | 'changed_seq') {
  return sql`(
    select * from ${sql(`ledger.${table}`)} later
    where later.campaign_id = own.campaign_id
      and later.${sql(column)} > own.seq and later.${sql(column)} <= ${LAST_SEQ}::bigint
    offset 0
  ) ${sql(table)}`;
}

/** The sales of a campaign of `own` that a later event recorded or changed, to join laterally. */
export function changedSales(sql: Sql) {
  return laterRows(sql, 'sale', 'changed_seq');
}

/** The nodes of a campaign of `own` that joined later, to join laterally. */
export function laterNodes(sql: Sql) {
  return laterRows(sql, 'node', 'seq');
}

/** The entries of a campaign of `own` that came later, to join laterally. */
export function laterEntries(sql: Sql) {
  return laterRows(sql, 'entry', 'seq');
}

/** Joins to `sale` its version at `own.seq`, as `past`, where a later event changed it. */
export function joinPastVersion(sql: Sql) {
  return sql`
    left join lateral (
      select version.state, version.refunded_total from ledger.sale_version version
      where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
        and sale.changed_seq > own.seq and version.seq <= own.seq
      order by version.seq desc limit 1
    ) past on true`;
}

/** How a sale stood at `own.seq`, of `sale` with its past version: columns to select. */
export function stoodColumns(sql: Sql) {
  return sql`coalesce(past.state, sale.state) as state,
    sale.amount - coalesce(past.refunded_total, sale.refunded_total) as left_over`;
}

/**
 * Of each sale that a later event recorded or changed, what it adds to sums now, with the sign -1, and
 * what it added then; as a fragment to select from.
 * @param columns of `own`, to select with each.
 */
export function changedStandings(sql: Sql, columns: Fragment) {
  return sql`
    select 1 as sign, own.campaign_id, ${columns}, sale.sale_id, sale.node_id,
      sale.block_timestamp, ${stoodColumns(sql)}
    from own cross join lateral ${changedSales(sql)}
    ${joinPastVersion(sql)}
    where sale.seq <= own.seq
    union all
    select -1, own.campaign_id, ${columns}, sale.sale_id, sale.node_id, sale.block_timestamp,
      sale.state, sale.amount - sale.refunded_total
    from own cross join lateral ${changedSales(sql)}`;
}
