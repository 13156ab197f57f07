import type { Address } from '../../../core/events.ts';
import { openDispute } from '../../../db/commerce/disputes.ts';
import { getSale, type SaleWithPolicy } from '../../../db/read/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnprocessableError,
  ValidationError,
} from '../../errors.ts';
import { type Handler, requireChain } from '../../handler.ts';
import { ownDispute } from '../../own-dispute.ts';
import { disputeDetail } from '../../render/dispute.ts';

/**
 * `disputes.open`: the buyer of a sale asks for a refund, once per sale, while the chain can still
 * make one: while the sale is pending, also after its hold (design §3).
 */
export const open: Handler<'disputes.open'> = async (input, deps, { session }) => {
  requireChain(deps, input.chainId);
  const sale = await readLedger(deps.pool, (snapshot) => getSale(snapshot, input.saleId));
  if (sale === undefined) throw new NotFoundError(`There is no sale ${input.saleId}.`);
  const requestedAmount = requestedOf(sale, session.address, input.amount);
  const id = newId();
  const at = new Date(deps.clock());
  const request = {
    id,
    campaignId: sale.campaignId,
    buyer: sale.buyer,
    orderKey: sale.orderKey,
    merchant: sale.seller.address,
    holdUntil: sale.holdUntil,
    reason: input.reason,
    requestedAmount,
    refundedBefore: sale.refundedTotal,
    at,
  };
  const message = { id: newId(), from: 'buyer', text: input.message, at } as const;
  if (!(await openDispute(deps.pool, request, message))) {
    throw new ConflictError(`You have asked for a refund of sale ${sale.saleId} already.`);
  }
  const { dispute, messages, chain } = await ownDispute(deps, id, session.address);
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};

/** What the buyer may ask for of a sale, base units. */
function requestedOf(sale: SaleWithPolicy, caller: Address, amount: string | undefined): bigint {
  const { saleId, buyer, state } = sale;
  if (buyer !== caller) {
    throw new ForbiddenError(`Only its buyer may ask for a refund of sale ${saleId}.`);
  }
  if (state !== 'pending') {
    throw new UnprocessableError(
      `Sale ${saleId} is ${state}: the chain gives nothing of it back any more.`,
    );
  }
  const left = sale.amount - sale.refundedTotal;
  const requested = amount === undefined ? left : BigInt(amount);
  if (requested === 0n) throw new ValidationError([{ path: 'amount', message: 'must be above 0' }]);
  if (requested > left) {
    const message = `must be at most ${left}, what the sale has not given back yet`;
    throw new UnprocessableError('The amount is above what can be refunded.', [
      { path: 'amount', message },
    ]);
  }
  return requested;
}
