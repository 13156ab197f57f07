import type { Address, Hex } from '../../core/events.ts';
import type { Finality } from '../../core/finality.ts';
import { deletedBefore } from '../../core/retention.ts';
import type { Sql } from '../connection.ts';
import { isInLedger } from '../read/events/located.ts';
import {
  address,
  amount,
  as,
  date,
  id,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  text,
  type View,
} from '../row.ts';
import { newDeliveryIds } from './delivery-ids.ts';

const cursorRow = rowCodec({
  /** Ledger that the sequence is of; `null` before the first run. */
  epoch: nullable(text),
  /** Last change whose deliveries were made. */
  sequence: integer,
  /** After a ledger was made again: block from which on what was sent is looked up in it. */
  recheckAtBlock: nullable(integer),
});

/** Last change for which deliveries were made, and its ledger. */
export type WebhookCursor = View<typeof cursorRow>;

/** Reads and locks the cursor; `undefined` if another process is making deliveries. */
export async function lockCursor(sql: Sql): Promise<WebhookCursor | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${cursorRow.columns(sql, 'webhook_cursor')} from commerce.webhook_cursor
    for update skip locked`;
  return row && cursorRow.decode(row);
}

/** Stores the cursor, in the transaction that made the deliveries. */
export async function moveCursor(
  sql: Sql,
  { epoch, sequence, recheckAtBlock }: WebhookCursor,
): Promise<void> {
  await sql`
    update commerce.webhook_cursor
    set epoch = ${epoch}, sequence = ${sequence}, recheck_at_block = ${recheckAtBlock}
    where (epoch, sequence, recheck_at_block)
      is distinct from (${epoch}, ${sequence}::bigint, ${recheckAtBlock}::bigint)`;
}

const targetRow = rowCodec({
  id: text,
  owner: address,
  events: as<readonly string[]>(),
  afterBlock: integer,
});

/** An enabled endpoint, and what it subscribes to. */
export type WebhookTarget = View<typeof targetRow>;

/** Every enabled endpoint. */
export async function enabledEndpoints(sql: Sql): Promise<WebhookTarget[]> {
  const rows = await sql<StoredRow[]>`
    select ${targetRow.columns(sql, 'webhook_endpoint')} from commerce.webhook_endpoint
    where enabled`;
  return rows.map(targetRow.decode);
}

/** Merchants of campaigns, by the campaign's id. */
export async function merchantsOfCampaigns(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, Address>> {
  const rows = await sql<{ campaign_id: string; merchant: Address }[]>`
    select campaign_id, merchant from ledger.campaign
    where campaign_id = any(${[...campaignIds]}::bigint[])`;
  return new Map(rows.map((row) => [row.campaign_id, row.merchant]));
}

/**
 * Column `finality` of a delivery. Workers of 0.1.0, which may run during an upgrade, store `settled` for `pending`:
 * their deliveries are deleted after 30 days.
 */
export function deliveryFinality(sql: Sql, table: 'claimed' | 'delivery') {
  const finality = sql`${sql(table)}.finality`;
  return sql`case ${finality} when 'settled' then 'pending' else ${finality} end as finality`;
}

/** An event to store, with the endpoints that get it. */
export interface OutgoingEvent {
  /** A function of the chain; of an event of this service, the id that it was given. */
  readonly id: string;
  readonly type: string;
  /** `null` for what is not on the chain. */
  readonly place: {
    readonly campaignId: string;
    readonly seq: number;
    readonly blockNumber: number;
    readonly blockHash: Hex;
    readonly logIndex: number;
  } | null;
  /** Body of its deliveries, as JSON, without the finality that each waits for. */
  readonly body: string;
  readonly at: Date;
  readonly targets: readonly {
    readonly endpointId: string;
    readonly deliveryId: string;
    /** `null` for what is not on the chain. */
    readonly finality: Finality | null;
  }[];
}

/** The newest blocks of each finality. */
export interface FinalHeads {
  readonly safe: number | null;
  readonly finalized: number | null;
}

/**
 * Stores events and their deliveries. An event that was stored before gets no second delivery to the same
 * endpoint. One that was retracted and is on the chain again is sent again under a new id, unless no endpoint received the retraction.
 */
export async function storeEvents(
  sql: Sql,
  events: readonly OutgoingEvent[],
  heads: FinalHeads,
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const inserted = await insertEvents(sql, events, now);
  const ids = events.map(({ id }) => id);
  if (inserted < events.length) await makeValidAgain(sql, ids, now);
  await insertDeliveries(sql, events, heads, now);
}

/** Stores the events that were not stored before. @returns how many these are. */
async function insertEvents(
  sql: Sql,
  events: readonly OutgoingEvent[],
  now: Date,
): Promise<number> {
  const rows = events.map(({ id, type, place, body, at }) => ({
    ...{ id, type, body: JSON.parse(body), at: at.toISOString() },
    campaign_id: place?.campaignId ?? null,
    seq: place?.seq ?? null,
    block_number: place?.blockNumber ?? null,
    block_hash: place?.blockHash ?? null,
    log_index: place?.logIndex ?? null,
  }));
  const inserted = await sql`
    insert into commerce.webhook_event
      (id, type, campaign_id, seq, block_number, block_hash, log_index, body, at, stored_at)
    select row.id, row.type, row.campaign_id, row.seq, row.block_number, row.block_hash,
      row.log_index, row.body, row.at, ${now.toISOString()}::timestamptz
    from rows from (
      json_to_recordset(${JSON.stringify(rows)}::text::json) as (
        id text, type text, campaign_id bigint, seq bigint, block_number bigint, block_hash text,
        log_index integer, body jsonb, at timestamptz
      )
    ) with ordinality as row (id, type, campaign_id, seq, block_number, block_hash, log_index, body,
      at, ordinality)
    order by row.ordinality
    on conflict (id) do nothing returning 1`;
  return inserted.length;
}

/** Queues deliveries of the events, each under the newest id that is not retracted. An endpoint gets none twice. */
async function insertDeliveries(
  sql: Sql,
  events: readonly OutgoingEvent[],
  heads: FinalHeads,
  now: Date,
): Promise<void> {
  const ids = events.map(({ id }) => id);
  const seqs = events.map(({ place }) => place?.seq ?? null);
  const targets = events.flatMap(({ id, targets }) => targets.map((one) => ({ ...one, id })));
  await sql`
    with valid as (
      select distinct on (named.id) named.id, event.number, event.campaign_id, event.block_number
      from unnest(${ids}::text[], ${seqs}::bigint[]) as named (id, seq)
      join commerce.webhook_event first on first.id = named.id
      join commerce.webhook_event event on event.number = first.number
        or (event.retracts is null and event.block_hash = first.block_hash
          and event.log_index = first.log_index)
      where event.retracted_by is null
      order by named.id, event.number desc
    ), renumbered as (
      update commerce.webhook_event event set seq = named.seq
      from valid join unnest(${ids}::text[], ${seqs}::bigint[]) as named (id, seq)
        on named.id = valid.id
      where event.number = valid.number and event.seq is distinct from named.seq
    )
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, campaign_id,
      block_number, finality, status, next_attempt_at, created_at)
    select target.delivery_id, target.endpoint_id, valid.number, valid.campaign_id,
      valid.block_number, target.finality, 'queued',
      case when target.finality is null or target.finality = 'pending'
          or valid.block_number <= ${heads.safe}::bigint and target.finality = 'safe'
          or valid.block_number <= ${heads.finalized}::bigint
        then ${now.toISOString()}::timestamptz else 'infinity' end,
      ${now.toISOString()}::timestamptz
    from unnest(
      ${targets.map(({ id }) => id)}::text[],
      ${targets.map(({ deliveryId }) => deliveryId)}::text[],
      ${targets.map(({ endpointId }) => endpointId)}::text[],
      ${targets.map(({ finality }) => finality)}::text[]
    ) as target (event_id, delivery_id, endpoint_id, finality)
    join valid on valid.id = target.event_id
    on conflict (endpoint_id, event_number) where not is_replay do nothing`;
}

/** Makes retracted events valid again. Those whose retraction no endpoint received keep their id. */
async function makeValidAgain(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
  const at = now.toISOString();
  const newest = sql`
    select distinct on (first.id) first.id, event.number, event.retracted_by
    from commerce.webhook_event first
    join commerce.webhook_event event on event.number = first.number
      or (event.retracts is null and event.block_hash = first.block_hash
        and event.log_index = first.log_index)
    where first.id = any(${[...ids]}::text[])
    order by first.id, event.number desc`;
  // Retractions that no endpoint received: without them the events are valid again.
  await sql`
    with newest as (${newest}), unsent as (
      select newest.number, newest.retracted_by from newest
      where newest.retracted_by is not null and not exists (
        select 1 from commerce.webhook_delivery sent
        where sent.event_number = newest.retracted_by
          and (sent.attempt > 0 or sent.status <> 'queued')
      )
    ), requeued as (
      update commerce.webhook_delivery delivery
      set status = 'queued', next_attempt_at = ${at}::timestamptz, finished_at = null
      from unsent
      where delivery.event_number = unsent.number and delivery.status = 'cancelled'
    )
    delete from commerce.webhook_event event using unsent where event.number = unsent.retracted_by`;
  await sql`
    with newest as (${newest})
    insert into commerce.webhook_event
      (id, type, campaign_id, seq, block_number, block_hash, log_index, body, at, stored_at)
    select again.id, event.type, event.campaign_id, event.seq, event.block_number,
      event.block_hash, event.log_index,
      jsonb_set(event.body, '{data,eventId}', to_jsonb(again.id)), event.at, ${at}::timestamptz
    from newest join commerce.webhook_event event on event.number = newest.number
    cross join lateral (
      select newest.id || '_' || (count(*) + 1) as id from commerce.webhook_event earlier
      where earlier.retracts is null and earlier.block_hash = event.block_hash
        and earlier.log_index = event.log_index
    ) again
    where newest.retracted_by is not null`;
}

/** Selects the events to retract. */
export type EventsToRetract =
  | { readonly campaignId: string; readonly afterSeq: number }
  /** Those up to the block that the ledger does not have. */
  | { readonly missingUpToBlock: number };

/**
 * Retracts events: their queued deliveries are cancelled, and every endpoint that may have received one is sent
 * its retraction.
 * @returns how many were retracted.
 */
export async function retractEvents(sql: Sql, which: EventsToRetract, now: Date): Promise<number> {
  const at = now.toISOString();
  const chosen =
    'campaignId' in which
      ? sql`campaign_id = ${which.campaignId} and seq > ${which.afterSeq}`
      : sql`block_number <= ${which.missingUpToBlock} and not ${isInLedger(sql, sql`webhook_event`)}`;
  const retractions = await sql<{ number: string; retracts: string }[]>`
    insert into commerce.webhook_event
      (id, type, campaign_id, seq, block_number, block_hash, log_index, retracts, body, at, stored_at)
    select id || '_retracted', type || '.retracted', campaign_id, seq, block_number, block_hash,
      log_index, number,
      -- Its link has the present state: its block is no longer on the chain.
      body || jsonb_build_object('type', type || '.retracted', 'data', body -> 'data' || jsonb_build_object(
        'eventId', id || '_retracted', 'retracts', id, 'links', body #> '{data,links}' || jsonb_build_object(
          'self', split_part(body #>> '{data,links,self}', '?', 1)))),
      ${at}::timestamptz, ${at}::timestamptz
    from commerce.webhook_event
    where ${chosen} and retracts is null and retracted_by is null and block_number is not null
    order by seq desc
    returning number, retracts`;
  if (retractions.length === 0) return 0;
  const numbers = retractions.map(({ number }) => number);
  const retracted = retractions.map(({ retracts }) => retracts);
  await sql`
    update commerce.webhook_event event set retracted_by = pair.number
    from unnest(${numbers}::bigint[], ${retracted}::bigint[]) as pair (number, retracts)
    where event.number = pair.retracts`;
  await sql`
    update commerce.webhook_delivery
    set status = 'cancelled', next_attempt_at = null, finished_at = ${at}::timestamptz
    where event_number = any(${retracted}::bigint[]) and status = 'queued'`;
  const receivers = await sql<{ endpoint_id: string; number: string }[]>`
    select distinct delivery.endpoint_id, pair.number
    from unnest(${numbers}::bigint[], ${retracted}::bigint[]) as pair (number, retracts)
    join commerce.webhook_delivery delivery on delivery.event_number = pair.retracts
    where delivery.attempt > 0`;
  const deliveryIds = newDeliveryIds(receivers.length);
  await sql`
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, campaign_id,
      block_number, finality, status, next_attempt_at, created_at)
    select made.id, made.endpoint_id, event.number, event.campaign_id, event.block_number,
      'pending', 'queued', ${at}::timestamptz, ${at}::timestamptz
    from unnest(${deliveryIds}::text[], ${receivers.map((one) => one.endpoint_id)}::text[],
      ${receivers.map(({ number }) => number)}::bigint[]) as made (id, endpoint_id, number)
    join commerce.webhook_event event on event.number = made.number`;
  return retractions.length;
}

/** Queues what waited for blocks that are final by now. */
export async function releaseFinal(sql: Sql, heads: FinalHeads, now: Date): Promise<void> {
  const at = now.toISOString();
  for (const finality of ['safe', 'finalized'] as const) {
    const block = heads[finality];
    if (block === null) continue;
    await sql`
      update commerce.webhook_delivery set next_attempt_at = ${at}::timestamptz
      where status = 'queued' and next_attempt_at = 'infinity' and finality = ${finality}
        and block_number <= ${block}`;
  }
}

/** Block of the newest event that was stored; `null` without one. */
export async function newestEventBlock(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ block: string | null }[]>`
    select max(block_number) as block from commerce.webhook_event`;
  return row?.block == null ? null : Number(row.block);
}

const serviceEventRow = rowCodec({
  id: text,
  type: text,
  accounts: as<readonly Address[]>(),
  campaignId: nullable(id),
  /** Dispute, invitation or report. */
  subjectId: text,
  amount: nullable(amount),
  at: date,
});

/** Something that happened in this service and not on the chain. */
export type ServiceEvent = View<typeof serviceEventRow>;

/** Takes the oldest events of this service out of their outbox. */
export async function takeServiceEvents(sql: Sql, limit: number): Promise<ServiceEvent[]> {
  const rows = await sql<StoredRow[]>`
    with taken as (
      delete from commerce.service_event where number = any(array(
        select number from commerce.service_event order by number limit ${limit}
        for update skip locked
      )) returning *
    )
    select ${serviceEventRow.columns(sql, 'taken')} from taken order by number`;
  return rows.map(serviceEventRow.decode);
}

const outboxHead = rowCodec({
  epoch: text.from('stream_epoch'),
  sequence: integer,
  settledNumber: nullable(integer),
  settledTimestamp: nullable(seconds),
  safeNumber: nullable(integer),
  finalizedNumber: nullable(integer),
});

/** The newest change, and the heads. */
export async function readOutboxHead(sql: Sql): Promise<View<typeof outboxHead> | undefined> {
  const [row] = await sql<StoredRow[]>`select ${outboxHead.columns(sql, 'head')} from ledger.head`;
  return row && outboxHead.decode(row);
}

/** Events deleted by one statement. */
const DELETE_BATCH = 1_000;

/**
 * Deletes some events that became known more than 30 days ago, with their deliveries. Endpoints never get events of their
 * blocks again, so that a ledger which is made again sends nothing twice.
 * @returns how many.
 */
export async function deleteOldEvents(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('webhook-events.forget', now);
  const [row] = await sql<{ count: number }[]>`
    with deleted as (
      delete from commerce.webhook_event where number = any(array(
        select number from commerce.webhook_event event
        where stored_at < ${before}::timestamptz and not exists (
          select 1 from commerce.webhook_delivery delivery
          where delivery.event_number = event.number and delivery.status in ('queued', 'sending')
        )
        order by stored_at limit ${DELETE_BATCH}
      )) returning block_number
    ), moved as (
      update commerce.webhook_endpoint
      set after_block = (select max(block_number) from deleted)
      where after_block < (select max(block_number) from deleted)
    )
    select count(*)::int as count from deleted`;
  return row?.count ?? 0;
}

/** Deletes some events of this service for which no process made deliveries for 7 days. @returns how many. */
export async function deleteOldServiceEvents(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('service-events.forget', now);
  // Numbers rise with time, so what is too old is at the low end.
  const { count } = await sql`
    delete from commerce.service_event where number = any(array(
      select number from (
        select number, at from commerce.service_event order by number limit ${DELETE_BATCH}
      ) oldest where at < ${before}::timestamptz
    ))`;
  return count;
}
