import type { Finality } from '../../core/finality.ts';
import type { WebhookBody } from '../../core/webhook-message.ts';
import type { Fragment, Sql } from '../connection.ts';
import {
  as,
  bytes,
  date,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../row.ts';
import { deliveryFinality } from './webhook-outbox.ts';

/** Deliveries of one endpoint that are sent concurrently. */
const MAX_SENDING = 4;

/** Deliveries that are sent concurrently to an endpoint whose last attempt failed: a host that hangs holds few connections. */
const MAX_SENDING_AFTER_FAILURE = 1;

/** Endpoints that one claim reads. */
const MAX_ENDPOINTS = 1_000;

const claimedRow = rowCodec({
  id: text,
  endpointId: text,
  /** Counts from 1. */
  attempt: small,
  isReplay: as<boolean>(),
  eventId: text,
  finality: nullable(as<Finality>()),
  /** Body without its finality. */
  body: as<WebhookBody>(),
  url: text,
  secret: bytes,
  oldSecret: nullable(bytes),
  oldSecretExpiresAt: nullable(date),
});

/** A delivery that this process may send now. */
export type ClaimedDelivery = View<typeof claimedRow>;

/** Limits of a claim. */
export interface ClaimLimits {
  /** Deliveries to claim at most. */
  readonly limit: number;
  /** Milliseconds after which an attempt that says nothing counts as lost. */
  readonly leaseMs: number;
}

/**
 * Claims deliveries that are due: at most four of an endpoint are sent concurrently, or one if it failed
 * last, and those of an ordered endpoint wait for the earlier ones of their campaign. A retraction waits while an attempt at
 * its event is running. The cost depends on how many endpoints have something queued.
 */
export async function claimDeliveries(
  sql: Sql,
  now: Date,
  { limit, leaseMs }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const at = now.toISOString();
  const lease = new Date(now.getTime() + leaseMs).toISOString();
  const rows = await sql<StoredRow[]>`
    with recursive ${readyEndpoints(sql, at)}, due as (
      select delivery.id from ready
      cross join lateral (${nextOfEndpoint(sql, at)}) delivery
      order by delivery.next_attempt_at, delivery.event_number limit ${limit}
    ), locked as (
      select delivery.id from commerce.webhook_delivery delivery join due on due.id = delivery.id
      where delivery.status = 'queued' for update of delivery skip locked
    ), claimed as (
      update commerce.webhook_delivery delivery
      set status = 'sending', attempt = delivery.attempt + 1, next_attempt_at = null,
        lease_until = ${lease}::timestamptz
      from locked where delivery.id = locked.id
      returning delivery.*
    )
    select claimed.id, claimed.endpoint_id, claimed.attempt, claimed.is_replay,
      ${deliveryFinality(sql, 'claimed')}, event.id as event_id, event.body, endpoint.url, endpoint.secret, endpoint.old_secret,
      endpoint.old_secret_expires_at
    from claimed
    join commerce.webhook_event event on event.number = claimed.event_number
    join commerce.webhook_endpoint endpoint on endpoint.id = claimed.endpoint_id
    order by claimed.event_number`;
  return rows.map(claimedRow.decode);
}

/**
 * For a `with recursive`: `ready` has the endpoints that may get something, with the number of deliveries that may be
 * sent in addition to those under way.
 */
function readyEndpoints(sql: Sql, at: string): Fragment {
  return sql`
    queued as (
      (
        select endpoint_id from commerce.webhook_delivery
        where status = 'queued' order by endpoint_id limit 1
      )
      union all
      select (
        select delivery.endpoint_id from commerce.webhook_delivery delivery
        where delivery.status = 'queued' and delivery.endpoint_id > queued.endpoint_id
        order by delivery.endpoint_id limit 1
      )
      from queued where queued.endpoint_id is not null
    ), ready as (
      select endpoint.id, endpoint.is_ordered,
        case when endpoint.failures > 0 then ${MAX_SENDING_AFTER_FAILURE}::int
          else ${MAX_SENDING}::int end - (
          select count(*) from commerce.webhook_delivery sending
          where sending.endpoint_id = endpoint.id and sending.status = 'sending'
        ) as free
      from queued join commerce.webhook_endpoint endpoint on endpoint.id = queued.endpoint_id
      where endpoint.enabled
        and (endpoint.paused_until is null or endpoint.paused_until <= ${at}::timestamptz)
      limit ${MAX_ENDPOINTS}
    )`;
}

/** A select of the deliveries of an endpoint of `ready` that are due and wait for no other. */
function nextOfEndpoint(sql: Sql, at: string): Fragment {
  return sql`
    select delivery.id, delivery.next_attempt_at, delivery.event_number
    from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    where delivery.endpoint_id = ready.id and delivery.status = 'queued'
      and delivery.next_attempt_at <= ${at}::timestamptz
      and not exists (
        select 1 from commerce.webhook_delivery sending
        where event.retracts is not null and sending.event_number = event.retracts
          and sending.endpoint_id = ready.id and sending.status = 'sending'
      )
      and not exists (
        select 1 from commerce.webhook_delivery earlier
        where ready.is_ordered and earlier.endpoint_id = ready.id
          and earlier.campaign_id = delivery.campaign_id
          and earlier.event_number < delivery.event_number
          and earlier.status in ('queued', 'sending') and not earlier.is_replay
      )
    order by delivery.next_attempt_at, delivery.event_number
    limit greatest(0, ready.free)`;
}

/** Error of an attempt whose outcome is unknown, as a sentence for the owner of the endpoint. */
const LOST = 'The service stopped during this attempt. The request may have arrived.';

/**
 * Ends attempts whose lease is over, because their process ended: notes them, and queues their deliveries
 * again. A delivery whose event was retracted meanwhile is cancelled, and one without further attempts has failed.
 * @param limits.leaseMs milliseconds of a lease: an attempt began that long before its lease ends.
 */
export async function reclaimLost(
  sql: Sql,
  now: Date,
  { leaseMs, maxAttempts }: { readonly leaseMs: number; readonly maxAttempts: number },
): Promise<void> {
  const at = now.toISOString();
  await sql`
    with lost as (
      select delivery.id, delivery.lease_until, case
        when event.retracted_by is not null and not delivery.is_replay then 'cancelled'
        when delivery.attempt >= ${maxAttempts} then 'failed'
        else 'queued' end as next
      from commerce.webhook_delivery delivery
      join commerce.webhook_event event on event.number = delivery.event_number
      where delivery.status = 'sending' and delivery.lease_until < ${at}::timestamptz
      for update of delivery skip locked
    ), ended as (
      update commerce.webhook_delivery delivery
      set status = lost.next, lease_until = null, http_status = null,
        next_attempt_at = case when lost.next = 'queued' then ${at}::timestamptz end,
        finished_at = case when lost.next <> 'queued' then ${at}::timestamptz end
      from lost where delivery.id = lost.id
      returning delivery.id, delivery.attempt, lost.lease_until
    )
    insert into commerce.webhook_attempt (delivery_id, attempt, at, latency_ms, error)
    select id, attempt, lease_until - ${leaseMs} * interval '1 millisecond', ${leaseMs}, ${LOST}
    from ended
    on conflict do nothing`;
}

/** How an attempt ended. */
export interface AttemptResult {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly latencyMs: number;
  /** `null` if there was no answer. */
  readonly httpStatus: number | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly excerpt: string | null;
  /** `delivered`; otherwise when to try again, or `null` if that was the last time. */
  readonly next: 'delivered' | Date | null;
}

/** Consequences of an attempt for its endpoint. */
export interface EndpointChange {
  /** Leaves it alone until then. */
  readonly pausedUntil: Date | null;
  /** Turns it off, and says why. */
  readonly disabledReason: string | null;
}

/**
 * Stores how an attempt ended, in one transaction. An attempt whose lease ended meanwhile belongs to another
 * process: then only the attempt is noted, in place of the note that it was lost. A failed attempt at an event that was retracted meanwhile is not repeated.
 * @returns whether it turned the endpoint off.
 */
export async function saveAttempt(
  sql: Sql,
  result: AttemptResult,
  { pausedUntil, disabledReason }: EndpointChange,
  now: Date,
): Promise<boolean> {
  const at = now.toISOString();
  const { deliveryId, attempt, next } = result;
  const isDelivered = next === 'delivered';
  const nextAt = next instanceof Date ? next.toISOString() : null;
  await sql`
    insert into commerce.webhook_attempt
      (delivery_id, attempt, at, latency_ms, http_status, error, excerpt)
    values (${deliveryId}, ${attempt}, ${result.startedAt.toISOString()}::timestamptz,
      ${result.latencyMs}, ${result.httpStatus}, ${result.error}, ${result.excerpt})
    on conflict (delivery_id, attempt) do update set at = excluded.at,
      latency_ms = excluded.latency_ms, http_status = excluded.http_status, error = excluded.error,
      excerpt = excluded.excerpt`;
  const status = sql`case
    when ${isDelivered} then 'delivered'
    when event.retracted_by is not null and not delivery.is_replay then 'cancelled'
    when ${nextAt}::timestamptz is null then 'failed'
    else 'queued' end`;
  await sql`
    update commerce.webhook_delivery delivery
    set status = ${status}, http_status = ${result.httpStatus}, lease_until = null,
      next_attempt_at = case when ${status} = 'queued' then ${nextAt}::timestamptz end,
      finished_at = case when ${status} <> 'queued' then ${at}::timestamptz end
    from commerce.webhook_event event
    where delivery.id = ${deliveryId} and delivery.attempt = ${attempt}
      and delivery.status = 'sending' and event.number = delivery.event_number`;
  if (isDelivered) {
    await sql`
      update commerce.webhook_endpoint endpoint
      set failing_since = null, failures = 0
      from commerce.webhook_delivery delivery
      where delivery.id = ${deliveryId} and endpoint.id = delivery.endpoint_id
        and endpoint.failures > 0`;
    return false;
  }
  const [before] = await sql<{ id: string; enabled: boolean }[]>`
    select endpoint.id, endpoint.enabled from commerce.webhook_endpoint endpoint
    join commerce.webhook_delivery delivery on delivery.endpoint_id = endpoint.id
    where delivery.id = ${deliveryId} for update of endpoint`;
  if (before === undefined) return false;
  await sql`
    update commerce.webhook_endpoint endpoint
    set failing_since = coalesce(endpoint.failing_since, ${at}::timestamptz),
      failures = endpoint.failures + 1,
      paused_until = greatest(endpoint.paused_until, ${pausedUntil?.toISOString() ?? null}::timestamptz),
      enabled = endpoint.enabled and ${disabledReason === null},
      disabled_reason = coalesce(${disabledReason}, endpoint.disabled_reason)
    where endpoint.id = ${before.id}`;
  return before.enabled && disabledReason !== null;
}

const failingRow = rowCodec({ failures: integer, failingSince: nullable(date) });

/** How an endpoint has fared since its last success. */
export async function readFailures(
  sql: Sql,
  endpointId: string,
): Promise<View<typeof failingRow> | undefined> {
  const [row] = await sql<StoredRow[]>`
    select failures, failing_since from commerce.webhook_endpoint where id = ${endpointId}`;
  return row && failingRow.decode(row);
}

/** Publishes an event for the owner of an endpoint that was turned off, for its other endpoints. */
export async function noteDisabled(sql: Sql, endpointId: string, now: Date): Promise<void> {
  await sql`
    insert into commerce.service_event (type, accounts, subject_id, at)
    select 'webhook.disabled', array[owner], id, ${now.toISOString()}::timestamptz
    from commerce.webhook_endpoint where id = ${endpointId}`;
}
