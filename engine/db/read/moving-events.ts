import type { CampaignLedger } from '../../core/campaign.ts';
import type { Address } from '../../core/events.ts';
import { type MovingEvent, movingEvents } from '../../core/movements.ts';
import type { Sql } from '../connection.ts';
import { ledgerColumnNames, ledgerOf } from '../write/standing-columns.ts';
import { type EventRow, eventColumns, eventOf, type SaleEvent } from './sale-events.ts';
import type { Snapshot } from './snapshot.ts';

/** An event that moved money, with the ledgers of its campaign before and after it. */
export interface MovingEventView extends SaleEvent {
  readonly campaignId: string;
  readonly name: MovingEvent;
  readonly saleId: string | null;
  readonly before: CampaignLedger;
  readonly after: CampaignLedger;
}

/** An event's place among those of all campaigns. */
export interface EventPlace {
  readonly blockNumber: string;
  readonly campaignId: string;
  readonly seq: string;
}

interface MovingQuery {
  readonly campaignId: string | undefined;
  readonly kind: MovingEvent | undefined;
  /** Unix seconds: from inclusive, to exclusive. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  /** Begins with this event, itself included. */
  readonly from: EventPlace | undefined;
  readonly limit: number;
}

type Amount = (typeof ledgerColumnNames)[number];

type MovingRow = Omit<EventRow, 'name'> & {
  campaign_id: string;
  sale_id: string | null;
  name: MovingEvent;
} & { readonly [A in Amount as `before_${A}` | `after_${A}`]: string };

/**
 * Events that changed an amount of a ledger of the merchant's campaigns, the newest first: one
 * statement. Of each campaign it walks an index down from the newest event that may be on the page.
 */
export async function movingEventsOf(
  { sql, head }: Snapshot,
  merchant: Address,
  { campaignId, kind, range, from, limit }: MovingQuery,
): Promise<MovingEventView[]> {
  const rows = await sql<MovingRow[]>`
    select moved.* from ledger.campaign campaign
    join lateral (
      select seq from ledger.journal
      where campaign_id = campaign.campaign_id and block_number <= ${head.number}
        ${from ? notAfter(sql, from) : sql``}
        ${range ? sql`and block_timestamp < ${range.to}` : sql``}
      order by block_number desc, seq desc limit 1
    ) newest on true
    cross join lateral (
      select journal.campaign_id, journal.sale_id, ${eventColumns(sql)}
        ${ledgerColumnNames.map((name) => sql`, before.${sql(name)} as ${sql(`before_${name}`)}`)}
        ${ledgerColumnNames.map((name) => sql`, journal.${sql(name)} as ${sql(`after_${name}`)}`)}
      from ledger.journal
      join ledger.journal before
        on before.campaign_id = journal.campaign_id and before.seq = journal.seq - 1
      where journal.campaign_id = campaign.campaign_id and journal.seq <= newest.seq
        and ${kind === undefined ? sql`journal.name in ${sql([...movingEvents])}` : sql`journal.name = ${kind}`}
        and (false ${ledgerColumnNames.map((name) => sql`or journal.${sql(name)} <> before.${sql(name)}`)})
        ${range ? sql`and journal.block_timestamp >= ${range.from}` : sql``}
      order by journal.seq desc limit ${limit}
    ) moved
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    order by moved.block_number desc, moved.campaign_id desc, moved.seq desc limit ${limit}`;
  return rows.map((row) => ({
    ...eventOf(row),
    name: row.name,
    campaignId: row.campaign_id,
    saleId: row.sale_id,
    before: ledgerOf(amountsAt(row, 'before')),
    after: ledgerOf(amountsAt(row, 'after')),
  }));
}

/** Of a campaign, the events at that place or before it. */
function notAfter(sql: Sql, { blockNumber, campaignId, seq }: EventPlace) {
  return sql`and block_number <= ${blockNumber}::bigint and (
    block_number < ${blockNumber}::bigint or campaign_id < ${campaignId}::bigint
    or (campaign_id = ${campaignId}::bigint and seq <= ${seq}::bigint)
  )`;
}

function amountsAt(row: MovingRow, when: 'before' | 'after') {
  return {
    net_deposited: row[`${when}_net_deposited`],
    available: row[`${when}_available`],
    pending_reserved: row[`${when}_pending_reserved`],
    vested_unclaimed: row[`${when}_vested_unclaimed`],
    rewards_claimed: row[`${when}_rewards_claimed`],
    surplus_withdrawn: row[`${when}_surplus_withdrawn`],
    proceeds_pending: row[`${when}_proceeds_pending`],
    proceeds_claimable: row[`${when}_proceeds_claimable`],
    proceeds_claimed: row[`${when}_proceeds_claimed`],
    buyer_refunded: row[`${when}_buyer_refunded`],
    credit_outstanding: row[`${when}_credit_outstanding`],
  };
}
