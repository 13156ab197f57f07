import type { ChainMeta } from '../../contract/envelope.ts';
import type { CheckoutIntent } from '../../contract/shapes/checkout.ts';
import { intentState } from '../../core/checkout.ts';
import { type Intent, saveReconciled, sentTransactions } from '../../db/commerce/intents.ts';
import { orderSale } from '../../db/read/order-sale.ts';
import { readLedger } from '../../db/read/snapshot.ts';
import type { AppDeps } from '../deps.ts';
import { chainMeta } from '../handler.ts';
import { checkoutIntent } from '../render/intent.ts';
import { observe } from './observe.ts';
import { paymentOf } from './payment.ts';

/**
 * An intent as the chain and the ledger have it now, whatever the client said or forgot: what every
 * checkout method answers. The chain is asked before the ledger is read, so that a sale which settles
 * in between is never missed by both.
 */
export async function reconciled(
  deps: AppDeps,
  intent: Intent,
): Promise<{ data: CheckoutIntent; chain: ChainMeta }> {
  const attached = await sentTransactions(deps.pool, intent.id);
  const seen = await observe(deps, intent, attached);
  const { sale, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await orderSale(snapshot, intent);
    const newest = found?.newestBlock ?? snapshot.head.number;
    return { sale: found ?? null, chain: chainMeta(deps.deployment, snapshot.head, newest) };
  });
  const sent = seen?.sent ?? attached;
  const at = new Date(deps.clock());
  const decision = intentState({
    order: intent,
    sale,
    orderKeyUsed: seen?.orderKeyUsed ?? null,
    sent: sent.map(({ status }) => status),
    replacementPending: seen?.replacementPending ?? false,
    late: at >= intent.expiresAt,
  });
  const { state } = decision;
  const updatedAt = await saveReconciled(deps.pool, { intentId: intent.id, state, sent, at });
  const transactions = decision.mayPay ? await paymentOf(deps, intent) : [];
  const view = { intent: { ...intent, updatedAt }, decision, sale, sent, transactions };
  return { data: checkoutIntent(deps.deployment, view), chain };
}
