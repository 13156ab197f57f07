import { attachSent, SENT_MOST } from '../../../db/commerce/intents.ts';
import { lowerHash } from '../../checkout/choice.ts';
import { ownIntent } from '../../checkout/own-intent.ts';
import { reconciled } from '../../checkout/reconcile.ts';
import { UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';

/**
 * `checkout.attachTransaction`: notes which transaction was sent. It need not be the buyer's own, for
 * a contract wallet has others send; what became of it, the chain says.
 */
export const attachTransaction: Handler<'checkout.attachTransaction'> = async (
  { id, transactionHash },
  deps,
  { session },
) => {
  const intent = await ownIntent(deps, id, session.address);
  const sent = {
    intentId: intent.id,
    hash: lowerHash(transactionHash),
    at: new Date(deps.clock()),
  };
  if (!(await attachSent(deps.pool, sent))) {
    throw new UnprocessableError(`An intent has at most ${SENT_MOST} transactions.`);
  }
  return await reconciled(deps, intent);
};
