import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import type { StoredRow } from '../../row.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import type { ReadHead } from '../snapshot.ts';

/** The campaigns and the time of a report. */
export interface ReportScope {
  readonly merchant: Address;
  /** As `ledgerId` returns them; empty for all of the merchant's. */
  readonly campaignIds: readonly string[];
  /** Unix seconds, `to` exclusive; `null` for all time. */
  readonly range: { readonly from: number; readonly to: number } | null;
}

/** The rows of one kind as of the settled block, in the order of an index. */
export interface RowSource {
  /** Ends in its `order by`; returns a field for each column of the kind. */
  readonly rows: Fragment;
  /** Returns one row, with the number of rows as `rows`. */
  readonly count: Fragment;
  /** The rows of the report for one row of the query; if left out, that row itself. */
  readonly expand?: (row: StoredRow) => readonly StoredRow[];
}

/** The campaigns of a report as `as_of`, each with its newest event at or below the settled block as `seq`. */
export function reportCampaigns(sql: Sql, head: ReadHead, { merchant, campaignIds }: ReportScope) {
  return sql`(
    select campaign.*, campaign_state.seq
    from ledger.campaign campaign
    ${joinCampaignState(sql, head, sql`seq`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      ${campaignIds.length === 0 ? sql`` : sql`and campaign.campaign_id = any(${[...campaignIds]}::bigint[])`}
  ) as_of`;
}

/** A condition on a column of unix seconds. */
export function within(sql: Sql, column: Fragment, { range }: ReportScope): Fragment {
  if (range === null) return sql`true`;
  return sql`${column} >= ${range.from}::bigint and ${column} < ${range.to}::bigint`;
}

/** The columns of the token, of `as_of`. */
export function tokenColumns(sql: Sql): Fragment {
  return sql`as_of.token, as_of.token_symbol as "tokenSymbol", as_of.token_decimals as "tokenDecimals"`;
}

/** The columns of `sale` that every row about a sale has. */
export function saleColumns(sql: Sql): Fragment {
  return sql`sale.block_timestamp as "soldAt", sale.sale_id as "saleId",
    sale.campaign_id as "campaignId", sale.block_number as "blockNumber",
    sale.transaction_hash as "transactionHash"`;
}

/** The sales of a report; the order of its rows is campaign, time, sale. */
export function salesOf(sql: Sql, head: ReadHead, scope: ReportScope): Fragment {
  return sql`${reportCampaigns(sql, head, scope)}
    join ledger.sale sale on sale.campaign_id = as_of.campaign_id
      and sale.block_number <= ${head.number} and ${within(sql, sql`sale.block_timestamp`, scope)}`;
}
