import type { Address } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import { fence, limitTo } from '../planner.ts';
import { amount, integer, rowCodec, type StoredRow, type View } from '../row.ts';
import { joinCampaignState } from './as-of/campaign.ts';
import { isListed } from './campaigns/filters.ts';
import type { AsOf, OneRead } from './one-read.ts';
import type { Snapshot } from './snapshot.ts';
import { tokenView, tokenWords } from './tokens.ts';

const tokenTotals = rowCodec({
  token: tokenView.fields,
  campaigns: integer,
  sales: integer,
  settledSales: integer,
  deposited: amount,
  rewardsClaimed: amount,
  nativeVolume: amount,
});

/** Totals of all campaigns in a token, amounts in base units. */
export type TokenTotals = View<typeof tokenTotals>;

/**
 * Tokens by address, with the totals of their campaigns: one statement, with one index probe for each token and
 * each of its campaigns.
 * @param after address of the last token of the previous page.
 */
export function tokenTotalsRead(page: {
  readonly after: string | undefined;
  readonly limit: number;
}): OneRead<StoredRow, TokenTotals[]> {
  const { after = '', limit } = page;
  return {
    select: (sql, at) => sql`
      with recursive used (token, position) as (
        select (
          select token from ledger.campaign
          where token > ${after} and created_block <= ${at.number} order by token limit 1
        ), 1
        union all
        select (
          select token from ledger.campaign
          where token > used.token and created_block <= ${at.number} order by token limit 1
        ), used.position + 1
        from used where used.token is not null and used.position < ${limit}
      )
      select used.token, totals.* from used cross join lateral (
        ${totalsOf(sql, at, sql`used.token`)}
      ) totals
      where used.token is not null
      order by used.token ${limitTo(sql, limit)}`,
    answer: (rows) => rows.map(tokenTotals.decode),
  };
}

/**
 * Totals of the listed campaigns of each of these tokens, in their order: one statement. A token without a listed
 * campaign is left out.
 */
export async function listedTokenTotals(
  { sql, head }: Snapshot,
  tokens: readonly Address[],
): Promise<TokenTotals[]> {
  const rows = await sql<StoredRow[]>`
    select named.token, totals.*
    from unnest(${[...tokens]}::text[]) with ordinality named (token, position)
    cross join lateral (
      ${totalsOf(sql, head, sql`named.token`, sql`where ${isListed(sql)}`)}
    ) totals
    where totals.campaigns > 0
    order by named.position`;
  return rows.map(tokenTotals.decode);
}

/** The totals of a token, as a select of one row. @param condition on `campaign`: `where …`. */
function totalsOf(sql: Sql, at: AsOf, token: Fragment, condition: Fragment = sql``) {
  return sql`
    select ${tokenWords(sql)}, count(*) as campaigns,
      sum(campaign_state.pending_count + campaign_state.finalized_count
        + campaign_state.refunded_count) as sales,
      sum(campaign_state.finalized_count - campaign_state.reversed_count) as settled_sales,
      sum(campaign_state.net_deposited) as deposited,
      sum(campaign_state.rewards_claimed) as rewards_claimed,
      sum(campaign_state.proceeds_pending + campaign_state.proceeds_claimable
        + campaign_state.proceeds_claimed + campaign_state.buyer_refunded) as native_volume
    from (
      select campaign.* from ledger.campaign campaign
      where campaign.token = ${token} and campaign.created_block <= ${at.number} ${fence(sql)}
    ) campaign ${joinCampaignState(sql, at)}
    ${condition}`;
}
