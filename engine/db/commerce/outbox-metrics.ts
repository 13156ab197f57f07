import type { Sql } from '../connection.ts';
import { integer, nullable, rowCodec, type StoredRow, seconds, type View } from '../row.ts';

/** Queued messages that are counted; more show as this many. */
const MAX_COUNTED = 100_000;

const outboxRow = rowCodec({
  /** Queued now, for a later attempt or until their block is final. */
  queued: integer,
  /** Time at which the oldest that may be sent now was due, unix seconds; `null` if there is none. */
  oldestDue: nullable(seconds),
  /** Endpoints that the service turned off, or addresses that count as undeliverable. */
  disabled: integer,
});

/** State of one kind of messages. */
export type OutboxState = View<typeof outboxRow>;

/**
 * Reads how many webhooks and mails wait to be sent, in one statement. Endpoints that are off or left alone for a while are
 * not late. The cost depends on how many endpoints have something queued, and not on how much.
 */
export async function readOutboxes(
  sql: Sql,
  now: Date,
): Promise<{ readonly webhooks: OutboxState; readonly mails: OutboxState }> {
  const at = now.toISOString();
  const oldest = (value: ReturnType<typeof sql>) =>
    sql`floor(extract(epoch from ${value}))::bigint`;
  const rows = await sql<(StoredRow & { part: 'webhooks' | 'mails' })[]>`
    with recursive queued as (
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
    )
    select 'webhooks' as part, (
      select count(*) from (
        select 1 from commerce.webhook_delivery where status = 'queued' limit ${MAX_COUNTED}
      ) counted
    ) as queued, (
      select ${oldest(sql`min(first.next_attempt_at)`)} from queued
      join commerce.webhook_endpoint endpoint on endpoint.id = queued.endpoint_id
        and endpoint.enabled
        and (endpoint.paused_until is null or endpoint.paused_until <= ${at}::timestamptz)
      cross join lateral (
        select delivery.next_attempt_at from commerce.webhook_delivery delivery
        where delivery.endpoint_id = endpoint.id and delivery.status = 'queued'
          and delivery.next_attempt_at <= ${at}::timestamptz
        order by delivery.next_attempt_at limit 1
      ) first
    ) as oldest_due, (
      select count(*) from commerce.webhook_endpoint where disabled_reason is not null
    ) as disabled
    union all
    select 'mails', (
      select count(*) from (
        select 1 from commerce.mail where status = 'queued' limit ${MAX_COUNTED}
      ) counted
    ), (
      select ${oldest(sql`min(next_attempt_at)`)} from commerce.mail
      where status = 'queued' and next_attempt_at <= ${at}::timestamptz
    ), (
      select count(*) from commerce.mail_account where undeliverable_at is not null
    )`;
  const stateOf = (part: 'webhooks' | 'mails') => {
    const row = rows.find((one) => one.part === part);
    if (row === undefined) throw new Error(`The state of ${part} was not read.`);
    return outboxRow.decode(row);
  };
  return { webhooks: stateOf('webhooks'), mails: stateOf('mails') };
}
