import type { ChainMeta } from '../../../contract/envelope.ts';
import type { CheckoutIntent } from '../../../contract/shapes/checkout.ts';
import { intentState } from '../../../core/checkout.ts';
import type { Address } from '../../../core/events.ts';
import {
  type Intent,
  readIntent,
  saveReconciled,
  sentTransactions,
} from '../../../db/commerce/intents.ts';
import { orderSale } from '../../../db/read/sales/by-order.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { notFound } from '../../errors.ts';
import { chainMeta } from '../../handler-types.ts';
import { checkoutIntent } from '../../render/intent.ts';
import { observe } from './observe.ts';
import { paymentOf } from './payment.ts';

/**
 * Intent reconciled with the chain and the ledger, whatever the client reported: the response of every
 * checkout method. The chain is read before the ledger, so that a sale which is settled in between is not
 * missed by both.
 */
export async function reconciled(
  deps: AppDeps,
  intent: Intent,
): Promise<{ data: CheckoutIntent; chain: ChainMeta }> {
  const attached = await sentTransactions(deps.pool, intent.id);
  const observed = await observe(deps, intent, attached);
  const { sale, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await orderSale(snapshot, intent);
    const newest = found?.newestBlock ?? snapshot.head.number;
    return { sale: found ?? null, chain: chainMeta(deps.deployment, snapshot.head, newest) };
  });
  const sent = observed?.sent ?? attached;
  const at = new Date(deps.clock());
  const decision = intentState({
    order: intent,
    sale,
    orderKeyUsed: observed?.orderKeyUsed ?? null,
    sent: sent.map(({ status }) => status),
    replacementPending: observed?.replacementPending ?? false,
    late: at >= intent.expiresAt,
  });
  const { state } = decision;
  const updatedAt = await saveReconciled(deps.pool, { intentId: intent.id, state, sent, at });
  const transactions = decision.mayPay ? await paymentOf(deps, intent) : [];
  const view = { intent: { ...intent, updatedAt }, decision, sale, sent, transactions };
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
