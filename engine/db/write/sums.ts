import type { Fragment, Sql } from '../connection.ts';
import { grouped } from './grouped.ts';
import { type Keys, keysTable, withSales } from './keys.ts';
import { takeBackLastSettled } from './last-settled.ts';
import { isNewAndPending } from './new-sale-sums.ts';
import type { Folded } from './rows.ts';
import type { ChangedSale } from './sales.ts';

/**
 * The sums by day that analytics read (0017_sums.sql), and those by account that partners, earnings and
 * rankings read (0018_account_sums.sql, 0019_ranked_sums.sql). Each batch takes out what the sales that it
 * changes added before it, and puts in what they add after it: read from the rows themselves, by the one
 * definition that the audit holds the sums against. What sales that are new and pending add is reckoned
 * (`new-sale-sums.ts`). Its cost follows the batch. Each statement is sent where it is called, so that
 * those of a batch go together, in the order of the calls.
 */

/** Takes out what a batch is about to change. */
export async function takeOutChanged(sql: Sql, changed: readonly ChangedSale[]): Promise<void> {
  await takeOutSales(sql, keysOf(changed.filter(({ recorded }) => recorded === undefined)));
}

/** Puts in what a batch changed, and recorded but for what is pending still; its rows are written. */
export async function putInChanged(
  sql: Sql,
  changed: readonly ChangedSale[],
  folded: readonly Folded[],
): Promise<void> {
  const reversed = changed.filter(({ sale }) => sale.state === 'reversed');
  await Promise.all([
    putInSales(sql, keysOf(changed.filter((one) => !isNewAndPending(one)))),
    putInNodes(sql, firstsOf(folded.filter(({ fact }) => fact.name === 'NodeJoined'))),
    takeBackLastSettled(sql, keysOf(reversed)),
    dropEmptyDays(sql, [...new Set(reversed.map(({ campaignId }) => campaignId))]),
  ]);
}

/** Sales of campaigns, as what they are looked up by. */
function keysOf(changed: readonly ChangedSale[]): readonly Keys[] {
  const ids = grouped(
    changed,
    ({ campaignId }) => campaignId,
    ({ sale }) => sale.saleId,
  );
  return [...ids].map(([campaign_id, sales]) => ({ campaign_id, sales }));
}

/** The oldest event of each campaign; those of a campaign are in their order. */
function firstsOf(folded: readonly Folded[]): readonly EventsFrom[] {
  const first = new Map<string, EventsFrom>();
  for (const { seq, fact } of folded) {
    const { campaignId } = fact;
    if (!first.has(campaignId)) first.set(campaignId, { campaignId, afterSeq: seq - 1 });
  }
  return [...first.values()];
}

/** A campaign's events after its event `afterSeq`. */
interface EventsFrom {
  readonly campaignId: string;
  readonly afterSeq: number;
}

/** Takes sales out of the sums, before their rows are changed or deleted. */
export async function takeOutSales(sql: Sql, sales: readonly Keys[]): Promise<void> {
  await addSales(sql, sales, -1);
}

/** Puts sales into the sums, as their rows stand now. */
export async function putInSales(sql: Sql, sales: readonly Keys[]): Promise<void> {
  await addSales(sql, sales, 1);
}

/** One statement over the sales' rows; the sums are added to, so the order of batches is no matter. */
async function addSales(sql: Sql, all: readonly Keys[], sign: 1 | -1): Promise<void> {
  const keys = withSales(all);
  if (keys.length === 0) return;
  await sql`
    with named as materialized (select * from ${keysTable(sql, keys)}),
    added as materialized (${ofNamed(sql, 'sale_sum')}), by_depth as (
      insert into ledger.depth_day as kept
      select campaign_id, day, depth, ${sign}::int * sum(finalized), ${sign}::int * sum(rewards)
      from added where depth is not null group by campaign_id, day, depth
      on conflict (campaign_id, day, depth) do update set
        finalized = kept.finalized + excluded.finalized, rewards = kept.rewards + excluded.rewards
    ), by_cohort as (
      insert into ledger.cohort_week as kept
      select campaign_id, join_day, week, ${sign}::int * sum(finalized)
      from added where join_day is not null group by campaign_id, join_day, week
      on conflict (campaign_id, join_day, week) do update set
        finalized = kept.finalized + excluded.finalized
    ), by_account as (
      insert into ledger.account_sum as kept (campaign_id, account, links, direct, network,
        direct_settled, network_settled, settled_value, ranked_pending, ranked_direct,
        ranked_network, ranked_refunded, ranked_reversed, ranked_value, last_settled_at)
      select campaign_id, account, 0, ${sign}::int * sum(direct), ${sign}::int * sum(network),
        ${sign}::int * sum(direct_settled), ${sign}::int * sum(network_settled),
        ${sign}::int * sum(settled_value), ${sign}::int * sum(ranked_pending),
        ${sign}::int * sum(ranked_direct), ${sign}::int * sum(ranked_network),
        ${sign}::int * sum(ranked_refunded), ${sign}::int * sum(ranked_reversed),
        ${sign}::int * sum(ranked_value), max(last_settled_at)
      from (${ofNamed(sql, 'sale_account')}) added group by campaign_id, account
      on conflict (campaign_id, account) do update set
        direct = kept.direct + excluded.direct, network = kept.network + excluded.network,
        direct_settled = kept.direct_settled + excluded.direct_settled,
        network_settled = kept.network_settled + excluded.network_settled,
        settled_value = kept.settled_value + excluded.settled_value,
        ranked_pending = kept.ranked_pending + excluded.ranked_pending,
        ranked_direct = kept.ranked_direct + excluded.ranked_direct,
        ranked_network = kept.ranked_network + excluded.ranked_network,
        ranked_refunded = kept.ranked_refunded + excluded.ranked_refunded,
        ranked_reversed = kept.ranked_reversed + excluded.ranked_reversed,
        ranked_value = kept.ranked_value + excluded.ranked_value,
        -- What was taken out may be the newest: then it is looked up (last-settled.ts).
        last_settled_at = greatest(kept.last_settled_at, excluded.last_settled_at)
    )
    insert into ledger.sale_day as kept
    select campaign_id, day, linked, ${sign}::int * sum(pending), ${sign}::int * sum(finalized),
      ${sign}::int * sum(refunded), ${sign}::int * sum(reversed), ${sign}::int * sum(value),
      ${sign}::int * sum(rewards)
    from added group by campaign_id, day, linked
    on conflict (campaign_id, day, linked) do update set
      pending = kept.pending + excluded.pending, finalized = kept.finalized + excluded.finalized,
      refunded = kept.refunded + excluded.refunded, reversed = kept.reversed + excluded.reversed,
      value = kept.value + excluded.value, rewards = kept.rewards + excluded.rewards`.execute();
}

