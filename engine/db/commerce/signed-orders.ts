import type { Address } from '../../core/events.ts';
import type { PaymentKind, SignedOrderState } from '../../core/signed-order.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import type { Pool, Sql } from '../connection.ts';
import {
  address,
  as,
  date,
  hex,
  id,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  text,
  type View,
} from '../row.ts';

const signedOrderRow = rowCodec({
  intentId: text,
  merchant: address,
  campaignId: id,
  buyer: address,
  orderKey: hex,
  payment: as<PaymentKind>(),
  /** Call of `buyFor`, with the signatures. */
  data: hex,
  /** Last second at which a block can record it. */
  deadline: seconds,
  state: as<SignedOrderState>(),
  /** Why it was refused: one of our own reasons, or an error of the contract. */
  reason: nullable(text),
  /** Newest block when its sale was first seen. */
  recordedBlock: nullable(integer),
  createdAt: date,
  updatedAt: date,
});

/** An order that a buyer signed, for the relayer to send. */
export type SignedOrder = View<typeof signedOrderRow>;

/** An order that was just signed. */
export type NewSignedOrder = Pick<
  SignedOrder,
  'intentId' | 'merchant' | 'campaignId' | 'buyer' | 'orderKey' | 'payment' | 'data' | 'deadline'
>;

/** Orders that may wait to be recorded: of one buyer, of one merchant, and in all. */
const MAX_WAITING = { buyer: 5, merchant: 100, total: 1_000 } as const;

/**
 * Stores an order, once per intent: of several, the first.
 * @returns `full` if too many wait, `cancelled` if the buyer has given the intent up: then nothing was stored.
 */
export async function storeSignedOrder(
  pool: Pool,
  order: NewSignedOrder,
  at: Date,
): Promise<'stored' | 'full' | 'cancelled'> {
  return await pool.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.signedOrders})`;
    const [intent] = await sql`
      select 1 from commerce.checkout_intent
      where id = ${order.intentId} and cancelled_at is null for update`;
    if (intent === undefined) return 'cancelled';
    if ((await findSignedOrder(sql, order.intentId)) !== undefined) return 'stored';
    const [waiting] = await sql<{ buyer: number; merchant: number; total: number }[]>`
      select count(*) filter (where buyer = ${order.buyer})::int as buyer,
        count(*) filter (where merchant = ${order.merchant})::int as merchant,
        count(*)::int as total
      from commerce.signed_order where closed_at is null and state in ('waiting', 'sent')`;
    const isFull =
      waiting === undefined ||
      waiting.buyer >= MAX_WAITING.buyer ||
      waiting.merchant >= MAX_WAITING.merchant ||
      waiting.total >= MAX_WAITING.total;
    if (isFull) return 'full';
    await sql`
      insert into commerce.signed_order (intent_id, merchant, campaign_id, buyer, order_key, payment,
        data, deadline, created_at, updated_at)
      values (${order.intentId}, ${order.merchant}, ${order.campaignId}, ${order.buyer},
        ${order.orderKey}, ${order.payment}, ${order.data}, ${String(order.deadline)}, ${at}, ${at})`;
    return 'stored';
  });
}

const signedByBuyer = rowCodec({
  ...signedOrderRow.fields,
  /** Hash of its newest transaction; `null` if none was sent. */
  transactionHash: nullable(hex),
});

/** A signed order as its buyer sees it. */
export type SignedByBuyer = View<typeof signedByBuyer>;

export async function findSignedOrder(
  sql: Sql,
  intentId: string,
): Promise<SignedByBuyer | undefined> {
  const [row] = await sql<StoredRow[]>`
    select signed.*, (
      select hash from commerce.relayed_transaction
      where intent_id = signed.intent_id and status <> 'replaced'
      order by sent_at desc, attempt desc limit 1
    ) as transaction_hash
    from commerce.signed_order signed where intent_id = ${intentId}`;
  return row && signedByBuyer.decode(row);
}

/** Orders that are not closed, those first that were examined longest ago. */
export async function openOrders(sql: Sql, limit: number): Promise<SignedOrder[]> {
  const rows = await sql<StoredRow[]>`
    select * from commerce.signed_order where closed_at is null
    order by tried_at nulls first, created_at limit ${limit}`;
  return rows.map(signedOrderRow.decode);
}

/** Some of the open orders, as they are now, those first that were examined longest ago. */
export async function readOrders(sql: Sql, intentIds: readonly string[]): Promise<SignedOrder[]> {
  const rows = await sql<StoredRow[]>`
    select * from commerce.signed_order
    where closed_at is null and intent_id = any(${[...intentIds]}::text[])
    order by tried_at nulls first, created_at`;
  return rows.map(signedOrderRow.decode);
}

/** Notes that orders were examined: others are next. */
export async function markTried(sql: Sql, intentIds: readonly string[], at: Date): Promise<void> {
  await sql`
    update commerce.signed_order set tried_at = ${at}
    where intent_id = any(${[...intentIds]}::text[])`;
}

/** The next state of an order. */
export interface OrderMove {
  readonly state: SignedOrderState;
  /** Why, if it is refused. */
  readonly reason?: string;
  /** Newest block when its sale was first seen, if it is recorded. */
  readonly recordedBlock?: number;
  /** True if nothing about it changes any more. */
  readonly closes?: boolean;
}

/** Moves an order to a state, unless it has left the one that was read. @returns whether it moved. */
export async function moveOrder(
  sql: Sql,
  { intentId, state: from }: Pick<SignedOrder, 'intentId' | 'state'>,
  { state, reason, recordedBlock, closes = false }: OrderMove,
  at: Date,
): Promise<boolean> {
  const moved = await sql`
    update commerce.signed_order set state = ${state}, reason = ${reason?.slice(0, 500) ?? null},
      recorded_block = ${recordedBlock ?? null}, closed_at = ${closes ? at : null}, updated_at = ${at}
    where intent_id = ${intentId} and state = ${from} and closed_at is null
    returning 1`;
  if (closes) {
    await sql`
      update commerce.relayed_transaction set signed = null
      where intent_id = ${intentId} and status <> 'pending'`;
  }
  return moved.length > 0;
}

/** True if the merchant lets buyers of the campaign pay with one signature. */
export async function isOneSignature(
  sql: Sql,
  { campaignId, merchant }: { readonly campaignId: string; readonly merchant: Address },
): Promise<boolean> {
  const [row] = await sql`
    select 1 from commerce.campaign_settings
    where campaign_id = ${campaignId} and merchant = ${merchant} and one_signature`;
  return row !== undefined;
}
