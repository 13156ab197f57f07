import type { Fragment, Pool, Sql } from '../connection.ts';
import { type Heads, type NextHeads, type SettledBlock, writeHeads } from '../heads.ts';
import type { LeaderToken } from '../leadership.ts';
import { notifyChanges } from '../notify.ts';
import { fence } from '../planner.ts';
import { unnestSql } from './statements.ts';

/** Maximum events of one row of `change`, which a reader gets in one message. */
const MAX_EVENTS = 100;

/** Changes are deleted after 24 hours or beyond 100,000 rows, whichever comes first. */
const MAX_ROWS = 100_000;
const MAX_HOURS = 24;

/** Maximum days for which changes wait for their webhooks and mails. */
const MAX_UNREAD_DAYS = 7;

/** Maximum rows that one statement deletes. */
const DELETED_PER_STATEMENT = 10_000;

/**
 * Moves the heads, and numbers what becomes readable or is retracted, in one transaction: so a change is
 * published with the settled block that has it, and never before. The lock on the heads makes numbers
 * rise in the order of commits, whichever worker believes that it leads.
 * @param known the heads that the tick began with.
 * @param leader the worker that ran the tick, if it was one.
 * @returns false if another tick overtook this one, which may be older and is dropped, or if another worker leads.
 */
export async function moveHeads(
  pool: Pool,
  known: Heads,
  heads: NextHeads,
  leader?: LeaderToken,
): Promise<boolean> {
  return await pool.begin((sql) => moveHeadsIn(sql, known, heads, leader));
}

/** `moveHeads` in a transaction of the caller, whose commit must be near: the heads stay locked until then. */
export async function moveHeadsIn(
  sql: Sql,
  known: Heads,
  heads: NextHeads,
  leader?: LeaderToken,
): Promise<boolean> {
  if (!(await writeHeads(sql, heads, known.writes, leader))) return false;
  const changes = heads.settled === null ? 0 : await publishChanges(sql, known, heads.settled);
  if (changes > 0 || isAnotherHead(known, heads)) await notifyChanges(sql);
  return true;
}

/** A campaign of which what was published after `afterSeq` is not, or may not be, what is folded. */
export interface StalePublication {
  readonly campaignId: string;
  readonly afterSeq: number;
}

/**
 * Records campaigns whose changes the next tick must compare again. One statement, sent immediately if there are any: a
 * batch copies rows meanwhile, and the connection refuses whatever comes during that.
 */
export async function markPublicationsStale(
  sql: Sql,
  campaigns: readonly StalePublication[],
): Promise<void> {
  if (campaigns.length === 0) return;
  const rows = campaigns.map(({ campaignId, afterSeq }) => ({
    campaign_id: campaignId,
    after_seq: afterSeq,
  }));
  await sql`
    insert into ledger.stale_publication (campaign_id, after_seq)
    select campaign_id, after_seq
    from ${unnestSql(sql, 'stale', { campaign_id: 'bigint', after_seq: 'bigint' }, rows)}`;
}

/**
 * Records the sales that lose events, before a rollback or a repair removes them: readers of orders receive
 * these sales with the retraction.
 * @param afterSeq the events after it are removed.
 * @param sales table of the sales as they were, `ledger.sale` or a copy of it.
 */
export async function recordRetractedSales(
  sql: Sql,
  campaignId: string,
  afterSeq: number,
  sales: Fragment,
): Promise<void> {
  await sql`
    insert into ledger.retracted_sale (campaign_id, sale_id, first_seq, merchant, buyer, order_key,
      node_id, sku_hash)
    select sale.campaign_id, sale.sale_id, coalesce((
        select min(j.seq) from ledger.journal j
        where j.campaign_id = sale.campaign_id and j.sale_id = sale.sale_id and j.seq > ${afterSeq}
      ), ${afterSeq}::bigint + 1), campaign.merchant, sale.buyer, sale.order_key, sale.node_id, sale.sku_hash
    from ${sales} sale join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    where sale.campaign_id = ${campaignId} and sale.changed_seq > ${afterSeq}
    on conflict (campaign_id, sale_id, sequence)
      do update set first_seq = least(retracted_sale.first_seq, excluded.first_seq)`;
}

/**
 * Forgets changes that are too old to resume from, some at a time.
 * @returns how many.
 */
export async function forgetChanges(sql: Sql, now: Date): Promise<number> {
  // Numbers rise with time, so what may go is at the low end.
  const rows = await sql`
    with unread as (
      -- The newest change that webhooks and mails need no more; all, if nobody gets any.
      select case when (exists (select 1 from commerce.webhook_endpoint where enabled)
            or exists (select 1 from commerce.mail_account where confirmed_at is not null
              and undeliverable_at is null and kinds <> '{}'))
          and webhook_cursor.epoch = head.stream_epoch
        then webhook_cursor.sequence else head.sequence end as least
      from ledger.head cross join commerce.webhook_cursor
    ),
    deleted as (
      delete from ledger.change where sequence in (
        select sequence from (
          select sequence, published_at from ledger.change order by sequence limit ${DELETED_PER_STATEMENT}
        ) oldest
        where (published_at < ${now}::timestamptz - make_interval(hours => ${MAX_HOURS})
            or sequence <= (select sequence from ledger.head) - ${MAX_ROWS})
          and (sequence <= (select least from unread)
            or published_at < ${now}::timestamptz - make_interval(days => ${MAX_UNREAD_DAYS}))
      )
      returning sequence
    ),
    sales as (
      delete from ledger.retracted_sale sale using deleted where sale.sequence = deleted.sequence
    )
    select 1 from deleted`;
  return rows.length;
}

