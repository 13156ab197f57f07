import { findDetails } from '../../../db/commerce/buyer-details.ts';
import type { Handler } from '../../handler-types.ts';
import { renderDetails } from '../../resources/checkout/details.ts';
import { ownIntent } from '../../resources/checkout/reconcile.ts';

/** `checkout.getDetails`: the details that the buyer gave with an intent, only for that buyer. */
export const getDetails: Handler<'checkout.getDetails'> = async ({ id }, deps, { account }) => {
  const intent = await ownIntent(deps, id, account);
  return { data: renderDetails(await findDetails(deps.pool, intent.id), deps.keys) };
};
