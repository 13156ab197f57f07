import type { Address } from '../../core/events.ts';
import type { Finality } from '../../core/finality.ts';
import { sentBody, type WebhookBody } from '../../core/webhook-message.ts';
import type { Sql } from '../connection.ts';
import {
  address,
  as,
  bytes,
  date,
  flag,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../row.ts';
import { newDeliveryIds } from './delivery-ids.ts';
import { deliveryFinality } from './webhook-outbox.ts';

const endpointRow = rowCodec({
  id: text,
  /** Account whose events it gets, lower case. */
  owner: address,
  url: text,
  events: as<readonly string[]>(),
  enabled: flag,
  isOrdered: flag,
  createdAt: date,
  failingSince: nullable(date),
  /** Why it was turned off, if the service did. */
  disabledReason: nullable(text),
});

/** An endpoint, without its secrets. */
export type EndpointRow = View<typeof endpointRow>;

/** Endpoints of one account. */
export const MAX_ENDPOINTS = 20;

/** An endpoint to store. */
export interface NewEndpoint {
  readonly id: string;
  readonly owner: Address;
  readonly url: string;
  readonly events: readonly string[];
  readonly isOrdered: boolean;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly createdAt: Date;
}

/**
 * Stores an endpoint, which gets the events of later blocks.
 * @returns `undefined` if the account has as many as it may have.
 */
export async function createEndpoint(
  sql: Sql,
  endpoint: NewEndpoint,
): Promise<EndpointRow | undefined> {
  // Counting and adding are one step: two concurrent requests would both find the last place free.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${endpoint.owner}`}, 0))`;
  const [row] = await sql<StoredRow[]>`
    insert into commerce.webhook_endpoint
      (id, owner, url, events, is_ordered, secret, after_block, created_at)
    select ${endpoint.id}, ${endpoint.owner}, ${endpoint.url}, ${[...endpoint.events]}::text[],
      ${endpoint.isOrdered}, ${Buffer.from(endpoint.secret)},
      coalesce((select settled_number from ledger.head), -1),
      ${endpoint.createdAt.toISOString()}::timestamptz
    where (
      select count(*) from commerce.webhook_endpoint where owner = ${endpoint.owner}
    ) < ${MAX_ENDPOINTS}
    returning ${endpointRow.columns(sql, 'webhook_endpoint')}`;
  return row && endpointRow.decode(row);
}

/** Endpoints of an account, newest first. */
export async function listEndpoints(sql: Sql, owner: Address): Promise<EndpointRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${endpointRow.columns(sql, 'webhook_endpoint')} from commerce.webhook_endpoint
    where owner = ${owner} order by created_at desc, id desc limit ${MAX_ENDPOINTS}`;
  return rows.map(endpointRow.decode);
}

/** Endpoint of an account, locked until the transaction ends. */
export async function lockEndpoint(
  sql: Sql,
  owner: Address,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${endpointRow.columns(sql, 'webhook_endpoint')} from commerce.webhook_endpoint
    where id = ${id} and owner = ${owner} for update`;
  return row && endpointRow.decode(row);
}

