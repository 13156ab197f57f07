import type { Fragment, Sql } from '../connection.ts';
import { groupBy } from '../group-by.ts';
import { fence } from '../planner.ts';
import { commaSeparated } from '../sql.ts';
import { eachSale, type Keys, keysTable, withSales } from './keys.ts';
import { restoreAfterReversal } from './last-settled.ts';
import { isNewAndPending } from './new-sale-sums.ts';
import type { Folded } from './rows.ts';
import type { ChangedSale } from './sales.ts';
import { accumulateSql, unnestSql } from './statements.ts';

/**
 * Running totals: by day for analytics, and by account for partners, earnings and rankings (docs/how-it-works/ledger.md).
 * A batch subtracts what the sales that it changes counted for before it, and adds what they count for after
 * it. Both are read from the rows by one definition (the views `sale_sum` and `sale_account`), with which the
 * audit compares the totals. New sales that are still pending are computed instead (`new-sale-sums.ts`).
 * The cost follows the batch. Each statement is sent when its function is called, in the order of the calls.
 */

/** Subtracts the sales that a batch is about to change. */
export async function subtractFromTotals(sql: Sql, changed: readonly ChangedSale[]): Promise<void> {
  await subtractSales(sql, keysOf(changed.filter(({ recorded }) => recorded === undefined)));
}

/** Adds what a batch changed and recorded, except new sales that are still pending; its rows are written. */
export async function addToTotals(
  sql: Sql,
  changed: readonly ChangedSale[],
  folded: readonly Folded[],
): Promise<void> {
  const reversed = changed.filter(({ sale }) => sale.state === 'reversed');
  await Promise.all([
    addSales(sql, keysOf(changed.filter((one) => !isNewAndPending(one)))),
    addNodes(sql, firstsOf(folded.filter(({ fact }) => fact.name === 'NodeJoined'))),
    restoreAfterReversal(sql, keysOf(reversed)),
    dropEmptyDays(sql, [...new Set(reversed.map(({ campaignId }) => campaignId))]),
  ]);
}

function keysOf(changed: readonly ChangedSale[]): readonly Keys[] {
  const ids = groupBy(
    changed,
    ({ campaignId }) => campaignId,
    ({ sale }) => sale.saleId,
  );
  return [...ids].map(([campaign_id, sales]) => ({ campaign_id, sales }));
}

/** A campaign's events after its event `after_seq`. */
interface EventsAfter {
  readonly campaign_id: string;
  readonly after_seq: number;
}

/** The events of each campaign from its oldest of these on; those of a campaign are in their order. */
function firstsOf(folded: readonly Folded[]): readonly EventsAfter[] {
  const first = new Map<string, EventsAfter>();
  for (const { seq, fact } of folded) {
    const { campaignId } = fact;
    if (!first.has(campaignId)) {
      first.set(campaignId, { campaign_id: campaignId, after_seq: seq - 1 });
    }
  }
  return [...first.values()];
}

/** Subtracts sales from the totals, before their rows are changed or deleted. */
export async function subtractSales(sql: Sql, sales: readonly Keys[]): Promise<void> {
  await changeTotals(sql, sales, -1);
}

/** Adds sales to the totals, as their rows are now. */
export async function addSales(sql: Sql, sales: readonly Keys[]): Promise<void> {
  await changeTotals(sql, sales, 1);
}

const DAY_TOTALS = ['pending', 'finalized', 'refunded', 'reversed', 'value', 'rewards'];
const ACCOUNT_TOTALS = [
  'direct',
  'network',
  'direct_settled',
  'network_settled',
  'settled_value',
  'ranked_pending',
  'ranked_direct',
  'ranked_network',
  'ranked_refunded',
  'ranked_reversed',
  'ranked_value',
];

