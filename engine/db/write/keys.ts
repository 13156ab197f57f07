import type { Fragment, Sql } from '../connection.ts';
import { byteaText } from '../hex.ts';

/** Keys by which rows of one campaign are read; a kind that is left out has no keys. */
export interface Keys {
  readonly campaign_id: string;
  readonly nodes?: readonly string[];
  readonly sales?: readonly string[];
  readonly accounts?: readonly string[];
}

/**
 * `named (campaign_id, nodes, sales, accounts)` for a `from`: one row for each campaign. Rows are read by it
 * in a `lateral` with a `fence`.
 */
export function keysTable(sql: Sql, keys: readonly Keys[]): Fragment {
  const rows = keys.map(({ accounts, ...others }) =>
    accounts === undefined ? others : { ...others, accounts: accounts.map(byteaText) },
  );
  return sql`
    json_to_recordset(${JSON.stringify(rows)}::text::json)
      as named (campaign_id bigint, nodes bigint[], sales bigint[], accounts bytea[])`;
}

/** The keys that name a sale. */
export function withSales(keys: readonly Keys[]): readonly Keys[] {
  return keys.filter(({ sales }) => sales !== undefined && sales.length > 0);
}

/**
 * The sales that a row of `named` names, as `sold`, to join laterally. Each is looked up by its whole key: for a list of
 * them the planner also takes an index with another column before the sale, and reads all sales of the campaign.
 */
export function eachSale(sql: Sql): Fragment {
  return sql`unnest(named.sales) as sold (sale_id)`;
}