/** True if an account has that endpoint. */
export async function isOwnEndpoint(sql: Sql, owner: Address, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.webhook_endpoint where id = ${id} and owner = ${owner}`;
  return rows.length > 0;
}

/** Changes an endpoint. Turning it on again forgets why it was turned off. */
export async function updateEndpoint(
  sql: Sql,
  id: string,
  { events, enabled, isOrdered }: Pick<EndpointRow, 'events' | 'enabled' | 'isOrdered'>,
): Promise<EndpointRow> {
  const [row] = await sql<StoredRow[]>`
    update commerce.webhook_endpoint set events = ${[...events]}::text[], enabled = ${enabled},
      is_ordered = ${isOrdered},
      disabled_reason = case when ${enabled} then null else disabled_reason end,
      failing_since = case when ${enabled} and not enabled then null else failing_since end,
      failures = case when ${enabled} and not enabled then 0 else failures end,
      paused_until = case when ${enabled} and not enabled then null else paused_until end
    where id = ${id}
    returning ${endpointRow.columns(sql, 'webhook_endpoint')}`;
  if (row === undefined) throw new Error(`There is no endpoint ${id}.`);
  return endpointRow.decode(row);
}

/** Deletes an endpoint with its deliveries. @returns whether there was one. */
export async function deleteEndpoint(sql: Sql, owner: Address, id: string): Promise<boolean> {
  const rows = await sql`
    delete from commerce.webhook_endpoint where id = ${id} and owner = ${owner} returning 1`;
  return rows.length > 0;
}

/** Replaces the secret; the one before signs too until a time. */
export async function replaceSecret(
  sql: Sql,
  id: string,
  secret: Uint8Array,
  oldUntil: Date,
): Promise<void> {
  await sql`
    update commerce.webhook_endpoint set old_secret = secret,
      old_secret_expires_at = ${oldUntil.toISOString()}::timestamptz,
      secret = ${Buffer.from(secret)}
    where id = ${id}`;
}

/** When the old secret of an endpoint ends; `null` if it has none that is still good. */
export async function oldSecretUntil(sql: Sql, id: string, now: Date): Promise<Date | null> {
  const [row] = await sql<{ until: Date | null }[]>`
    select old_secret_expires_at as until from commerce.webhook_endpoint
    where id = ${id} and old_secret_expires_at > ${now.toISOString()}::timestamptz`;
  return row?.until ?? null;
}

const secretsRow = rowCodec({
  id: text,
  secret: bytes,
  oldSecret: nullable(bytes),
});

/** Sealed secrets of endpoints, after an id, in order. */
export async function sealedSecrets(
  sql: Sql,
  after: string,
  limit: number,
): Promise<View<typeof secretsRow>[]> {
  const rows = await sql<StoredRow[]>`
    select id, secret, old_secret from commerce.webhook_endpoint
    where id > ${after} order by id limit ${limit}`;
  return rows.map(secretsRow.decode);
}

/** Stores the same secrets under a newer key, unless they were replaced meanwhile. */
export async function storeResealed(
  sql: Sql,
  { id, secret }: { readonly id: string; readonly secret: Uint8Array },
  resealed: { readonly secret: Uint8Array; readonly oldSecret: Uint8Array | null },
): Promise<void> {
  await sql`
    update commerce.webhook_endpoint set secret = ${Buffer.from(resealed.secret)},
      old_secret = case when old_secret is null then null
        else ${resealed.oldSecret && Buffer.from(resealed.oldSecret)}::bytea end
    where id = ${id} and secret = ${Buffer.from(secret)}`;
}

const deliveryRow = rowCodec({
  id: text,
  endpointId: text,
  eventId: text,
  /** Name of the event. */
  type: text,
  attempt: small,
  status: as<'queued' | 'sending' | 'delivered' | 'failed' | 'cancelled'>(),
  httpStatus: nullable(small),
  /** ISO 8601; `null` if there is no further attempt, or it waits for its block. */
  nextAttemptAt: nullable(date),
  createdAt: date,
});

/** A delivery, and how far it has come. */
export type DeliveryRow = View<typeof deliveryRow>;

function deliveryColumns(sql: Sql) {
  return sql`delivery.id, delivery.endpoint_id, event.id as event_id, event.type,
    delivery.attempt,
    delivery.status, delivery.http_status, nullif(delivery.next_attempt_at, 'infinity') as next_attempt_at,
    delivery.created_at`;
}

/** Deliveries to an endpoint, newest first. */
export async function listDeliveries(
  sql: Sql,
  endpointId: string,
  {
    after,
    limit,
  }: {
    readonly after: { readonly createdAt: string; readonly id: string } | undefined;
    readonly limit: number;
  },
): Promise<DeliveryRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${deliveryColumns(sql)} from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    where delivery.endpoint_id = ${endpointId}
      ${after === undefined ? sql`` : sql`and (delivery.created_at, delivery.id) < (${after.createdAt}::timestamptz, ${after.id})`}
    order by delivery.created_at desc, delivery.id desc limit ${limit}`;
  return rows.map(deliveryRow.decode);
}

