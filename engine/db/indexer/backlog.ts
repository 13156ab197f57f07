/**
 * Which campaigns have something to settle. The cost of asking follows the campaigns that changed, not those
 * that exist: a stranger may make 100,000 of them (docs/how-it-works/settlement.md, "What a tick costs").
 */

import type { Fragment, Sql } from '../connection.ts';
import { fence } from '../planner.ts';
import { flag, id, integer, nullable, optional, rowCodec, small, type View } from '../row.ts';
import { headOf, headQuery, type IndexerHead, type IndexerHeadRow } from './head.ts';

/** The highest campaign id that the ledger's keys hold. The contract counts from 1. */
const MAX_CAMPAIGN_ID = '9223372036854775807';

const backlog = rowCodec({
  campaignId: id,
  /** True if its cursor's fact is not in the table, with its block hash. */
  cursorMissing: flag.from('missing'),
  /** True if its last batch failed because of its own data. */
  failing: flag,
  /** Block of its oldest unfolded fact, indexed or recorded; `null` if there is none. */
  firstBlock: nullable(integer),
  /** The oldest unfolded fact that was recorded when its block was checked, and has disappeared. */
  lost: optional({ blockNumber: integer.from('lost_block'), logIndex: small.from('lost_log') }),
});

/** A campaign that has something to settle, and where. */
export type Backlog = View<typeof backlog>;

/** A condition for campaign ids that the contract can have given. */
export function isPossibleId(sql: Sql, campaignId: Fragment): Fragment {
  return sql`${campaignId} between 1 and ${MAX_CAMPAIGN_ID}::numeric`;
}

/**
 * Compares cursors with the facts: states, not events, so that a reorg that only removes blocks is seen too. It
 * asks about campaigns in `ledger.behind`, and about those whose newest event can still be rolled back: that
 * is above the block that was final when the facts up to it were last compared. Three index probes for each of
 * them, one statement. Rows of `behind` for campaigns with nothing left to fold are deleted.
 */
export async function readBacklog(
  sql: Sql,
  schema: string,
): Promise<{ readonly indexer: IndexerHead; readonly backlog: readonly Backlog[] }> {
  const rows = await sql<IndexerHeadRow[]>`
    with head as (${headQuery(sql, schema)}),
    asked as (
      select campaign_id from ledger.behind where indexer_schema = ${schema}
      union
      select campaign_id from ledger.cursor where block_number > (
        select final_number from ledger.checked_head where indexer_schema = ${schema}
      )
    ),
    examined as (${comparedWithFacts(sql, schema, sql`asked`)}),
    waiting as (
      select * from examined where missing or first_fact is not null or checked_block is not null
    ),
    forgotten as (
      delete from ledger.behind b where b.indexer_schema = ${schema}
        and not exists (select 1 from waiting w where w.campaign_id = b.campaign_id)
    )
    select head.*, w.campaign_id, w.missing, w.failing,
      least(w.first_fact, w.checked_block) as first_block,
      case when w.lost then w.checked_block end as lost_block,
      case when w.lost then w.checked_log end as lost_log
    from head left join waiting w on true`;
  const [first] = rows;
  if (first === undefined) throw new Error('the indexer head query answered no row');
  return {
    indexer: headOf(first),
    backlog: rows.flatMap((row) => (row.campaign_id === null ? [] : [backlog.decode(row)])),
  };
}

/**
 * The campaigns of `from` that are not stopped, each with what its cursor lacks: an index probe for each part.
 */
function comparedWithFacts(sql: Sql, schema: string, from: Fragment): Fragment {
  const facts = sql`${sql(schema)}.chain_event`;
  const afterCursor = sql`(coalesce(c.block_number, -1), coalesce(c.log_index, -1))`;
  return sql`
    select a.campaign_id, coalesce(c.failures, 0) > 0 as failing,
      c.log_index is not null and at_cursor.found is null as missing,
      next.block_number as first_fact, k.block_number as checked_block, k.log_index as checked_log,
      k.log_index is not null and at_checked.found is null as lost
    from ${from} a
    left join lateral (
      select block_number, log_index, block_hash, stopped_at, failures from ledger.cursor
      where campaign_id = a.campaign_id ${fence(sql)}
    ) c on true
    left join lateral (
      select block_number, log_index, block_hash from ledger.checked_log
      where indexer_schema = ${schema} and campaign_id = a.campaign_id
        and (block_number, log_index) > ${afterCursor}
      order by block_number, log_index limit 1
    ) k on true
    left join lateral (
      select true as found from ${facts} f
      where f.campaign_id = a.campaign_id and f.block_number = c.block_number
        and f.log_index = c.log_index and f.block_hash = c.block_hash
      limit 1
    ) at_cursor on true
    left join lateral (
      select f.block_number from ${facts} f
      where f.campaign_id = a.campaign_id and (f.block_number, f.log_index) > ${afterCursor}
      order by f.block_number, f.log_index limit 1
    ) next on true
    left join lateral (
      select true as found from ${facts} f
      where f.campaign_id = a.campaign_id and f.block_number = k.block_number
        and f.log_index = k.log_index and f.block_hash = k.block_hash
      limit 1
    ) at_checked on true
    where c.stopped_at is null`;
}

