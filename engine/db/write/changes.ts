import type { Pool, Sql } from '../connection.ts';
import { type Heads, type NextHeads, type SettledBlock, writeHeads } from '../heads.ts';
import { notifyChanges } from '../notify.ts';

/** Events that one row of `change` tells of, at most: what a reader gets in one message. */
const EVENTS_MOST = 100;

/** Rows of `change` that are kept, and for how many hours, whichever is less. */
const KEPT_ROWS = 100_000;
const KEPT_HOURS = 24;

/** Rows that are forgotten in one statement, at most. */
const FORGOTTEN_AT_ONCE = 10_000;

/**
 * Moves the heads, and numbers what this makes readable or takes away, in one transaction: so a
 * change is told with the settled block that has it, and never before. The lock on the heads makes
 * numbers rise in the order of commits, whoever believes that it leads.
 * @param known the heads that the look began with.
 * @returns whether it did: a look that another one overtook is dropped, for it may be older.
 */
export async function moveHeads(pool: Pool, known: Heads, heads: NextHeads): Promise<boolean> {
  return await pool.begin(async (sql) => {
    if (!(await writeHeads(sql, heads, known.looks))) return false;
    const changes = heads.settled === null ? 0 : await tellChanges(sql, known, heads.settled);
    if (changes > 0 || moved(known, heads)) await notifyChanges(sql);
    return true;
  });
}

/** Notes that a campaign's events after a seq are not, or may not be, what they were. */
export async function takeBack(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  await sql`
    insert into ledger.taken_back (campaign_id, after_seq) values (${campaignId}, ${afterSeq})`;
}

/**
 * Forgets changes that are too old to resume from, some at a time.
 * @returns how many.
 */
export async function forgetChanges(sql: Sql, now: Date): Promise<number> {
  // Numbers rise with time, so what may go is at the low end.
  const rows = await sql`
    delete from ledger.change where sequence in (
      select sequence from (
        select sequence, told_at from ledger.change order by sequence limit ${FORGOTTEN_AT_ONCE}
      ) oldest
      where told_at < ${now}::timestamptz - make_interval(hours => ${KEPT_HOURS})
        or sequence <= (select sequence from ledger.head) - ${KEPT_ROWS}
    )
    returning 1`;
  return rows.length;
}

/**
 * Compares, for each campaign, what was told with what is folded at or below the settled block:
 * levels and not edges, so nothing is told twice or left out, whatever came between. What was told
 * stands up to `kept`: no roll-back took it, and the settled block has not fallen below it. A change is of a
 * campaign with an event above the lower of the two settled blocks, or one that is in `taken_back`: who folds
 * or removes an event below that notes it there.
 * @returns how many changes there are.
 */
async function tellChanges(sql: Sql, known: Heads, settled: SettledBlock): Promise<number> {
  const unchangedUpTo = Math.min(known.settled?.number ?? -1, settled.number);
  const [row] = await sql<{ changes: number }[]>`
    with head as (
      select settled_number, sequence from ledger.head where settled_number is not null
    ),
    taken as (
      select campaign_id, min(after_seq) as after_seq from ledger.taken_back group by campaign_id
    ),
    changed as (
      select campaign_id from ledger.cursor where block_number > ${unchangedUpTo}
      union select campaign_id from taken
    ),
    candidate as (
      select changed.campaign_id, coalesce(t.seq, 0) as told, taken.after_seq
      from changed
      left join lateral (
        select seq from ledger.told where campaign_id = changed.campaign_id offset 0
      ) t on true
      left join taken on taken.campaign_id = changed.campaign_id
    ),
    stand as (
      select candidate.campaign_id, candidate.told, coalesce(newest.seq, 0) as seq,
        newest.block_number,
        least(candidate.told, candidate.after_seq, coalesce(newest.seq, 0)) as kept
      from head cross join candidate
      left join lateral (
        select j.seq, j.block_number from ledger.journal j
        where j.campaign_id = candidate.campaign_id and j.block_number <= head.settled_number
        order by j.block_number desc, j.seq desc limit 1
      ) newest on true
    ),
    change as (
      select 'retracted' as kind, campaign_id, kept + 1 as from_seq, told as to_seq,
        0::bigint as block_number
      from stand where kept < told
      union all
      select 'settled', campaign_id, from_seq, least(from_seq + ${EVENTS_MOST - 1}, seq), block_number
      from stand cross join lateral generate_series(kept + 1, seq, ${EVENTS_MOST}) as part (from_seq)
      where seq > kept
    ),
    numbered as (
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select head.sequence + row_number() over (
          order by change.kind, change.block_number, change.campaign_id, change.from_seq
        ), change.campaign_id, change.kind, change.from_seq, change.to_seq
      from head cross join change
      returning sequence
    ),
    counted as (
      update ledger.head set sequence = (select max(sequence) from numbered)
      where exists (select 1 from numbered)
    ),
    known as (
      insert into ledger.told (campaign_id, seq)
      select campaign_id, seq from stand where seq <> told
      on conflict (campaign_id) do update set seq = excluded.seq
    ),
    done as (
      delete from ledger.taken_back where exists (select 1 from head)
    )
    select count(*)::int as changes from numbered`;
  return row?.changes ?? 0;
}

/** Whether a reader would see another head. */
function moved(known: Heads, heads: NextHeads): boolean {
  return (
    known.chainNumber !== heads.chainNumber ||
    known.settled?.hash !== heads.settled?.hash ||
    known.safeNumber !== heads.safeNumber ||
    known.finalizedNumber !== heads.finalizedNumber
  );
}