/** One statement over the sales' rows. It adds to the totals, so the order of batches does not matter. */
async function changeTotals(sql: Sql, all: readonly Keys[], sign: 1 | -1): Promise<void> {
  const keys = withSales(all);
  if (keys.length === 0) return;
  const signed = (columns: readonly string[]) =>
    commaSeparated(
      sql,
      columns.map((column) => sql`${sign}::int * sum(${sql(column)})`),
    );
  await sql`
    with named as materialized (select * from ${keysTable(sql, keys)}),
    changed as materialized (${ofNamed(sql, 'sale_sum')}), by_depth as (
      insert into ledger.depth_day as totals
      select campaign_id, day, depth, ${signed(['finalized', 'rewards'])}
      from changed where depth is not null group by campaign_id, day, depth
      on conflict (campaign_id, day, depth) do update
      set ${accumulateSql(sql, ['finalized', 'rewards'])}
    ), by_cohort as (
      insert into ledger.cohort_week as totals
      select campaign_id, join_day, week, ${signed(['finalized'])}
      from changed where join_day is not null group by campaign_id, join_day, week
      on conflict (campaign_id, join_day, week) do update
      set ${accumulateSql(sql, ['finalized'])}
    ), by_account as (
      insert into ledger.account_sum as totals
        (campaign_id, account, links, ${sql(ACCOUNT_TOTALS)}, last_settled_at)
      select campaign_id, account, 0, ${signed(ACCOUNT_TOTALS)}, max(last_settled_at)
      from (${ofNamed(sql, 'sale_account')}) changed group by campaign_id, account
      on conflict (campaign_id, account) do update
      set ${accumulateSql(sql, ACCOUNT_TOTALS)},
        -- If the newest is subtracted, it is read again (last-settled.ts).
        last_settled_at = greatest(totals.last_settled_at, excluded.last_settled_at)
    )
    insert into ledger.sale_day as totals
    select campaign_id, day, linked, ${signed(DAY_TOTALS)}
    from changed group by campaign_id, day, linked
    on conflict (campaign_id, day, linked) do update
    set ${accumulateSql(sql, DAY_TOTALS)}`.execute();
}

/** Contribution of the sales of `named` to the totals, by the view that defines it. */
function ofNamed(sql: Sql, view: 'sale_sum' | 'sale_account'): Fragment {
  return sql`
    select of_sale.* from named cross join lateral ${eachSale(sql)} cross join lateral (
      select * from ${sql(`ledger.${view}`)}
      where campaign_id = named.campaign_id and sale_id = sold.sale_id ${fence(sql)}
    ) of_sale`;
}

/** Adds the nodes that joined after events; their rows are written. */
async function addNodes(sql: Sql, events: readonly EventsAfter[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    with joined as materialized (${nodesAfter(sql, events)}), by_account as (
      insert into ledger.account_sum as totals
      select campaign_id, owner, count(*), min(block_timestamp), max(block_timestamp),
        0, 0, 0, 0, 0
      from joined group by campaign_id, owner
      on conflict (campaign_id, account) do update set ${accumulateSql(sql, ['links'])},
        first_link_at = coalesce(totals.first_link_at, excluded.first_link_at),
        last_link_at = excluded.last_link_at
    )
    insert into ledger.node_day as totals
    select campaign_id, block_timestamp / 86400, count(*) from joined group by 1, 2
    on conflict (campaign_id, day) do update set ${accumulateSql(sql, ['joined'])}`.execute();
}

/**
 * Subtracts the nodes that joined after an event, before their rows are deleted. The time of an account's
 * first node stays as it is: an account without a node has no sales either, and is dropped.
 */
export async function subtractNodes(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  await sql`
    with joined as materialized (
      ${nodesAfter(sql, [{ campaign_id: campaignId, after_seq: afterSeq }])}
    ), by_account as (
      update ledger.account_sum totals set links = totals.links - gone.links,
        last_link_at = (
          select node.block_timestamp from ledger.node
          where node.owner = gone.owner and node.campaign_id = ${campaignId}
            and node.seq <= ${afterSeq}
          order by node.node_id desc limit 1
        )
      from (select owner, count(*) as links from joined group by owner) gone
      where totals.campaign_id = ${campaignId} and totals.account = gone.owner
    )
    insert into ledger.node_day as totals
    select ${campaignId}::bigint, block_timestamp / 86400, -count(*) from joined group by 2
    on conflict (campaign_id, day) do update set ${accumulateSql(sql, ['joined'])}`;
}

function nodesAfter(sql: Sql, events: readonly EventsAfter[]): Fragment {
  return sql`
    select node.*
    from ${unnestSql(sql, 'named', { campaign_id: 'bigint', after_seq: 'bigint' }, events)}
    cross join lateral (
      select campaign_id, owner, block_timestamp from ledger.node
      where campaign_id = named.campaign_id and seq > named.after_seq ${fence(sql)}
    ) node`;
}

/**
 * Deletes totals by day that count nothing, so that the rows are those of a fold of the remaining events.
 * Only a reversal or a rollback leaves any.
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

/** Deletes totals of these accounts that count nothing. Only a rollback leaves any. */
export async function dropEmptyAccounts(
  sql: Sql,
  campaignId: string,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  await sql`
    delete from ledger.account_sum
    where campaign_id = ${campaignId} and account = any(${[...accounts]}::bytea[])
      and links = 0 and direct + network = 0`;
}
