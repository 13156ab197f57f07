import { givenKinds } from '../../../core/buyer-details.ts';
import {
  MAX_DETAILS_PER_DAY,
  merchantOfTerms,
  storeDetails,
} from '../../../db/commerce/buyer-details.ts';
import { sealDetails } from '../../../secrets/buyer-details.ts';
import { conflict, HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { acceptedDetails } from '../../resources/checkout/details.ts';
import { decide, decided, ownIntent, readPayment } from '../../resources/checkout/reconcile.ts';

/**
 * `checkout.saveDetails`: stores what the merchant asked the buyer for, encrypted. The buyer can correct it after the
 * payment, too. A purchase that came to nothing takes none.
 */
export const saveDetails: Handler<'checkout.saveDetails'> = async (input, deps, { account }) => {
  const { id, ...body } = input;
  const intent = await ownIntent(deps, id, account);
  const details = acceptedDetails(body, intent.asks);
  const facts = await readPayment(deps, intent);
  const { state } = decide(deps, intent, facts);
  if (state === 'cancelled' || state === 'expired' || state === 'failed') {
    throw conflict(`The intent is ${state}: it takes no details.`);
  }
  const merchant = await merchantOfTerms(deps.pool, intent);
  if (merchant === undefined) {
    throw conflict('A reorg removed the campaign of the intent: begin a new purchase.');
  }
  const row = { intentId: intent.id, buyer: intent.buyer, merchant, kinds: givenKinds(details) };
  const sealed = sealDetails(details, deps.keys, row);
  const stored = await storeDetails(deps.pool, { ...row, ...sealed }, new Date(deps.clock()));
  if (stored === 'cancelled') throw conflict('The intent is cancelled: it takes no details.');
  if (stored === 'full') {
    throw new HttpError(
      'RATE_LIMITED',
      `You gave details with ${MAX_DETAILS_PER_DAY} orders in 24 hours, which is the maximum.`,
    );
  }
  return await decided(deps, intent, await readPayment(deps, intent));
};
