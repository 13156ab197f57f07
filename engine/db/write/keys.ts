import type { Fragment, Sql } from '../connection.ts';

/** What rows of one campaign are looked up by; what is left out names nothing. */
export interface Keys {
  readonly campaign_id: string;
  readonly nodes?: readonly string[];
  readonly sales?: readonly string[];
  readonly accounts?: readonly string[];
}

/**
 * `named (campaign_id, nodes, sales, accounts)` of a `from`: a row a campaign. What is looked up by it
 * goes into a `lateral` with a fence (`offset 0`), so that each campaign's rows are found by their whole
 * keys: planned in a ledger that is new, a join would read whole tables for as long as the plan is kept.
 */
export function keysTable(sql: Sql, keys: readonly Keys[]): Fragment {
  return sql`
    json_to_recordset(${JSON.stringify(keys)}::text::json)
      as named (campaign_id bigint, nodes bigint[], sales bigint[], accounts text[])`;
}

/** Those that name a sale. */
export function withSales(keys: readonly Keys[]): readonly Keys[] {
  return keys.filter(({ sales }) => sales !== undefined && sales.length > 0);
}
