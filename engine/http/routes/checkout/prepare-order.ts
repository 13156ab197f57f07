import type { Intent } from '../../../db/commerce/intents.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import {
  decide,
  ownIntent,
  type PaymentFacts,
  readPayment,
} from '../../resources/checkout/reconcile.ts';
import { offerOf, offerReason } from '../../resources/relayer/offer.ts';
import { signaturesFor } from '../../resources/relayer/order.ts';

/** `checkout.prepareOrder`: what the buyer signs so that a relayer sends the purchase, if that is offered. */
export const prepareOrder: Handler<'checkout.prepareOrder'> = async ({ id }, deps, { account }) => {
  const intent = await ownIntent(deps, id, account);
  const facts = await readPayment(deps, intent);
  return { data: await prepared(deps, intent, facts), chain: facts.chain };
};

async function prepared(deps: AppDeps, intent: Intent, facts: PaymentFacts) {
  const common = { intentId: intent.id, expiresAt: intent.expiresAt.toISOString() };
  const none = { ...common, offered: false, payment: null, signatures: [] };
  if (facts.signed !== null || !decide(deps, intent, facts).mayPay) {
    const message = 'The intent has an order already, or cannot be paid now.';
    return { ...none, reason: { code: 'NOT_PAYABLE' as const, message } };
  }
  const offer = await offerOf(deps, intent);
  if (offer.refusal !== undefined) return { ...none, reason: offerReason(offer.refusal) };
  const { payment } = offer;
  const signatures = signaturesFor(deps, intent, payment);
  return { ...common, offered: true, reason: null, payment: payment.kind, signatures };
}
