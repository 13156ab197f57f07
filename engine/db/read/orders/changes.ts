import type { Fragment, Sql } from '../../connection.ts';
import {
  address,
  as,
  flag,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { inTransaction, matches } from '../sales/lookup.ts';
import { joinSale, newestSeq } from '../sales/rows.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import type { OrderFilter } from './list.ts';
import { orderColumns, orderView } from './rows.ts';

const changesHead = rowCodec({
  /** Identifies the ledger that the sequence numbers belong to. */
  epoch: text.from('stream_epoch'),
  /** Sequence number of the newest change; 0 if there is none. */
  sequence: integer,
  /** Sequence number of the oldest stored change; `null` if none is stored. */
  oldest: nullable(integer),
});

/** The sequence numbers of stored changes. */
export type ChangesHead = View<typeof changesHead>;

/** The sequence numbers of stored changes at the snapshot: one statement. */
export async function readChangesHead({ sql }: Pick<Snapshot, 'sql'>): Promise<ChangesHead> {
  const [row] = await sql<StoredRow[]>`
    select stream_epoch, sequence, (select min(sequence) from ledger.change) as oldest
    from ledger.head`;
  if (row === undefined) throw new Error('A snapshot was read, and the ledger has no heads.');
  return changesHead.decode(row);
}

const orderChange = rowCodec({
  /** Sequence number of the change. */
  change: integer,
  saleId: id.from('changed_sale_id'),
  campaignId: id.from('changed_campaign_id'),
  /** The order at the settled block; `null` if a rollback removed it. */
  order: optional({ ...orderView.fields }),
  removed: { buyer: address.from('removed_buyer'), orderKey: hex.from('removed_order_key') },
});

/** An order that changed, or was removed. */
export type OrderChange = View<typeof orderChange>;

/** Position in the list of changes. */
export interface ChangePosition {
  /** All changes below it were returned. */
  readonly sequence: number;
  /** Last sale of the change `sequence` that was returned; `null` if all of the change were. */
  readonly saleId: string | null;
}

/** Some changed orders, and the position after them. */
export interface OrderChanges {
  readonly items: readonly OrderChange[];
  readonly next: ChangePosition;
  /** True if there may be more changes now. */
  readonly more: boolean;
}

/** Maximum number of changes that a page covers, and of their events; a change has at most 100 events. */
const MAX_CHANGES = 200;
const MAX_EVENTS = 1_000;

const windowRow = rowCodec({
  sequence: integer,
  campaignId: id,
  kind: as<'settled' | 'retracted'>(),
  fromSeq: integer,
  /** The last of its events that no later change retracts. */
  lastSeq: integer,
  /** True if no change of the merchant follows it. */
  isNewest: flag,
});

type WindowRow = View<typeof windowRow>;

/**
 * Orders of a merchant that changed after a position, in the order of the changes: two statements. An order is
 * in the change that its newest event belongs to, so that it is returned once for all changes up to now. An
 * order that a rollback removed or returned to an earlier state is in the last retraction of it.
 * @param head of `readChangesHead`, of the same snapshot.
 */
export async function changedOrders(
  { sql, head }: Snapshot,
  filter: OrderFilter,
  {
    after,
    limit,
    newest,
  }: {
    readonly after: ChangePosition;
    readonly limit: number;
    /** Sequence number of the newest change. */
    readonly newest: number;
  },
): Promise<OrderChanges> {
  const changes = await changeWindow(sql, filter, after);
  const last = changes.at(-1);
  if (last === undefined)
    return { items: [], next: { sequence: newest, saleId: null }, more: false };
  const rows = await sql<StoredRow[]>`
    with ${touchedOrders(sql, changes, filter, head)}
    select touched.sequence as change, touched.sale_id as changed_sale_id,
      touched.campaign_id as changed_campaign_id, touched.buyer as removed_buyer,
      touched.order_key as removed_order_key, found.*
    from touched left join lateral (
      select ${newestSeq(sql)} as found_seq, ${orderColumns(sql)}
      from ledger.sale sale ${joinSale(sql, head)}
      where sale.campaign_id = touched.campaign_id and sale.sale_id = touched.sale_id
        and sale.buyer = touched.buyer and sale.order_key = touched.order_key
        and sale.block_number <= ${head.number} and campaign.merchant = ${filter.merchant}
    ) found on true
    where (touched.sequence, touched.sale_id) > (${after.sequence}::bigint, ${after.saleId ?? '-1'}::bigint)
      and case when touched.newest_seq is null
        then found.found_seq is null or found.found_seq <= touched.remaining_seq
        else found.found_seq = touched.newest_seq end
    order by touched.sequence, touched.sale_id limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(orderChange.decode);
  const end = rows.length > limit ? items.at(-1) : undefined;
  if (end !== undefined) {
    return { items, next: { sequence: end.change, saleId: end.saleId }, more: true };
  }
  const next = { sequence: last.isNewest ? newest : last.sequence, saleId: null };
  return { items, next, more: !last.isNewest };
}

/**
 * For a `with`: `touched` has the orders of changes. An order of a settled change has its newest event there
 * (`newest_seq`); a retracted one what no change retracts (`remaining_seq`), if no later rollback concerned it.
 */
function touchedOrders(
  sql: Sql,
  changes: readonly WindowRow[],
  filter: OrderFilter,
  head: ReadHead,
): Fragment {
  return sql`
    changes as (
      select * from unnest(
        ${changes.map(({ sequence }) => sequence)}::bigint[],
        ${changes.map(({ campaignId }) => campaignId)}::bigint[],
        ${changes.map(({ kind }) => kind)}::text[],
        ${changes.map(({ fromSeq }) => fromSeq)}::bigint[],
        ${changes.map(({ lastSeq }) => lastSeq)}::bigint[]
      ) as change (sequence, campaign_id, kind, from_seq, last_seq)
    ),
    touched as (
      select changes.sequence, j.campaign_id, j.sale_id, j.seq as newest_seq, null::bigint as remaining_seq,
        sale.buyer, sale.order_key
      from changes join ledger.journal j on j.campaign_id = changes.campaign_id
        and j.seq between changes.from_seq and changes.last_seq and j.sale_id is not null
      join ledger.sale sale on sale.campaign_id = j.campaign_id and sale.sale_id = j.sale_id
      where changes.kind = 'settled' and not exists (
          select 1 from ledger.journal newer where newer.campaign_id = j.campaign_id
            and newer.sale_id = j.sale_id and newer.seq > j.seq and newer.block_number <= ${head.number}
        ) ${matches(sql, sql`sale`, filter)} ${inTransaction(sql, filter, head)}
      union all
      select changes.sequence, gone.campaign_id, gone.sale_id, null, changes.from_seq - 1,
        gone.buyer, gone.order_key
      from changes join ledger.retracted_sale gone on gone.sequence = changes.sequence
      where changes.kind = 'retracted' and gone.merchant = ${filter.merchant}
        ${matches(sql, sql`gone`, filter)}
        and not exists (
          select 1 from ledger.retracted_sale later
          where later.campaign_id = gone.campaign_id and later.sale_id = gone.sale_id
            and later.sequence > gone.sequence and later.order_key = gone.order_key
            and later.buyer = gone.buyer
        )
    )`;
}

/**
 * The first changes after a position that concern campaigns of the merchant, or orders that it had in a campaign
 * which a rollback removed: one statement.
 */
async function changeWindow(
  sql: Sql,
  { merchant, campaignId }: OrderFilter,
  { sequence, saleId }: ChangePosition,
): Promise<WindowRow[]> {
  // The change of the position has more orders, unless all of it were returned.
  const after = saleId === null ? sequence : sequence - 1;
  const only = campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`;
  const rows = await sql<StoredRow[]>`
    with own as (
      select change.sequence from (
        select campaign_id from ledger.campaign where merchant = ${merchant} ${only}
      ) owned cross join lateral (
        select sequence from ledger.change
        where campaign_id = owned.campaign_id and sequence > ${after}
        order by sequence limit ${MAX_CHANGES + 1}
      ) change
    ),
    gone as (
      select sequence from ledger.retracted_sale
      where merchant = ${merchant} and sequence > ${after} ${only}
      group by sequence order by sequence limit ${MAX_CHANGES + 1}
    ),
    page as (
      select change.*, row_number() over (order by sequence) as position,
        count(*) over () as total,
        sum(case when kind = 'settled' then to_seq - from_seq + 1 else 0 end)
          over (order by sequence) as events
      from ledger.change where sequence in (
        select sequence from (select * from own union select * from gone) either
        order by sequence limit ${MAX_CHANGES + 1}
      )
    )
    select page.sequence, page.campaign_id, page.kind, page.from_seq,
      page.position = page.total as is_newest, least(
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
    where page.position = 1 or (page.position <= ${MAX_CHANGES} and page.events <= ${MAX_EVENTS})
    order by page.sequence`;
  return rows.map(windowRow.decode);
}
