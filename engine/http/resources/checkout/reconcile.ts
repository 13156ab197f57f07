import type { ChainMeta } from '../../../contract/envelope.ts';
import type { CheckoutIntent } from '../../../contract/shapes/checkout.ts';
import { missingKinds } from '../../../core/buyer-details.ts';
import { type IntentDecision, intentState } from '../../../core/checkout.ts';
import type { Address } from '../../../core/events.ts';
import { findDetails } from '../../../db/commerce/buyer-details.ts';
import {
  type Intent,
  readIntent,
  type SentTransaction,
  saveReconciled,
  sentTransactions,
} from '../../../db/commerce/intents.ts';
import {
  findSignedOrder,
  type SignedByBuyer,
  type SignedOrder,
} from '../../../db/commerce/signed-orders.ts';
import { orderSale } from '../../../db/read/sales/by-order.ts';
import type { SaleView } from '../../../db/read/sales/rows.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { StoredDetails } from '../../../db/rows/buyer-details.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta } from '../../handler-types.ts';
import { checkoutIntent } from '../../render/intent.ts';
import { type Observation, observe } from './observe.ts';
import { paymentOf } from './payment.ts';

/** Response of every method that answers with one intent. */
type IntentResult = { data: CheckoutIntent; chain: ChainMeta };

/** Payments for an intent on the chain and in the ledger. */
export interface PaymentFacts {
  /** Sale of its order key at the settled block, even if it is not the order; `null` if there is none. */
  readonly sale: SaleView | null;
  /** `null` if the chain did not answer. */
  readonly observed: Observation | null;
  /** Attached transactions, newest first, as the chain has them, or had them when it last answered. */
  readonly sent: readonly SentTransaction[];
  /** Order that the buyer signed for the relayer, with its newest transaction; `null` without one. */
  readonly signed: SignedByBuyer | null;
  /** Details that the buyer gave; `null` without any. */
  readonly details: StoredDetails | null;
  readonly chain: ChainMeta;
}

/** Seconds after its deadline in which a block may still come that recorded an order. */
const LATE_BLOCK_SECONDS = 600;

/** True if the relayer may still send an order, or has sent it. */
function isOnItsWay({ state, deadline }: SignedOrder, now: number): boolean {
  return (state === 'waiting' || state === 'sent') && now < (deadline + LATE_BLOCK_SECONDS) * 1_000;
}

/**
 * Intent reconciled with the chain and the ledger, whatever the client reported: the response of every
 * checkout method.
 */
export async function reconciled(deps: AppDeps, intent: Intent): Promise<IntentResult> {
  return await decided(deps, intent, await readPayment(deps, intent));
}

/**
 * Reads what became of an intent. The chain is read before the ledger, so that a sale which is settled in
 * between is not missed by both.
 */
export async function readPayment(deps: AppDeps, intent: Intent): Promise<PaymentFacts> {
  const [attached, signed, details] = await Promise.all([
    sentTransactions(deps.pool, intent.id),
    findSignedOrder(deps.pool, intent.id),
    findDetails(deps.pool, intent.id),
  ]);
  const observed = await observe(deps, intent, attached);
  const { sale, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await orderSale(snapshot, intent);
    const newest = found?.newestBlock ?? snapshot.head.number;
    return { sale: found ?? null, chain: chainMeta(deps.deployment, snapshot.head, newest) };
  });
  return {
    sale,
    observed,
    sent: observed?.sent ?? attached,
    signed: signed ?? null,
    details: details ?? null,
    chain,
  };
}

/** Details that the buyer must still give before the intent can be paid. */
export function missingDetails(intent: Intent, { details }: Pick<PaymentFacts, 'details'>) {
  return missingKinds(intent.asks, details?.kinds ?? []);
}

/** State of an intent that follows from what was read. */
export function decide(
  deps: Pick<AppDeps, 'clock'>,
  intent: Intent,
  facts: PaymentFacts,
  cancelledAt = intent.cancelledAt,
): IntentDecision {
  const { sale, observed, sent, signed } = facts;
  const now = deps.clock();
  // An order on its way is like a transaction that waits for a block.
  const isPending = signed !== null && isOnItsWay(signed, now);
  const decision = intentState({
    order: intent,
    sale,
    orderKeyUsed: observed?.orderKeyUsed ?? null,
    sent: [...sent.map(({ status }) => status), ...(isPending ? (['pending'] as const) : [])],
    replacementPending: observed?.replacementPending ?? false,
    late: now >= intent.expiresAt.getTime(),
    cancelled: cancelledAt !== null,
  });
  return { ...decision, mayPay: decision.mayPay && missingDetails(intent, facts).length === 0 };
}

/** Stores the state of an intent that follows from what was read, and returns the intent. */
export async function decided(
  deps: AppDeps,
  intent: Intent,
  facts: PaymentFacts,
): Promise<IntentResult> {
  const { sale, sent, signed, details, chain } = facts;
  const at = new Date(deps.clock());
  const saved = await saveReconciled(deps.pool, {
    intentId: intent.id,
    stateOf: (cancelledAt) => decide(deps, intent, facts, cancelledAt).state,
    sent,
    at,
  });
  const decision = decide(deps, intent, facts, saved.cancelledAt);
  const transactions = decision.mayPay ? await paymentOf(deps, intent) : [];
  const view = {
    ...{ intent: { ...intent, ...saved }, decision, sale, sent, signed, transactions },
    ...{ details, missingDetails: missingDetails(intent, facts) },
  };
  return { data: checkoutIntent(deps.deployment, view), chain };
}

/**
 * Checkout intent of that id, which must be the buyer's own.
 * @throws {HttpError} NOT_FOUND if the buyer has none of that id.
 */
export async function ownIntent(
  { pool }: Pick<AppDeps, 'pool'>,
  id: string,
  buyer: Address,
): Promise<Intent> {
  const intent = await readIntent(pool, { id, buyer });
  if (intent === undefined) throw notFound(`You have no checkout intent ${id}.`);
  return intent;
}
