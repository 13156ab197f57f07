import type { Address } from '../../../core/events.ts';
import { type MovingEvent, movingEvents } from '../../../core/movements.ts';
import type { Sql } from '../../connection.ts';
import { as, id, nullable, rowCodec, type StoredRow, type View } from '../../row.ts';
import { ledgerRow } from '../../rows/campaign.ts';
import { listOf } from '../../sql.ts';
import { newestSaleId } from '../as-of/balance.ts';
import { eventOf, eventView, type SaleEvent } from '../sales/events.ts';
import type { Snapshot } from '../snapshot.ts';

/** The ledgers of a campaign in columns with a prefix, because the statement has them twice. */
function prefixedLedger(prefix: 'before' | 'after') {
  const fields = Object.entries(ledgerRow.fields).map(([field, column], i) => [
    field,
    column.from(`${prefix}_${ledgerRow.names[i]}`),
  ]);
  return Object.fromEntries(fields) as typeof ledgerRow.fields;
}

const movingEvent = rowCodec({
  campaignId: id,
  name: as<MovingEvent>(),
  saleId: nullable(id),
  before: prefixedLedger('before'),
  after: prefixedLedger('after'),
});

/** An event that moved money, with the ledgers of its campaign before and after it. */
export type MovingEventView = SaleEvent & View<typeof movingEvent>;

/** Cursor of a page of events of all campaigns: its last event. */
export interface MovingEventCursor {
  readonly blockNumber: string;
  readonly campaignId: string;
  readonly seq: string;
}

interface MovingQuery {
  readonly campaignId: string | undefined;
  readonly kind: MovingEvent | undefined;
  /** Unix seconds: from inclusive, to exclusive. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  /** The event to begin with. */
  readonly from: MovingEventCursor | undefined;
  readonly limit: number;
}

/**
 * Events that changed an amount of a ledger of the merchant's campaigns, the newest first: one statement.
 * For each campaign it reads an index down from the newest event that can be on the page.
 */
export async function movingEventsOf(
  { sql, head }: Snapshot,
  merchant: Address,
  { campaignId, kind, range, from, limit }: MovingQuery,
): Promise<MovingEventView[]> {
  const events = eventsOfKind(sql, kind);
  const rows = await sql<StoredRow[]>`
    select event.* from ledger.campaign campaign
    join lateral (
      select seq from ledger.journal
      where campaign_id = campaign.campaign_id and block_number <= ${head.number}
        ${from ? notAfter(sql, from) : sql``}
        ${range ? sql`and block_timestamp < ${range.to}` : sql``}
      order by block_number desc, seq desc limit 1
    ) newest on true
    cross join lateral (
      select journal.campaign_id, journal.sale_id, ${eventView.columns(sql, 'journal')}
        ${ledgerRow.names.map((name) => sql`, before.${sql(name)} as ${sql(`before_${name}`)}`)}
        ${ledgerRow.names.map((name) => sql`, journal.${sql(name)} as ${sql(`after_${name}`)}`)}
      from ${events.table}
      join ledger.journal before
        on before.campaign_id = journal.campaign_id and before.seq = journal.seq - 1
      where journal.campaign_id = campaign.campaign_id and journal.seq <= newest.seq
        and ${events.condition}
        and (false ${ledgerRow.names.map((name) => sql`or journal.${sql(name)} <> before.${sql(name)}`)})
        ${range ? sql`and journal.block_timestamp >= ${range.from}` : sql``}
      order by ${events.newestFirst} limit ${limit}
    ) event
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    order by event.block_number desc, event.campaign_id desc, event.seq desc limit ${limit}`;
  return rows.map((row) => ({ ...eventOf(row), ...movingEvent.decode(row) }));
}

/**
 * The moving events of a kind, all of them without one: of `campaign`, until `newest`. No index has the recordings of
 * sales, but their sales are in the same order.
 */
function eventsOfKind(sql: Sql, kind: MovingEvent | undefined) {
  if (kind !== 'SaleRecorded') {
    const condition =
      kind === undefined
        ? sql`journal.name in ${listOf(sql, [...movingEvents])}`
        : sql`journal.name = ${kind}`;
    return { table: sql`ledger.journal`, condition, newestFirst: sql`journal.seq desc` };
  }
  const until = newestSaleId(sql, { campaignId: sql`campaign.campaign_id`, seq: sql`newest.seq` });
  return {
    table: sql`ledger.sale recorded
      join ledger.journal on journal.campaign_id = recorded.campaign_id and journal.seq = recorded.seq`,
    condition: sql`recorded.campaign_id = campaign.campaign_id and recorded.sale_id <= ${until}`,
    newestFirst: sql`recorded.sale_id desc`,
  };
}

/** A condition on `journal`: the event of the cursor, or one before it. */
function notAfter(sql: Sql, { blockNumber, campaignId, seq }: MovingEventCursor) {
  return sql`and block_number <= ${blockNumber}::bigint and (
    block_number < ${blockNumber}::bigint or campaign_id < ${campaignId}::bigint
    or (campaign_id = ${campaignId}::bigint and seq <= ${seq}::bigint)
  )`;
}
