import { ownIntent } from '../../checkout/own-intent.ts';
import { reconciled } from '../../checkout/reconcile.ts';
import type { Handler } from '../../handler.ts';

/** `checkout.getIntent`: an intent of the caller, reconciled with the chain. */
export const getIntent: Handler<'checkout.getIntent'> = async ({ id }, deps, { session }) =>
  await reconciled(deps, await ownIntent(deps, id, session.address));
