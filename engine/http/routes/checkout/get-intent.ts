import type { Handler } from '../../handler-types.ts';
import { ownIntent, reconciled } from '../../resources/checkout/reconcile.ts';

/** `checkout.getIntent`: an intent of the caller, reconciled with the chain. */
export const getIntent: Handler<'checkout.getIntent'> = async ({ id }, deps, { account }) =>
  await reconciled(deps, await ownIntent(deps, id, account));