/** Delivery to an endpoint of an account. */
export async function findDelivery(
  sql: Sql,
  owner: Address,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${deliveryColumns(sql)} from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    join commerce.webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id
    where delivery.id = ${id} and endpoint.owner = ${owner}`;
  return row && deliveryRow.decode(row);
}

const bodyRow = rowCodec({ body: as<WebhookBody>(), finality: nullable(as<Finality>()) });

/** Body of a delivery, as it is sent. */
export async function deliveryBody(sql: Sql, deliveryId: string): Promise<WebhookBody | undefined> {
  const [row] = await sql<StoredRow[]>`
    select event.body, ${deliveryFinality(sql, 'delivery')} from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    where delivery.id = ${deliveryId}`;
  if (row === undefined) return undefined;
  const { body, finality } = bodyRow.decode(row);
  return sentBody(body, finality);
}

const attemptRow = rowCodec({
  attempt: small,
  at: date,
  latencyMs: small,
  httpStatus: nullable(small),
  error: nullable(text),
  excerpt: nullable(text),
});

/** Attempts at a delivery, oldest first. */
export async function listAttempts(
  sql: Sql,
  deliveryId: string,
): Promise<View<typeof attemptRow>[]> {
  const rows = await sql<StoredRow[]>`
    select ${attemptRow.columns(sql, 'webhook_attempt')} from commerce.webhook_attempt
    where delivery_id = ${deliveryId} order by attempt`;
  return rows.map(attemptRow.decode);
}

/** Queues a test event for an endpoint. */
export async function queueTest(
  sql: Sql,
  {
    id,
    endpointId,
    eventId,
    type,
    body,
  }: {
    readonly id: string;
    readonly endpointId: string;
    readonly eventId: string;
    readonly type: string;
    /** Body of the delivery, as JSON. */
    readonly body: string;
  },
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await sql`
    with event as (
      insert into commerce.webhook_event (id, type, body, at, stored_at)
      values (${eventId}, ${type}, ${body}::text::jsonb, ${at}::timestamptz, ${at}::timestamptz)
      returning number
    )
    insert into commerce.webhook_delivery
      (id, endpoint_id, event_number, is_replay, status, next_attempt_at, created_at)
    select ${id}, ${endpointId}, number, true, 'queued', ${at}::timestamptz, ${at}::timestamptz
    from event`;
}

/** Deliveries that one request may send again. */
const MAX_REPLAYED = 1_000;

/** Which deliveries are sent again. */
export type Replayed =
  | { readonly deliveryId: string }
  | { readonly from: Date; readonly to: Date; readonly onlyFailed: boolean };

/**
 * Queues events for an endpoint again, each once, in their order, under the same event ids. Retracted events
 * are left out.
 * @returns ids of the new deliveries.
 */
export async function replayDeliveries(
  sql: Sql,
  endpointId: string,
  which: Replayed,
  now: Date,
): Promise<string[]> {
  const at = now.toISOString();
  const chosen =
    'deliveryId' in which
      ? sql`delivery.id = ${which.deliveryId}`
      : sql`event.at >= ${which.from.toISOString()}::timestamptz
          and event.at < ${which.to.toISOString()}::timestamptz and event.type <> 'webhook.test'
          and not delivery.is_replay
          ${which.onlyFailed ? sql`and delivery.status = 'failed'` : sql`and delivery.status in ('delivered', 'failed')`}`;
  const events = await sql<StoredRow[]>`
    select distinct event.number, ${deliveryFinality(sql, 'delivery')}
    from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    where delivery.endpoint_id = ${endpointId} and ${chosen} and event.retracted_by is null
    order by event.number limit ${MAX_REPLAYED}`;
  const ids = newDeliveryIds(events.length);
  await sql`
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, campaign_id,
      block_number, finality, is_replay, status, next_attempt_at, created_at)
    select made.id, ${endpointId}, event.number, event.campaign_id, event.block_number,
      made.finality, true, 'queued', ${at}::timestamptz, ${at}::timestamptz
    from unnest(${ids}::text[], ${events.map(({ number }) => String(number))}::bigint[],
      ${events.map(({ finality }) => (finality === null ? null : String(finality)))}::text[])
      as made (id, number, finality)
    join commerce.webhook_event event on event.number = made.number`;
  return ids;
}