/**
 * Publishes changes: compares, for each campaign that may have one, what was published with what is folded at or below the
 * settled block. It compares states, not events, so nothing is published twice or left out, whatever happened in between.
 * @returns how many changes there are.
 */
async function publishChanges(sql: Sql, known: Heads, settled: SettledBlock): Promise<number> {
  const unchangedUpTo = Math.min(known.settled?.number ?? -1, settled.number);
  const [row] = await sql<{ changes: number }[]>`
    with ${comparedCampaigns(sql, unchangedUpTo)},
    ${numberedChanges(sql)},
    ${retractedSales(sql)},
    counted as (
      update ledger.head set sequence = (select max(sequence) from numbered)
      where exists (select 1 from numbered)
    ),
    known as (
      insert into ledger.published_seq (campaign_id, seq)
      select campaign_id, seq from compared where seq <> published_seq
      on conflict (campaign_id) do update set seq = excluded.seq
    ),
    done as (
      delete from ledger.stale_publication where exists (select 1 from head)
    )
    select count(*)::int as changes from numbered`;
  return row?.changes ?? 0;
}

/**
 * `compared`: campaigns with an event above both settled blocks, and those in `stale_publication`, where every fold or
 * rollback below them is recorded. `seq` is the newest folded event. What was published is still valid up to `valid`: no rollback
 * removed it, and the settled block is not below it.
 */
function comparedCampaigns(sql: Sql, unchangedUpTo: number): Fragment {
  return sql`
    head as (
      select settled_number, sequence from ledger.head where settled_number is not null
    ),
    stale as (
      select campaign_id, min(after_seq) as after_seq from ledger.stale_publication group by campaign_id
    ),
    changed as (
      select campaign_id from ledger.cursor where block_number > ${unchangedUpTo}
      union select campaign_id from stale
    ),
    candidate as (
      select changed.campaign_id, coalesce(t.seq, 0) as published_seq, stale.after_seq
      from changed
      left join lateral (
        select seq from ledger.published_seq where campaign_id = changed.campaign_id ${fence(sql)}
      ) t on true
      left join stale on stale.campaign_id = changed.campaign_id
    ),
    compared as (
      select candidate.campaign_id, candidate.published_seq, coalesce(newest.seq, 0) as seq,
        newest.block_number,
        candidate.after_seq,
        least(candidate.published_seq, candidate.after_seq, coalesce(newest.seq, 0)) as valid
      from head cross join candidate
      left join lateral (
        select j.seq, j.block_number from ledger.journal j
        where j.campaign_id = candidate.campaign_id and j.block_number <= head.settled_number
        order by j.block_number desc, j.seq desc limit 1
      ) newest on true
    )`;
}

/** `numbered`: the changes of the compared campaigns, retractions first, with their sequence numbers. */
function numberedChanges(sql: Sql): Fragment {
  return sql`
    change as (
      select 'retracted' as kind, campaign_id, valid + 1 as from_seq, published_seq as to_seq,
        0::bigint as block_number
      from compared where valid < published_seq
      union all
      select 'settled', campaign_id, from_seq, least(from_seq + ${MAX_EVENTS - 1}, seq), block_number
      from compared cross join lateral generate_series(valid + 1, seq, ${MAX_EVENTS}) as part (from_seq)
      where seq > valid
    ),
    numbered as (
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select head.sequence + row_number() over (
          order by change.kind, change.block_number, change.campaign_id, change.from_seq
        ), change.campaign_id, change.kind, change.from_seq, change.to_seq
      from head cross join change
      returning sequence, campaign_id, kind
    )`;
}

/** Gives the retractions their sales: those of removed events, and of events that are above the settled block again. */
function retractedSales(sql: Sql): Fragment {
  return sql`
    retraction as (
      select numbered.sequence, compared.campaign_id, compared.valid, compared.published_seq,
        least(compared.published_seq, compared.after_seq) as unchanged
      from numbered join compared on compared.campaign_id = numbered.campaign_id
      where numbered.kind = 'retracted'
    ),
    retracted as (
      insert into ledger.retracted_sale (campaign_id, sale_id, sequence, first_seq, merchant, buyer,
        order_key, node_id, sku_hash)
      select distinct on (campaign_id, sale_id) * from (
        select removed.campaign_id, removed.sale_id, retraction.sequence, removed.first_seq,
          removed.merchant, removed.buyer, removed.order_key, removed.node_id, removed.sku_hash
        from retraction join ledger.retracted_sale removed
          on removed.campaign_id = retraction.campaign_id and removed.sequence is null
        where removed.first_seq <= retraction.published_seq
        union all
        select sale.campaign_id, sale.sale_id, retraction.sequence, j.seq, campaign.merchant,
          sale.buyer, sale.order_key, sale.node_id, sale.sku_hash
        from retraction join ledger.journal j on j.campaign_id = retraction.campaign_id
          and j.seq > retraction.valid and j.seq <= retraction.unchanged
        join ledger.sale on sale.campaign_id = j.campaign_id and sale.sale_id = j.sale_id
        join ledger.campaign on campaign.campaign_id = j.campaign_id
      ) touched
      order by campaign_id, sale_id, first_seq
    ),
    published as (
      delete from ledger.retracted_sale
      where sequence is null and exists (select 1 from head)
    )`;
}

/** True if a reader sees another head. */
function isAnotherHead(known: Heads, heads: NextHeads): boolean {
  return (
    known.chainNumber !== heads.chainNumber ||
    known.settled?.hash !== heads.settled?.hash ||
    known.safeNumber !== heads.safeNumber ||
    known.finalizedNumber !== heads.finalizedNumber
  );
}
