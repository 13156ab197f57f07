import { isWithin, requestableAmounts } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import { openDispute } from '../../../db/commerce/disputes.ts';
import type { SaleWithPolicy } from '../../../db/read/sales/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import { conflict, HttpError, invalidField, unprocessable } from '../../errors.ts';
import { type Handler, requireChain } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';
import { tooManyMessages } from '../../resources/disputes/record-turn.ts';
import { requireSale } from '../../resources/receipts/read-receipt.ts';

/**
 * `disputes.open`: the buyer of a sale asks for a refund, once per sale and while the sale is pending,
 * which it can be after its hold too (docs/reference/protocol.md#sales-and-their-split). A request that the buyer
 * withdrew is opened again.
 */
export const open: Handler<'disputes.open'> = async (input, deps, { account }) => {
  requireChain(deps, input.chainId);
  const sale = await readLedger(deps.pool, (snapshot) => requireSale(snapshot, input.saleId));
  const requestedAmount = requestedOf(sale, account, input.amount);
  const at = new Date(deps.clock());
  const request = {
    id: newId(),
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
  const opened = await openDispute(deps.pool, request, message);
  if (opened === 'exists') {
    throw conflict(`You have already asked for a refund of sale ${sale.saleId}.`);
  }
  if (opened === 'full') throw tooManyMessages();
  const { dispute, messages, chain } = await ownDispute(deps, opened.id, account);
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};

/** Amount that the buyer asks for, base units. */
function requestedOf(sale: SaleWithPolicy, caller: Address, amount: string | undefined): bigint {
  const { saleId, buyer, state } = sale;
  if (buyer !== caller) {
    throw new HttpError('FORBIDDEN', `Only the buyer of sale ${saleId} may ask for its refund.`);
  }
  if (state !== 'pending') {
    throw unprocessable(`Sale ${saleId} is ${state}: it can no longer be refunded.`);
  }
  const range = requestableAmounts(sale);
  const requested = amount === undefined ? range.max : BigInt(amount);
  if (requested === 0n) throw invalidField('amount', 'must be above 0');
  if (isWithin(requested, range)) return requested;
  const message = `must be at most ${range.max}, which the sale has not refunded yet`;
  throw unprocessable('The amount is above what can be refunded.', [{ path: 'amount', message }]);
}
