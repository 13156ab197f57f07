import type { DisputeAnswer } from '../../core/dispute.ts';
import type { Pool, Sql } from '../connection.ts';
import { as, date, rowCodec, type StoredRow, text, type View } from '../row.ts';
import type { DisputeRequest } from '../rows/commerce.ts';

const messageRow = rowCodec({
  id: text,
  from: as<'buyer' | 'merchant'>().from('author'),
  text: text.from('body'),
  at: date.from('sent_at'),
});

/** One message of a dispute. */
export type DisputeMessage = View<typeof messageRow>;

/** Messages that a dispute may have. */
export const MAX_MESSAGES = 200;

/**
 * Opens a dispute with its first message, once per order.
 * @returns `false` where there is one already: nothing changed.
 */
export async function openDispute(
  pool: Pool,
  request: DisputeRequest,
  message: DisputeMessage,
): Promise<boolean> {
  return await pool.begin(async (sql) => {
    const opened = await sql`
      insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until, reason,
        requested_amount, refunded_before, opened_at, updated_at)
      values (${request.id}, ${request.campaignId}, ${request.buyer}, ${request.orderKey},
        ${request.merchant}, ${request.holdUntil}, ${request.reason},
        ${request.requestedAmount.toString()}, ${request.refundedBefore.toString()},
        ${request.at}, ${request.at})
      on conflict (buyer, order_key, campaign_id) do nothing
      returning 1`;
    if (opened.length === 0) return false;
    await insertMessage(sql, request.id, message);
    return true;
  });
}

/** One turn of a dispute: a message, an answer of the merchant, or both. */
export interface DisputeTurn {
  readonly id: string;
  readonly answer?: {
    readonly kind: Exclude<DisputeAnswer, 'open'>;
    /** Amount of an acceptance, base units; `null` otherwise. */
    readonly acceptedAmount: bigint | null;
    /** Reason of a refusal; `null` otherwise. */
    readonly declineReason: string | null;
  };
  readonly message?: DisputeMessage;
  readonly at: Date;
}

/**
 * Notes what was said, all of it or nothing; the last answer holds.
 * @returns `false` where the dispute has as many messages as it may have: nothing changed.
 */
export async function takeTurn(
  pool: Pool,
  { id, answer, message, at }: DisputeTurn,
): Promise<boolean> {
  return await pool.begin(async (sql) => {
    await sql`select 1 from commerce.dispute where id = ${id} for update`;
    if (message !== undefined) {
      const [said] = await sql<{ count: number }[]>`
        select count(*)::int as count from commerce.dispute_message where dispute_id = ${id}`;
      if ((said?.count ?? 0) >= MAX_MESSAGES) return false;
      await insertMessage(sql, id, message);
    }
    if (answer !== undefined) {
      await sql`
        update commerce.dispute set answer = ${answer.kind},
          accepted_amount = ${answer.acceptedAmount?.toString() ?? null},
          decline_reason = ${answer.declineReason}, answered_at = ${at}
        where id = ${id}`;
    }
    await sql`update commerce.dispute set updated_at = ${at} where id = ${id}`;
    return true;
  });
}

/** The messages of a dispute, oldest first. */
export async function disputeMessages(sql: Sql, disputeId: string): Promise<DisputeMessage[]> {
  const rows = await sql<StoredRow[]>`
    select ${messageRow.columns(sql, 'dispute_message')} from commerce.dispute_message
    where dispute_id = ${disputeId} order by sent_at, id limit ${MAX_MESSAGES}`;
  return rows.map(messageRow.decode);
}

async function insertMessage(sql: Sql, disputeId: string, message: DisputeMessage): Promise<void> {
  await sql`
    insert into commerce.dispute_message (id, dispute_id, author, body, sent_at)
    values (${message.id}, ${disputeId}, ${message.from}, ${message.text}, ${message.at})`;
}
