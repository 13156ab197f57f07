import type { DisputeAnswer } from '../../core/dispute.ts';
import type { Pool, Sql } from '../connection.ts';
import { refundGoalSql } from '../read/disputes/rows.ts';
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
 * Opens a dispute with its first message, once per order. One that its buyer withdrew is opened again, unless
 * its sale has refunded it: it keeps its id and its messages.
 * @returns its id; `exists` if there is another one, and `full` if it has no room for a message: then nothing
 * changed.
 */
export async function openDispute(
  pool: Pool,
  request: DisputeRequest,
  message: DisputeMessage,
): Promise<{ readonly id: string } | 'exists' | 'full'> {
  const { campaignId, buyer, orderKey } = request;
  return await pool.begin(async (sql) => {
    const [known] = await sql<{ id: string; is_withdrawn: boolean }[]>`
      select id, answer = 'withdrawn'
        and ${refundGoalSql(sql)} > ${request.refundedBefore.toString()}::numeric as is_withdrawn
      from commerce.dispute
      where buyer = ${buyer} and order_key = ${orderKey} and campaign_id = ${campaignId}
      for update`;
    if (known === undefined) {
      if (!(await insertDispute(sql, request))) return 'exists';
      await insertMessage(sql, request.id, message);
      return { id: request.id };
    }
    if (!known.is_withdrawn) return 'exists';
    if (!(await addMessage(sql, known.id, message))) return 'full';
    await sql`
      update commerce.dispute set merchant = ${request.merchant}, hold_until = ${request.holdUntil},
        reason = ${request.reason}, requested_amount = ${request.requestedAmount.toString()},
        refunded_before = ${request.refundedBefore.toString()}, answer = 'open',
        accepted_amount = null, answered_at = null, opened_at = ${request.at}, updated_at = ${request.at}
      where id = ${known.id}`;
    return { id: known.id };
  });
}

/** @returns `false` if a concurrent request opened the dispute: nothing changed. */
async function insertDispute(sql: Sql, request: DisputeRequest): Promise<boolean> {
  const opened = await sql`
    insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until, reason,
      requested_amount, refunded_before, opened_at, updated_at)
    values (${request.id}, ${request.campaignId}, ${request.buyer}, ${request.orderKey},
      ${request.merchant}, ${request.holdUntil}, ${request.reason},
      ${request.requestedAmount.toString()}, ${request.refundedBefore.toString()},
      ${request.at}, ${request.at})
    on conflict (buyer, order_key, campaign_id) do nothing
    returning 1`;
  return opened.length > 0;
}

/** An answer of the merchant, or the withdrawal by the buyer. */
export type TurnAnswer =
  | { readonly kind: 'accepted'; readonly acceptedAmount: bigint }
  | { readonly kind: 'declined'; readonly declineReason: string }
  | { readonly kind: 'withdrawn' };

/** One turn of a dispute: a message, an answer, or both. */
export interface DisputeTurn {
  readonly id: string;
  /** When the dispute that is answered was opened: one that was opened again asks for something else. */
  readonly openedAt: Date;
  readonly answer?: TurnAnswer;
  readonly message?: DisputeMessage;
  readonly at: Date;
}

/**
 * Result of a turn. Nothing changed if the dispute had as many messages as it may have (`full`), or if it was
 * withdrawn before the answer (`withdrawn`).
 */
export type TurnOutcome = 'taken' | 'full' | 'withdrawn';

/** Records a turn, all of it or nothing. The last answer is valid, and after a withdrawal there is no other. */
export async function takeTurn(
  pool: Pool,
  { id, openedAt, answer, message, at }: DisputeTurn,
): Promise<TurnOutcome> {
  return await pool.begin(async (sql) => {
    const [before] = await sql<{ answer: DisputeAnswer; opened_at: Date }[]>`
      select answer, opened_at from commerce.dispute where id = ${id} for update`;
    if (before === undefined) throw new Error(`There is no dispute ${id}.`);
    const isOver =
      before.answer === 'withdrawn' || before.opened_at.getTime() !== openedAt.getTime();
    if (answer !== undefined && isOver) return 'withdrawn';
    if (message !== undefined && !(await addMessage(sql, id, message))) return 'full';
    await sql`
      update commerce.dispute set updated_at = ${at} ${answer ? sql`, ${answered(sql, answer, at)}` : sql``}
      where id = ${id}`;
    return 'taken';
  });
}

function answered(sql: Sql, answer: TurnAnswer, at: Date) {
  switch (answer.kind) {
    case 'accepted':
      return sql`answer = 'accepted', accepted_amount = ${answer.acceptedAmount.toString()},
        decline_reason = null, answered_at = ${at}`;
    case 'declined':
      return sql`answer = 'declined', accepted_amount = null,
        decline_reason = ${answer.declineReason}, answered_at = ${at}`;
    case 'withdrawn':
      return sql`answer = 'withdrawn', decline_reason = null`;
  }
}

/** The messages of a dispute, oldest first. */
export async function disputeMessages(sql: Sql, disputeId: string): Promise<DisputeMessage[]> {
  const rows = await sql<StoredRow[]>`
    select ${messageRow.columns(sql, 'dispute_message')} from commerce.dispute_message
    where dispute_id = ${disputeId} order by sent_at, id limit ${MAX_MESSAGES}`;
  return rows.map(messageRow.decode);
}

/** @returns `false` if the dispute has as many messages as it may have: nothing changed. */
async function addMessage(sql: Sql, disputeId: string, message: DisputeMessage): Promise<boolean> {
  const [sent] = await sql<{ count: number }[]>`
    select count(*)::int as count from commerce.dispute_message where dispute_id = ${disputeId}`;
  if ((sent?.count ?? 0) >= MAX_MESSAGES) return false;
  await insertMessage(sql, disputeId, message);
  return true;
}

async function insertMessage(sql: Sql, disputeId: string, message: DisputeMessage): Promise<void> {
  await sql`
    insert into commerce.dispute_message (id, dispute_id, author, body, sent_at)
    values (${message.id}, ${disputeId}, ${message.from}, ${message.text}, ${message.at})`;
}
