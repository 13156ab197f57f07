import type { Address } from '../../../core/events.ts';
import type { Balances } from '../../../core/fold/state.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { groupBy } from '../../group-by.ts';
import { fence } from '../../planner.ts';
import { address, amount, rowCodec, type StoredRow, small, text } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import type { NamedToken } from '../tokens.ts';
import { balancesAtEdges } from './balances.ts';

const edgeRow = rowCodec({
  token: {
    address: address.from('token'),
    symbol: text.from('token_symbol'),
    decimals: small.from('token_decimals'),
    name: text.from('token_name'),
  },
  /** Number of the edge, from 0. */
  n: small,
  balances: {
    reserved: amount,
    claimable: amount,
    claimed: amount,
    refunded: amount,
    reversed: amount,
  },
  missed: amount,
});

/** An account's rewards in one token at the edge of a period, base units. */
export interface StatementEdge {
  readonly balances: Balances;
  /** Rewards of sales of the period that ends there, lost to caps. */
  readonly missed: bigint;
}

/** An account's rewards in one token, one item for each edge. */
export interface TokenStatement {
  readonly token: NamedToken;
  readonly edges: readonly StatementEdge[];
}

/** Filters of a statement; `undefined` does not filter. */
export interface StatementFilter {
  readonly campaignId: string | undefined;
  /** Lower case. */
  readonly token: Address | undefined;
}

/**
 * An account's rewards at moments, token by token, by address: one statement. Tokens without any reward or missed
 * reward before the last moment are left out.
 * @param moments unix seconds, ascending, two or more.
 * @param maxTokens largest number of tokens.
 */
export async function readStatement(
  { sql, head }: Snapshot,
  account: Address,
  moments: readonly number[],
  { campaignId, token }: StatementFilter,
  maxTokens: number,
): Promise<TokenStatement[]> {
  const campaignIds = campaignId === undefined ? undefined : [campaignId];
  const rows = await sql<StoredRow[]>`
    with recursive ${balancesAtEdges(sql, head, { account, campaignIds }, moments)},
    missed_in as materialized (${missedByPeriod(sql, account, moments)}), rewarded as (
      select token from (
        select token from span where has_balance union select token from missed_in
      ) known
      ${token === undefined ? sql`` : sql`where token = ${token}`}
      order by token limit ${maxTokens}
    ), total as (${balancesByToken(sql)})
    select total.*, campaign.token_symbol, campaign.token_decimals, campaign.token_name,
      coalesce(missed_in.missed, 0) as missed
    from total
    join rewarded on rewarded.token = total.token
    join ledger.campaign on campaign.campaign_id = total.newest
    left join missed_in on missed_in.token = total.token and missed_in.n = total.n
    order by total.token, total.n`;
  const byToken = groupBy(
    rows.map(edgeRow.decode),
    ({ token }) => token.address,
    (edge) => edge,
  );
  return [...byToken.values()].flatMap((edges) =>
    edges[0] === undefined ? [] : [{ token: edges[0].token, edges }],
  );
}

/** A select of the account's missed rewards in campaigns of `as_of`, by token and the period of their sales. */
function missedByPeriod(sql: Sql, account: Address, moments: readonly number[]): Fragment {
  const edges = moments.map(String);
  const last = edges.at(-1) ?? '0';
  return sql`
    select as_of.token, width_bucket(sale.block_timestamp, ${edges}::bigint[]) as n,
      sum(missed.amount) as missed
    from as_of
    join ledger.missed_reward missed on missed.campaign_id = as_of.campaign_id
      and missed.recipient = ${account} and missed.seq <= as_of.seq
    cross join lateral (
      select block_timestamp from ledger.sale
      where campaign_id = missed.campaign_id and sale_id = missed.sale_id ${fence(sql)}
    ) sale
    where sale.block_timestamp < ${last}::bigint
    group by as_of.token, 2`;
}

/** A select of the balances at each edge by token, also those that did not move between the edges (`span`). */
function balancesByToken(sql: Sql): Fragment {
  return sql`
    select token, n, max(campaign_id) as newest, sum(reserved) as reserved,
      sum(claimable) as claimable, sum(claimed) as claimed, sum(refunded) as refunded,
      sum(reversed) as reversed
    from (
      select token, n, campaign_id, reserved, claimable, claimed, refunded, reversed
      from edge_balance
      union all
      select still.token, edge.n, still.campaign_id, still.reserved, still.claimable,
        still.claimed, still.refunded, still.reversed
      from (
        select token, max(campaign_id) as campaign_id, sum(reserved) as reserved,
          sum(claimable) as claimable, sum(claimed) as claimed, sum(refunded) as refunded,
          sum(reversed) as reversed
        from span where not moved group by token
      ) still cross join edge
    ) parts group by token, n`;
}
