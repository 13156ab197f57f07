import type { AskedDetails } from '../../core/buyer-details.ts';
import type { IntentState, SentStatus } from '../../core/checkout.ts';
import type { Address, Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import {
  address,
  amount,
  as,
  bytes,
  date,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../row.ts';
import { deleteDetails } from './buyer-details.ts';

const intentRow = rowCodec({
  id: text,
  /** Lower case. */
  buyer: address,
  orderKey: hex,
  /** sha-256 of what was asked for. */
  requestHash: bytes,
  campaignId: id,
  /** Terms hash of the campaign that the buyer saw: a reorg can give its id to another one. */
  termsHash: hex,
  /** `null` for a sale without a link. */
  nodeId: nullable(id),
  /** Owner of the node that the buyer saw; `null` for a sale without a link. */
  nodeOwner: nullable(address),
  skuHash: hex,
  token: as<{ address: Address; symbol: string; decimals: number; name: string }>(),
  /** Base units: `buy` takes no more. */
  amount,
  minPolicyVersion: integer,
  /** Details that the product asked for when it began. */
  asks: as<AskedDetails>(),
  /** As it was last reconciled. */
  state: as<IntentState>(),
  createdAt: date,
  updatedAt: date,
  expiresAt: date,
  /** When the buyer gave it up; `null` otherwise. It stays, whatever the state becomes. */
  cancelledAt: nullable(date),
});

/** A purchase that a buyer began. */
export type Intent = View<typeof intentRow>;

/** A purchase that is about to begin. */
export type NewIntent = Omit<Intent, 'state' | 'cancelledAt'>;

const sentRow = rowCodec({
  hash: hex,
  /** Known once the chain was seen to have it. */
  origin: optional({ sender: address, nonce: integer }),
  status: as<SentStatus>(),
  attachedAt: date,
});

/** A transaction that the buyer said was sent, and what the chain said of it last. */
export type SentTransaction = View<typeof sentRow>;

/**
 * Stores an intent, once per buyer and order key: of concurrent ones, the first.
 * @returns the stored one, which may be an earlier one.
 */
export async function keepIntent(pool: Pool, intent: NewIntent): Promise<Intent> {
  await pool`
    insert into commerce.checkout_intent (id, buyer, order_key, request_hash, campaign_id,
      terms_hash, node_id, node_owner, sku_hash, token, amount, min_policy_version, asks, created_at, updated_at, expires_at)
    values (${intent.id}, ${intent.buyer}, ${intent.orderKey}, ${intent.requestHash},
      ${intent.campaignId}, ${intent.termsHash}, ${intent.nodeId}, ${intent.nodeOwner},
      ${intent.skuHash}, ${pool.json(intent.token)},
      ${intent.amount.toString()}, ${intent.minPolicyVersion}, ${pool.json({ ...intent.asks })},
      ${intent.createdAt},      ${intent.updatedAt}, ${intent.expiresAt})
    on conflict (buyer, order_key) do nothing`;
  const stored = await findIntent(pool, intent);
  if (stored === undefined)
    throw new Error(`The intent of order ${intent.orderKey} was not stored.`);
  return stored;
}

export async function findIntent(
  sql: Sql,
  { buyer, orderKey }: Pick<Intent, 'buyer' | 'orderKey'>,
): Promise<Intent | undefined> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.checkout_intent where buyer = ${buyer} and order_key = ${orderKey}`;
  return row && intentRow.decode(row);
}

/** An intent of that buyer; `undefined` if it does not exist or belongs to another buyer. */
export async function readIntent(
  sql: Sql,
  { id, buyer }: Pick<Intent, 'id' | 'buyer'>,
): Promise<Intent | undefined> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.checkout_intent where id = ${id} and buyer = ${buyer}`;
  return row && intentRow.decode(row);
}

/** Position in the list of a buyer's intents: the last one of a page. */
export interface IntentCursor {
  /** When it was created, microseconds since 1970. */
  readonly createdAt: string;
  readonly id: string;
}

/** A page of intents. */
export interface IntentPage {
  readonly items: readonly Intent[];
  /** `null` on the last page. */
  readonly next: IntentCursor | null;
}

/** Filters of a buyer's intents; `undefined` does not filter. */
export interface IntentFilter {
  /** Stored state. */
  readonly state: IntentState | undefined;
  readonly campaignId: string | undefined;
}

/** Intents of a buyer as they are stored, newest first: one statement. */
export async function listIntents(
  sql: Sql,
  buyer: Address,
  { state, campaignId }: IntentFilter,
  { after, limit }: { readonly after: IntentCursor | undefined; readonly limit: number },
): Promise<IntentPage> {
  const rows = await sql<(StoredRow & { created_micros: string })[]>`
    select *, (extract(epoch from created_at) * 1000000)::bigint as created_micros
    from commerce.checkout_intent
    where buyer = ${buyer}
      ${state === undefined ? sql`` : sql`and state = ${state}`}
      ${campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`}
      ${after === undefined ? sql`` : sql`and ${createdBefore(sql, after)}`}
    order by created_at desc, id desc limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(intentRow.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const createdAt = rows[items.length - 1]?.created_micros ?? '';
  return { items, next: last ? { createdAt, id: last.id } : null };
}

function createdBefore(sql: Sql, { createdAt, id }: IntentCursor) {
  return sql`(created_at, id)
    < (timestamptz 'epoch' + ${createdAt}::bigint * interval '1 microsecond', ${id})`;
}

/**
 * Cancels an intent that is not cancelled yet.
 * @param known hashes of the transactions that the chain was asked about.
 * @returns the hash of a transaction that was attached meanwhile, or `order` if the relayer has sent its order: then
 * nothing changed.
 */
export async function cancelIntent(
  pool: Pool,
  { id, known, at }: { readonly id: string; readonly known: readonly Hex[]; readonly at: Date },
): Promise<Hex | 'order' | undefined> {
  return await pool.begin(async (sql) => {
    await lockIntent(sql, id);
    const [attached] = await sql<{ hash: Hex }[]>`
      select hash from commerce.checkout_transaction
      where intent_id = ${id} and hash <> all(${[...known]}::text[]) limit 1`;
    if (attached !== undefined) return attached.hash;
    const sent = await sql`
      select 1 from commerce.signed_order
      where intent_id = ${id} and state = 'sent' for update`;
    if (sent.length > 0) return 'order';
    await sql`
      update commerce.signed_order
      set state = 'refused', reason = 'CANCELLED', closed_at = ${at}, updated_at = ${at}
      where intent_id = ${id} and state = 'waiting'`;
    await sql`
      update commerce.checkout_intent set state = 'cancelled', cancelled_at = ${at}, updated_at = ${at}
      where id = ${id} and cancelled_at is null`;
    await deleteDetails(sql, id);
    return undefined;
  });
}

/** The transactions of an intent, newest first. */
export async function sentTransactions(sql: Sql, intentId: string): Promise<SentTransaction[]> {
  const rows = await sql<StoredRow[]>`
    select ${sentRow.columns(sql, 'sent')} from commerce.checkout_transaction sent
    where intent_id = ${intentId} order by attached_at desc, hash`;
  return rows.map(sentRow.decode);
}

/** Transactions that an intent may have. */
export const MAX_SENT = 20;

/**
 * Attaches a transaction to an intent; one that is attached already stays as it is.
 * @returns `false` where the intent has as many as it may have: nothing changed.
 */
export async function attachSent(
  pool: Pool,
  { intentId, hash, at }: { readonly intentId: string; readonly hash: Hex; readonly at: Date },
): Promise<boolean> {
  return await pool.begin(async (sql) => {
    await lockIntent(sql, intentId);
    const [found] = await sql<{ others: number; known: boolean }[]>`
      select count(*)::int as others, coalesce(bool_or(hash = ${hash}), false) as known
      from commerce.checkout_transaction where intent_id = ${intentId}`;
    if (found?.known) return true;
    if ((found?.others ?? 0) >= MAX_SENT) return false;
    await sql`
      insert into commerce.checkout_transaction (intent_id, hash, attached_at)
      values (${intentId}, ${hash}, ${at})`;
    await sql`update commerce.checkout_intent set updated_at = ${at} where id = ${intentId}`;
    return true;
  });
}

/** Changes of an intent after reading chain and ledger. */
export interface Reconciled {
  readonly intentId: string;
  /** State that was read, given when the buyer gave it up: that may have happened meanwhile. */
  readonly stateOf: (cancelledAt: Date | null) => IntentState;
  readonly sent: readonly SentTransaction[];
  readonly at: Date;
}

/** Keeps what was seen last. @returns when the intent last changed, and when it was cancelled. */
export async function saveReconciled(
  pool: Pool,
  { intentId, stateOf, sent, at }: Reconciled,
): Promise<Pick<Intent, 'updatedAt' | 'cancelledAt'>> {
  const seen = sent.map(({ hash, origin, status }) => ({ hash, ...origin, status }));
  return await pool.begin(async (sql) => {
    const before = await lockIntent(sql, intentId);
    const moved = await sql`
      update commerce.checkout_transaction sent
      set status = seen.status, sender = seen.sender, nonce = seen.nonce
      from jsonb_to_recordset(${sql.json(seen)})
        as seen (hash text, sender text, nonce bigint, status text)
      where sent.intent_id = ${intentId} and sent.hash = seen.hash
        and (sent.status, sent.sender, sent.nonce)
          is distinct from (seen.status, seen.sender, seen.nonce)
      returning 1`;
    const { updatedAt, cancelledAt } = before;
    const state = stateOf(cancelledAt);
    // Clients poll: an intent that did not move costs no write.
    if (before.state === state && moved.length === 0) return { updatedAt, cancelledAt };
    await sql`
      update commerce.checkout_intent set state = ${state}, updated_at = ${at}
      where id = ${intentId}`;
    return { updatedAt: at, cancelledAt };
  });
}

/** One writer at a time: what one saw does not mix with what another did. */
async function lockIntent(sql: Sql, intentId: string): Promise<Intent> {
  const [row] = await sql<StoredRow[]>`
    select * from commerce.checkout_intent where id = ${intentId} for update`;
  if (row === undefined) throw new Error(`There is no checkout intent ${intentId}.`);
  return intentRow.decode(row);
}
