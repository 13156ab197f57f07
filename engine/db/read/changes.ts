import type { Address, Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type Heads, readHeads } from '../heads.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { readConsistently } from './snapshot.ts';

/** An event that was told, as it stands in the journal now. */
export interface ToldEvent {
  readonly seq: number;
  readonly name: string;
  readonly saleId: string | null;
  /** That it names, whose money it moves, and the buyer of its sale; each once. */
  readonly accounts: readonly Address[];
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** A change of one campaign, by its place among all changes. */
export type Change = { readonly sequence: number; readonly campaignId: string } & (
  | {
      readonly kind: 'settled';
      /** Those that no later change takes back; none where all are. */
      readonly events: readonly ToldEvent[];
    }
  | { readonly kind: 'retracted'; readonly afterSeq: number }
);

/** Where the changes stand. */
export interface ChangeHead {
  /** Names the ledger that the numbers are of. */
  readonly epoch: string;
  /** Of the newest change; 0 before the first. */
  readonly sequence: number;
  /** Of the oldest that is kept; `null` where none is. */
  readonly oldest: number | null;
  readonly heads: Heads;
}

/** How much is read at once: so many changes, and events of them, at most. */
export interface ChangePageSize {
  readonly changes: number;
  /** One change is read whole, however many it has: 100 at most. */
  readonly events: number;
}

/** The heads, and the changes after one number, as of one moment. */
export interface ChangePage {
  readonly head: ChangeHead;
  readonly changes: readonly Change[];
}

/**
 * Reads changes in their order, from one snapshot.
 * @param after `null` reads where they stand, and none of them.
 * @returns `undefined` before settlement's first start.
 */
export async function readChanges(
  pool: Pool,
  after: number | null,
  size: ChangePageSize,
): Promise<ChangePage | undefined> {
  const { value } = await readConsistently(pool, async (sql) => {
    const [head, changes] = await Promise.all([
      readChangeHead(sql),
      after === null ? [] : changesAfter(sql, after, size),
    ]);
    return { value: head && { head, changes } };
  });
  return value;
}

async function readChangeHead(sql: Sql): Promise<ChangeHead | undefined> {
  const [heads, [row]] = await Promise.all([
    readHeads(sql),
    sql<{ epoch: string; sequence: string; oldest: string | null }[]>`
      select stream_epoch as epoch, sequence, (select min(sequence) from ledger.change) as oldest
      from ledger.head`,
  ]);
  if (heads === undefined || row === undefined) return undefined;
  const { epoch, sequence, oldest } = row;
  return { epoch, sequence: toInteger(sequence), oldest: toIntegerOrNull(oldest), heads };
}

interface ChangeRow {
  sequence: string;
  campaign_id: string;
  kind: 'settled' | 'retracted';
  from_seq: string;
}

interface EventRow {
  seq: string;
  name: string;
  sale_id: string | null;
  accounts: Address[];
  block_number: string;
  block_hash: Hex;
  block_timestamp: string;
  transaction_hash: Hex;
  log_index: number;
}

/**
 * One statement. Of a settled change the events that no roll-back has taken since, told or yet to
 * be told: what stands at their seq by now may be others, above the settled block.
 */
async function changesAfter(sql: Sql, after: number, size: ChangePageSize): Promise<Change[]> {
  const rows = await sql<(ChangeRow & (EventRow | { seq: null }))[]>`
    with page as (
      select * from (
        select sequence, campaign_id, kind, from_seq, to_seq,
          row_number() over (order by sequence) as place,
          sum(case when kind = 'settled' then to_seq - from_seq + 1 else 0 end)
            over (order by sequence) as events
        from (
          select * from ledger.change where sequence > ${after} order by sequence
          limit ${size.changes}
        ) newer
      ) counted
      where place = 1 or events <= ${size.events}
    ),
    standing as (
      select page.*, least(
        page.to_seq,
        (
          select min(later.from_seq) - 1 from ledger.change later
          where later.kind = 'retracted' and later.campaign_id = page.campaign_id
            and later.sequence > page.sequence
        ),
        (
          select min(taken.after_seq) from ledger.taken_back taken
          where taken.campaign_id = page.campaign_id
        )
      ) as stands_to
      from page
    )
    select standing.sequence, standing.campaign_id, standing.kind, standing.from_seq, event.*
    from standing left join lateral (
      select j.seq, j.name, j.sale_id, j.block_number, j.block_hash, j.block_timestamp,
        j.transaction_hash, j.log_index, array(
          select distinct account from (
            select account from ledger.entry e
            where e.campaign_id = j.campaign_id and e.seq = j.seq
            union all
            select buyer from ledger.sale s
            where s.campaign_id = j.campaign_id and s.sale_id = j.sale_id
            union all
            select unnest(array[
              j.args ->> 'account', j.args ->> 'buyer', j.args ->> 'merchant',
              j.args ->> 'owner', j.args ->> 'recipient', j.args ->> 'signer'
            ])
          ) named where account is not null order by account
        ) as accounts
      from ledger.journal j
      where standing.kind = 'settled' and j.campaign_id = standing.campaign_id
        and j.seq between standing.from_seq and standing.stands_to
    ) event on true
    order by standing.sequence, event.seq`;
  const changes: Change[] = [];
  let events: ToldEvent[] = [];
  for (const row of rows) {
    const sequence = toInteger(row.sequence);
    if (changes.at(-1)?.sequence !== sequence) {
      events = [];
      changes.push(changeOf(row, sequence, events));
    }
    if (row.seq !== null) events.push(eventOf(row));
  }
  return changes;
}

function changeOf(row: ChangeRow, sequence: number, events: readonly ToldEvent[]): Change {
  const { campaign_id: campaignId, kind } = row;
  if (kind === 'settled') return { sequence, campaignId, kind, events };
  return { sequence, campaignId, kind, afterSeq: toInteger(row.from_seq) - 1 };
}

function eventOf(row: EventRow): ToldEvent {
  return {
    seq: toInteger(row.seq),
    name: row.name,
    saleId: row.sale_id,
    accounts: row.accounts,
    blockNumber: toInteger(row.block_number),
    blockHash: row.block_hash,
    blockTimestamp: toInteger(row.block_timestamp),
    transactionHash: row.transaction_hash,
    logIndex: row.log_index,
  };
}