/** Result of a sweep. */
export interface Sweep {
  /** Where the next begins: after this campaign id; `null` when it went through all of them. */
  readonly next: string | null;
}

/** Ids before the first. */
export const SWEEP_START = '-1';

/**
 * Looks at campaigns in the order of their ids, whether or not anything says that they changed: the safety
 * net under `ledger.behind`. Those with facts to fold are added to it; so are changes that were not published
 * to `stale_publication`; ids that the contract cannot have given are refused.
 * @param after where the sweep before ended.
 * @param limit campaigns that it looks at; `null` for all of them.
 */
export async function sweepCampaigns(
  sql: Sql,
  schema: string,
  after: string,
  limit: number | null,
): Promise<Sweep> {
  const [row] = await sql<{ next: string | null }[]>`
    with recursive ${campaignSlice(sql, schema, after, limit)},
    examined as (${comparedWithFacts(sql, schema, sql`slice`)}),
    refused as (
      insert into ledger.refused_campaign (indexer_schema, campaign_id, block_number)
      select ${schema}, campaign_id, block_number from known
      where not ${isPossibleId(sql, sql`campaign_id`)}
      on conflict do nothing
    ),
    found as (
      insert into ledger.behind (indexer_schema, campaign_id)
      select ${schema}, campaign_id from examined
      where (missing or first_fact is not null or checked_block is not null)
        and not exists (
          select 1 from ledger.behind b
          where b.indexer_schema = ${schema} and b.campaign_id = examined.campaign_id
        )
    ),
    unpublished as (
      insert into ledger.stale_publication (campaign_id, after_seq)
      select slice.campaign_id, least(c.seq, coalesce(t.seq, 0)) from slice
      cross join lateral (
        select seq, block_number from ledger.cursor where campaign_id = slice.campaign_id ${fence(sql)}
      ) c
      left join lateral (
        select seq from ledger.published_seq where campaign_id = slice.campaign_id ${fence(sql)}
      ) t on true
      where c.seq <> coalesce(t.seq, 0)
        and coalesce(c.block_number, -1) <= (select settled_number from ledger.head)
    ),
    ends as (
      select max(campaign_id) as last, count(*) as n from known
      union all select max(campaign_id)::numeric, count(*) from folded
    )
    select min(last)::text as next from ends where n >= ${limit}::int`;
  return { next: row?.next ?? null };
}

/**
 * For a `with recursive`: `slice` has the next campaigns with facts (`known`, also those with an impossible id), and
 * the next ones with a cursor (`folded`).
 */
function campaignSlice(sql: Sql, schema: string, after: string, limit: number | null): Fragment {
  const facts = sql`${sql(schema)}.chain_event`;
  return sql`
    known as (
      (
        select campaign_id, block_number, 1 as n from ${facts}
        where campaign_id > ${after}::numeric order by campaign_id limit 1
      )
      union all
      select f.campaign_id, f.block_number, known.n + 1 from known cross join lateral (
        select campaign_id, block_number from ${facts}
        where campaign_id > known.campaign_id order by campaign_id limit 1
      ) f
      where ${limit}::int is null or known.n < ${limit}::int
    ),
    folded as (
      select campaign_id from ledger.cursor where campaign_id > ${after}::bigint
      order by campaign_id limit ${limit}::int
    ),
    slice as (
      select campaign_id::bigint as campaign_id from known where ${isPossibleId(sql, sql`campaign_id`)}
      union select campaign_id from folded
    )`;
}

/** Notes that a sweep has gone through all campaigns of the schema. */
export async function setBehindKnown(sql: Sql, schema: string): Promise<void> {
  await sql`update ledger.checked_head set behind_known = true where indexer_schema = ${schema}`;
}
