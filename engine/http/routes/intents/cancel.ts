import { cancelIntent } from '../../../db/commerce/intents.ts';
import { findSignedOrder } from '../../../db/commerce/signed-orders.ts';
import { conflict, type HttpError, notReady } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import {
  decided,
  ownIntent,
  type PaymentFacts,
  readPayment,
} from '../../resources/checkout/reconcile.ts';

/**
 * `intents.cancel`: the buyer gives an intent up. It is stored once, and asks for no payment from then on. A
 * transaction that is sent all the same counts: the chain decides, and the state shows it.
 */
export const cancel: Handler<'intents.cancel'> = async ({ id }, deps, { account }) => {
  const intent = await ownIntent(deps, id, account);
  const payment = await readPayment(deps, intent);
  requireUnpaid(payment);
  if (intent.cancelledAt === null) {
    if (payment.observed === null) {
      throw notReady('chain', 'The chain did not answer whether the intent is paid: try again.');
    }
    const known = payment.sent.map(({ hash }) => hash);
    const attached = await cancelIntent(deps.pool, { id, known, at: new Date(deps.clock()) });
    if (attached === 'order') throw sentOrder();
    if (attached !== undefined) throw paidBy(attached);
  }
  const signed = (await findSignedOrder(deps.pool, intent.id)) ?? null;
  return await decided(deps, intent, { ...payment, signed, details: null });
};

/** @throws {HttpError} CONFLICT if the intent is paid, or may be paid by a transaction that waits. */
function requireUnpaid({ sale, observed, sent, signed }: PaymentFacts): void {
  if (sale !== null) {
    throw conflict(`The order key of the intent has bought sale ${sale.saleId}: ask for a refund.`);
  }
  const waiting = sent.find(({ status }) => status === 'pending');
  if (waiting !== undefined) throw paidBy(waiting.hash);
  const replaced = sent.find(({ status }) => status === 'replaced');
  if (observed?.replacementPending && replaced !== undefined) {
    throw conflict(
      `A transaction that replaces ${replaced.hash} waits for a block, and may pay for the intent.`,
    );
  }
  if (signed?.state === 'sent') throw sentOrder();
  if (observed?.orderKeyUsed) {
    throw conflict('The chain has a sale of this order key that is not settled yet.');
  }
}

function sentOrder(): HttpError {
  return conflict('The signed order was sent, and may pay for the intent.');
}

function paidBy(hash: string): HttpError {
  return conflict(`The transaction ${hash} may pay for the intent: its outcome is not known yet.`);
}
