import type { Sql } from '../connection.ts';

/**
 * Gives the stream of changes a new epoch, so that no reader continues with a sequence number that is of another
 * change now. Webhooks continue after the last change whose deliveries were made.
 */
export async function startNewEpoch(sql: Sql): Promise<void> {
  const [head] = await sql<{ before: string; after: string }[]>`
    update ledger.head set stream_epoch = substr(md5(gen_random_uuid()::text), 1, 8)
    from (select stream_epoch as before from ledger.head) earlier
    returning earlier.before, head.stream_epoch as after`;
  if (head === undefined) return;
  await sql`
    update commerce.webhook_cursor set epoch = ${head.after} where epoch = ${head.before}`;
}

/**
 * Cancels webhooks and mails that wait, and those of all events up to a block: they may have been sent after the moment
 * to which the database went back.
 * @returns how many webhooks and mails were cancelled.
 */
export async function quietOutboxes(sql: Sql, upToBlock: number): Promise<number> {
  const deliveries = await sql`
    update commerce.webhook_delivery
    set status = 'cancelled', next_attempt_at = null, lease_until = null, finished_at = now()
    where status in ('queued', 'sending')`;
  await sql`
    update commerce.webhook_endpoint set after_block = ${upToBlock} where after_block < ${upToBlock}`;
  const mails = await sql`
    update commerce.mail
    set status = 'cancelled', next_attempt_at = null, lease_until = null, finished_at = now()
    where status in ('queued', 'sending')`;
  const items = await sql`delete from commerce.mail_item where mail_id is null`;
  await sql`
    update commerce.mail_account set after_block = ${upToBlock} where after_block < ${upToBlock}`;
  const service = await sql`delete from commerce.service_event`;
  return deliveries.count + mails.count + items.count + service.count;
}
