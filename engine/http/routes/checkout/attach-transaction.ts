import { attachSent, MAX_SENT } from '../../../db/commerce/intents.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerHash } from '../../input/hash.ts';
import { ownIntent, reconciled } from '../../resources/checkout/reconcile.ts';

/**
 * `checkout.attachTransaction`: records which transaction was sent. Its sender need not be the buyer, because a
 * relayer may send it for a contract wallet; its status comes from the chain. An intent that was cancelled takes it
 * too, because only the chain decides what a transaction does.
 */
export const attachTransaction: Handler<'checkout.attachTransaction'> = async (
  { id, transactionHash },
  deps,
  { account },
) => {
  const intent = await ownIntent(deps, id, account);
  const sent = {
    intentId: intent.id,
    hash: lowerHash(transactionHash),
    at: new Date(deps.clock()),
  };
  if (!(await attachSent(deps.pool, sent))) {
    throw unprocessable(`An intent has at most ${MAX_SENT} transactions.`);
  }
  return await reconciled(deps, intent);
};