/** What sales add to sums, of the sales that `named` names. */
function ofNamed(sql: Sql, view: 'sale_sum' | 'sale_account'): Fragment {
  return sql`
    select of_sale.* from named cross join lateral (
      select * from ${sql(`ledger.${view}`)}
      where campaign_id = named.campaign_id and sale_id = any(named.sales) offset 0
    ) of_sale`;
}

/** Puts the nodes that joined after events into the sums; their rows are written. */
async function putInNodes(sql: Sql, events: readonly EventsFrom[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    with joined as materialized (${nodesAfter(sql, events)}), by_account as (
      insert into ledger.account_sum as kept
      select campaign_id, owner, count(*), min(block_timestamp), max(block_timestamp),
        0, 0, 0, 0, 0
      from joined group by campaign_id, owner
      on conflict (campaign_id, account) do update set links = kept.links + excluded.links,
        first_link_at = coalesce(kept.first_link_at, excluded.first_link_at),
        last_link_at = excluded.last_link_at
    )
    insert into ledger.node_day as kept
    select campaign_id, block_timestamp / 86400, count(*) from joined group by 1, 2
    on conflict (campaign_id, day) do update set joined = kept.joined + excluded.joined`.execute();
}

/**
 * Takes the nodes that joined after an event out of the sums, before their rows are deleted. When an
 * account's first one joined stays as it is: where none is left, the account has no sales either.
 */
export async function takeOutNodes(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  await sql`
    with joined as materialized (${nodesAfter(sql, [{ campaignId, afterSeq }])}), by_account as (
      update ledger.account_sum kept set links = kept.links - gone.links,
        last_link_at = (
          select node.block_timestamp from ledger.node
          where node.owner = gone.owner and node.campaign_id = ${campaignId}
            and node.seq <= ${afterSeq}
          order by node.node_id desc limit 1
        )
      from (select owner, count(*) as links from joined group by owner) gone
      where kept.campaign_id = ${campaignId} and kept.account = gone.owner
    )
    insert into ledger.node_day as kept
    select ${campaignId}::bigint, block_timestamp / 86400, -count(*) from joined group by 2
    on conflict (campaign_id, day) do update set joined = kept.joined + excluded.joined`;
}

function nodesAfter(sql: Sql, events: readonly EventsFrom[]): Fragment {
  return sql`
    select node.* from unnest(
      ${events.map(({ campaignId }) => campaignId)}::bigint[],
      ${events.map(({ afterSeq }) => afterSeq)}::bigint[]
    ) as named (campaign_id, after_seq)
    cross join lateral (
      select campaign_id, owner, block_timestamp from ledger.node
      where campaign_id = named.campaign_id and seq > named.after_seq offset 0
    ) node`;
}

/**
 * Deletes sums of nothing by day, which a fold of the same events alone would not have made. Only a
 * reversal or a roll-back leaves any.
 */
export async function dropEmptyDays(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  if (campaignIds.length === 0) return;
  const ofThem = sql`campaign_id = any(${[...campaignIds]}::bigint[])`;
  await sql`
    with by_depth as (
      delete from ledger.depth_day where ${ofThem} and finalized = 0
    ), by_cohort as (
      delete from ledger.cohort_week where ${ofThem} and finalized = 0
    ), by_join as (
      delete from ledger.node_day where ${ofThem} and joined = 0
    )
    delete from ledger.sale_day
    where ${ofThem} and pending + finalized + refunded + reversed = 0`.execute();
}

/** The same of these accounts, which only a roll-back leaves with nothing. */
export async function dropEmptyAccounts(
  sql: Sql,
  campaignId: string,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  await sql`
    delete from ledger.account_sum
    where campaign_id = ${campaignId} and account = any(${[...accounts]}::text[])
      and links = 0 and direct + network = 0`;
}
