import { acceptableAmounts, isWithin, refundGoal } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import type { TurnAnswer } from '../../../db/commerce/disputes.ts';
import { attesterOf } from '../../../db/read/disputes/attester.ts';
import type { DisputeView } from '../../../db/read/disputes/rows.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, HttpError, invalidField, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';
import { recordTurn, requireNotClosed } from '../../resources/disputes/record-turn.ts';
import { disputeReasonHash, refundCall, refundedNow } from '../../resources/transactions/refund.ts';
import { unsignedTransaction } from '../../resources/transactions/unsigned.ts';

type Request = Parameters<Handler<'disputes.respond'>>[0];

/**
 * `disputes.respond`: the merchant accepts (and gets the refund to sign), declines, or writes a message;
 * the buyer writes a message. The last answer is valid until the chain closes the dispute, or the buyer
 * withdraws it.
 * @throws {HttpError} NOT_READY if an accepting merchant asks while the chain does not answer: nothing is recorded.
 */
export const respond: Handler<'disputes.respond'> = async (input, deps, { merchant }) => {
  const { dispute: before } = await ownDispute(deps, input.id, merchant);
  const isMerchant = before.sale.seller.address === merchant;
  const answer = answerOf(before, input, isMerchant);
  const { sale } = before;
  // Before the answer is recorded: a caller without the refund would not know whether one is due.
  const refunded =
    answer?.kind === 'accepted' ? await refundedNow(deps, sale, sale.refundedTotal) : undefined;
  const from = isMerchant ? 'merchant' : 'buyer';
  if (!(await recordTurn(deps, before, { from, answer, message: input.message }))) {
    throw withdrawn(before);
  }
  const { dispute, messages, chain } = await ownDispute(deps, input.id, merchant);
  const isAccepted = refunded !== undefined && dispute.answer === 'accepted';
  const refund = isAccepted ? await refundOf(deps, dispute, merchant, refunded) : {};
  const data = {
    dispute: disputeDetail(deps.deployment, dispute, messages),
    transaction: null,
    approval: null,
    ...refund,
  };
  return { data, chain };
};

function answerOf(
  dispute: DisputeView,
  { response, amount, reason }: Request,
  isMerchant: boolean,
): TurnAnswer | undefined {
  if (response === 'message') return undefined;
  if (!isMerchant) throw new HttpError('FORBIDDEN', 'Only the merchant may accept or decline.');
  if (dispute.status === 'withdrawn') throw withdrawn(dispute);
  requireNotClosed(dispute);
  if (response === 'decline') {
    return { kind: 'declined', declineReason: reason ?? '' };
  }
  return { kind: 'accepted', acceptedAmount: acceptedOf(dispute, amount) };
}

function withdrawn({ sale }: DisputeView): HttpError {
  return conflict(
    `The buyer has withdrawn the request about sale ${sale.saleId}: there is nothing to answer unless it is opened again.`,
  );
}

/** Amount that the merchant accepts, base units: all that is refunded since the dispute was opened. */
function acceptedOf(dispute: DisputeView, amount: string | undefined): bigint {
  const accepted = amount === undefined ? dispute.requestedAmount : BigInt(amount);
  if (accepted === 0n) throw invalidField('amount', 'must be above 0');
  const range = acceptableAmounts(dispute, dispute.sale);
  if (isWithin(accepted, range)) return accepted;
  const message = `must be above ${range.above}, which was refunded since the dispute was opened, and at most ${range.max}`;
  throw unprocessable('The amount cannot be refunded.', [{ path: 'amount', message }]);
}

/**
 * Refund for the merchant to sign, or approval for the attester to sign first; empty if none is due.
 * @param refunded what the chain has refunded of the sale, base units.
 */
async function refundOf(deps: AppDeps, dispute: DisputeView, merchant: Address, refunded: bigint) {
  const { saleId, token, trustMode } = dispute.sale;
  const goal = refundGoal(dispute);
  const amount = goal - refunded;
  if (amount <= 0n) return {};
  const reasonHash = disputeReasonHash(dispute.id);
  if (trustMode !== 'THIRD_PARTY_VERIFIED') {
    const call = refundCall(deps, {
      sale: dispute.sale,
      amount,
      reasonHash,
      token,
    });
    return { transaction: await unsignedTransaction(deps, merchant, call) };
  }
  const attester = await attesterOf(deps.pool, dispute.sale);
  if (attester === undefined) return {};
  const amounts = { amount: amount.toString(), refundedTotal: goal.toString() };
  const { campaignId, termsHash, buyer, orderKey } = dispute.sale;
  const saleRef = { campaignId, termsHash, buyer, orderKey };
  return { approval: { attester, saleId, ...saleRef, ...amounts, reasonHash } };
}
