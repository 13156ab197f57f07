import { orderRefusals } from '../../../core/signed-order.ts';
import type { Intent } from '../../../db/commerce/intents.ts';
import { storeSignedOrder } from '../../../db/commerce/signed-orders.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, HttpError, invalidField, notReady, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { simulatedReason } from '../../render/contract-errors.ts';
import {
  decide,
  decided,
  missingDetails,
  ownIntent,
  type PaymentFacts,
  readPayment,
} from '../../resources/checkout/reconcile.ts';
import { offerOf, offerReason } from '../../resources/relayer/offer.ts';
import { deadlineOf, type GivenSignatures, orderCall } from '../../resources/relayer/order.ts';
import { simulate } from '../../resources/transactions/simulate.ts';

/**
 * `checkout.submitOrder`: hands a signed order to the relayer. The order is that of the intent, so only signatures are
 * sent, and a repeated call answers with the first one's order.
 */
export const submitOrder: Handler<'checkout.submitOrder'> = async (input, deps, { account }) => {
  const { id, payment, orderSignature: order, tokenSignature: token } = input;
  const intent = await ownIntent(deps, id, account);
  const facts = await readPayment(deps, intent);
  if (facts.signed !== null) return await decided(deps, intent, facts);
  await accept(deps, intent, facts, { payment, order, token });
  return await decided(deps, intent, await readPayment(deps, intent));
};

async function accept(
  deps: AppDeps,
  intent: Intent,
  facts: PaymentFacts,
  given: GivenSignatures,
): Promise<void> {
  requireFitting(given);
  if (facts.observed === null) {
    throw notReady('chain', 'The chain did not answer whether the intent is paid: try again.');
  }
  const missing = missingDetails(intent, facts);
  if (missing.length > 0) {
    throw unprocessable(`The merchant needs ${missing.join(' and ')} first: checkout.saveDetails.`);
  }
  const { mayPay, state } = decide(deps, intent, facts);
  if (!mayPay) throw conflict(`The intent is ${state}: it cannot be paid by an order now.`);
  const offer = await offerOf(deps, intent, given.payment);
  if (offer.refusal !== undefined) throw unprocessable(offerReason(offer.refusal).message);
  const { merchant, relayer } = offer;
  const call = orderCall(deps, intent, given);
  const simulation = await simulate(deps, relayer.address, call);
  if (simulation.status === 'unavailable') {
    throw notReady('chain', 'The chain did not answer whether the order can be sent: try again.');
  }
  if (simulation.status === 'revert') {
    throw unprocessable(simulatedReason(simulation.error ?? 'reverted').message);
  }
  if (BigInt(simulation.gas ?? 0) > BigInt(relayer.maxGas)) {
    throw unprocessable(orderRefusals.TOO_MUCH_GAS);
  }
  const { id: intentId, campaignId, buyer, orderKey } = intent;
  const stored = await storeSignedOrder(
    deps.pool,
    {
      ...{ intentId, campaignId, buyer, orderKey, merchant },
      ...{ payment: given.payment, data: call.data, deadline: deadlineOf(intent) },
    },
    new Date(deps.clock()),
  );
  if (stored === 'cancelled') throw conflict('The intent is cancelled: nothing was sent.');
  if (stored === 'full') {
    throw new HttpError('RATE_LIMITED', 'Too many orders wait for the relayer: try again.');
  }
}

/** @throws {HttpError} VALIDATION_FAILED if a signature does not belong to the payment. */
function requireFitting({ payment, order, token }: GivenSignatures): void {
  if (payment === 'authorization' && order !== '0x') {
    throw invalidField('orderSignature', 'must be 0x: the authorization is of the order, too');
  }
  if (payment === 'allowance' && token !== '0x') {
    throw invalidField('tokenSignature', 'must be 0x: nothing of the token is signed');
  }
}
