import type { Address } from '../../../core/events.ts';
import type { Pool, Sql } from '../../connection.ts';
import { type Heads, readHeads } from '../../heads.ts';
import { as, id, integer, nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { eventAccounts } from '../events/accounts.ts';
import { eventView } from '../sales/events.ts';
import { readConsistently } from '../snapshot.ts';

const { args: _args, ...eventFields } = eventView.fields;

const publishedEvent = rowCodec({
  ...eventFields,
  saleId: nullable(id),
  /** Its argument of that name, decimal digits of base units. */
  amount: nullable(text),
  /** The accounts in its arguments, those whose money it moves, and the buyer of its sale; each once. */
  accounts: as<readonly Address[]>(),
});

/** A published event, as the journal has it now. */
export type PublishedEvent = View<typeof publishedEvent>;

/** A change of one campaign, by its sequence number among all changes. */
export type LedgerChange = { readonly sequence: number; readonly campaignId: string } & (
  | {
      readonly kind: 'settled';
      /** The events that no later change retracts; empty if all are retracted. */
      readonly events: readonly PublishedEvent[];
    }
  | { readonly kind: 'retracted'; readonly afterSeq: number }
);

const changeHead = rowCodec({
  /** Identifies the ledger that the numbers belong to. */
  epoch: text.from('stream_epoch'),
  /** Sequence number of the newest change; 0 if there is none. */
  sequence: integer,
  /** Sequence number of the oldest stored change; `null` if none is stored. */
  oldest: nullable(integer),
});

/** The sequence numbers of stored changes, and the heads. */
export interface ChangeHead extends View<typeof changeHead> {
  readonly heads: Heads;
}

/** Maximum number of changes, and of their events, in a page. */
export interface ChangePageSize {
  readonly changes: number;
  /** A single change is always read whole; it has at most 100 events. */
  readonly events: number;
}

/** The heads, and the changes after a sequence number, as of one moment. */
export interface ChangePage {
  readonly head: ChangeHead;
  readonly changes: readonly LedgerChange[];
}

/**
 * Reads changes in their order, from one snapshot.
 * @param after a sequence number; `null` reads only the head.
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
    sql<StoredRow[]>`
      select stream_epoch, sequence, (select min(sequence) from ledger.change) as oldest
      from ledger.head`,
  ]);
  if (heads === undefined || row === undefined) return undefined;
  return { ...changeHead.decode(row), heads };
}

const changeRow = rowCodec({
  sequence: integer,
  campaignId: id,
  kind: as<'settled' | 'retracted'>(),
  fromSeq: integer,
});

/**
 * The changes after a sequence number: one statement. A settled change has the events that no rollback has
 * removed since, published or not: other events, above the settled block, can have their `seq` by now.
 */
export async function changesAfter(
  sql: Sql,
  after: number,
  size: ChangePageSize,
): Promise<LedgerChange[]> {
  const rows = await sql<StoredRow[]>`
    with page as (
      select * from (
        select sequence, campaign_id, kind, from_seq, to_seq,
          row_number() over (order by sequence) as position,
          sum(case when kind = 'settled' then to_seq - from_seq + 1 else 0 end)
            over (order by sequence) as events
        from (
          select * from ledger.change where sequence > ${after} order by sequence
          limit ${size.changes}
        ) newer
      ) counted
      where position = 1 or events <= ${size.events}
    ),
    retained as (
      select page.*, least(
        page.to_seq,
        (
          select min(later.from_seq) - 1 from ledger.change later
          where later.kind = 'retracted' and later.campaign_id = page.campaign_id
            and later.sequence > page.sequence
        ),
        (
          select min(stale.after_seq) from ledger.stale_publication stale
          where stale.campaign_id = page.campaign_id
        )
      ) as last_seq
      from page
    )
    select retained.sequence, retained.campaign_id, retained.kind, retained.from_seq, event.*
    from retained left join lateral (
      select j.seq, j.name, j.sale_id, j.block_number, j.block_hash, j.block_timestamp,
        j.transaction_hash, j.log_index, j.args ->> 'amount' as amount,
        ${eventAccounts(sql, sql`j`)} as accounts
      from ledger.journal j
      where retained.kind = 'settled' and j.campaign_id = retained.campaign_id
        and j.seq between retained.from_seq and retained.last_seq
    ) event on true
    order by retained.sequence, event.seq`;
  const changes: LedgerChange[] = [];
  let events: PublishedEvent[] = [];
  for (const row of rows) {
    const { sequence } = changeRow.decode(row);
    if (changes.at(-1)?.sequence !== sequence) {
      events = [];
      changes.push(changeOf(row, events));
    }
    // A change without events has one row, of nulls.
    if (row.seq !== null) events.push(publishedEvent.decode(row));
  }
  return changes;
}

function changeOf(row: StoredRow, events: readonly PublishedEvent[]): LedgerChange {
  const { sequence, campaignId, kind, fromSeq } = changeRow.decode(row);
  if (kind === 'settled') return { sequence, campaignId, kind, events };
  return { sequence, campaignId, kind, afterSeq: fromSeq - 1 };
}
