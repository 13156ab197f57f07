import type { Fragment, Sql } from '../../connection.ts';
import { asIndexed } from '../../planner.ts';
import { newestMovement } from '../as-of/balance.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { type Earner, earnerCampaigns } from '../earnings/earner-campaigns.ts';
import type { ReadHead } from '../snapshot.ts';

/**
 * Balances of an account in each of its campaigns at moments, for a `with recursive`:
 *
 * - `edge`: the moments with their numbers `n`, from 0, and the block of the newest event before each;
 * - `as_of`: the campaigns, as `earnerCampaigns` selects them;
 * - `span`: for each of them the balances at the last moment, and in `moved` whether they changed since the
 *   first one;
 * - `edge_balance`: for those that did, the balances at each moment. `entry_seq` is the event that moved them
 *   last before it, null if there was none.
 *
 * A movement has the balances after it, so the cost is a few index probes for each campaign, and two more for each
 * moment if its balances changed, however many sales there are.
 * @param moments unix seconds, ascending, two or more.
 */
export function balancesAtEdges(
  sql: Sql,
  head: ReadHead,
  earner: Earner,
  moments: readonly number[],
) {
  const { account } = earner;
  const campaignId = sql`as_of.campaign_id`;
  const eventUntil = (block: Fragment) => newestEvent(sql, { number: block }, campaignId, sql`seq`);
  const movementUntil = (seq: Fragment) => newestMovement(sql, { campaignId, account, seq });
  const last = moments.length - 1;
  return sql`
    ${edgeBlocks(sql, head, moments)},
    as_of as materialized (${earnerCampaigns(sql, head, earner)}),
    span as materialized (
      select as_of.campaign_id, as_of.token,
        opening.seq is distinct from closing.seq as moved, closing.seq is not null as has_balance,
        ${balanceColumns(sql, 'closing')}
      from as_of
      left join lateral ${eventUntil(sql`(select block_number from edge where n = 0)`)} first on true
      left join lateral ${eventUntil(sql`(select block_number from edge where n = ${last}::int)`)} last
        on true
      left join lateral ${movementUntil(sql`first.seq`)} opening on true
      left join lateral ${movementUntil(sql`last.seq`)} closing on true
    ), edge_balance as materialized (
      select as_of.campaign_id, as_of.token, edge.n, edge.moment, balance.seq as entry_seq,
        ${balanceColumns(sql, 'balance')}
      from span as_of cross join edge
      left join lateral ${eventUntil(sql`edge.block_number`)} before_edge on true
      left join lateral ${movementUntil(sql`before_edge.seq`)} balance on true
      where as_of.moved
    )`;
}

/** Balances after a movement, 0 without one, as columns. */
function balanceColumns(sql: Sql, movement: 'closing' | 'balance') {
  const after = (name: string) =>
    sql`coalesce(${sql(`${movement}.${name}_after`)}, 0) as ${sql(name)}`;
  return sql`${after('reserved')}, ${after('claimable')}, ${after('claimed')}, ${after('refunded')},
    ${after('reversed')}`;
}

/**
 * The moments as `edge`, each with the block of the newest event before it, at most that of the head. The ledger
 * has no index of events by time, so the block is searched: each step halves the range of blocks.
 */
export function edgeBlocks(
  sql: Sql,
  { number, timestamp, stopped }: ReadHead,
  moments: readonly number[],
) {
  const stoppedIds = stopped.map(({ campaignId }) => campaignId);
  const block = asIndexed(sql, sql`block_number`);
  return sql`
    -- All events up to the block low are before the moment, and none from the block high on is.
    search (n, moment, low, high) as (
      select (ordinality - 1)::int, moment,
        case when moment > ${timestamp}::bigint then ${number}::bigint else coalesce((
          select block_number from ledger.journal order by ${block}, log_index limit 1
        ), 0) - 1 end,
        ${number}::bigint + 1
      from unnest(${moments.map(String)}::bigint[]) with ordinality as moments (moment, ordinality)
      union all
      select n, moment,
        case when event.block_timestamp >= moment then low else middle end,
        case when event.block_timestamp >= moment then event.block_number else high end
      from (select search.*, (low + high) / 2 as middle from search) searched
      left join lateral (
        select block_number, block_timestamp from ledger.journal
        where ${block} > low and ${block} <= middle
          -- Its events can be of blocks that the chain has replaced.
          and campaign_id <> all(${stoppedIds}::bigint[])
        order by ${block} desc, log_index desc limit 1
      ) event on true
      where high - low > 1
    ), edge as materialized (
      select n, moment, least(low, ${number}::bigint) as block_number from search
      where high - low <= 1
    )`;
}
