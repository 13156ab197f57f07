import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import type { ReadHead } from '../snapshot.ts';
import { joinStanding } from '../standing.ts';

/** Which rows a report has. */
export interface ReportScope {
  readonly merchant: Address;
  /** As `ledgerId` gives them; empty for all of the merchant's. */
  readonly campaignIds: readonly string[];
  /** Unix seconds, from the first until before the second; `null` for all there was. */
  readonly range: { readonly from: number; readonly to: number } | null;
}

/** A row as the driver answers it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of one kind as of the settled block, in a fixed order that an index gives. */
export interface RowSource {
  /** Ends in its `order by`; answers a field for each column of the kind. */
  readonly rows: Fragment;
  /** Answers one row, with how many there are as `rows`. */
  readonly count: Fragment;
  /** The rows of the report that one row of the query stands for; without it, itself. */
  readonly expand?: (row: Row) => readonly Row[];
}

/**
 * The campaigns of a report, each with the seq of its newest event at or below the settled block, as
 * rows `own` to join to.
 */
export function ownCampaigns(sql: Sql, head: ReadHead, { merchant, campaignIds }: ReportScope) {
  return sql`(
    select campaign.*, standing.seq as settled_seq
    from ledger.campaign campaign
    ${joinStanding(sql, head, sql`seq`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      ${campaignIds.length === 0 ? sql`` : sql`and campaign.campaign_id = any(${[...campaignIds]}::bigint[])`}
  ) own`;
}

/** A condition on a column of unix seconds. */
export function within(sql: Sql, column: Fragment, { range }: ReportScope): Fragment {
  if (range === null) return sql`true`;
  return sql`${column} >= ${range.from}::bigint and ${column} < ${range.to}::bigint`;
}

/** The token's columns, of `own`. */
export function tokenColumns(sql: Sql): Fragment {
  return sql`own.token, own.token_symbol as "tokenSymbol", own.token_decimals as "tokenDecimals"`;
}

/** What every row of a sale tells of it, of `sale`. */
export function saleColumns(sql: Sql): Fragment {
  return sql`sale.block_timestamp as "soldAt", sale.sale_id as "saleId",
    sale.campaign_id as "campaignId", sale.block_number as "blockNumber",
    sale.transaction_hash as "transactionHash"`;
}

/** The sales of a report; the order of its rows is campaign, time, sale. */
export function salesOf(sql: Sql, head: ReadHead, scope: ReportScope): Fragment {
  return sql`${ownCampaigns(sql, head, scope)}
    join ledger.sale sale on sale.campaign_id = own.campaign_id
      and sale.block_number <= ${head.number} and ${within(sql, sql`sale.block_timestamp`, scope)}`;
}
