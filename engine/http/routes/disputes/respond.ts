import { acceptableAmounts, isWithin, refundGoal } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import { type DisputeTurn, MAX_MESSAGES, takeTurn } from '../../../db/commerce/disputes.ts';
import { attesterOf } from '../../../db/read/disputes/attester.ts';
import type { DisputeView } from '../../../db/read/disputes/rows.ts';
import { newId } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, HttpError, invalidField, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';
import { disputeReasonHash, refundCall, refundedNow } from '../../resources/transactions/refund.ts';
import { unsignedTransaction } from '../../resources/transactions/unsigned.ts';

type Request = Parameters<Handler<'disputes.respond'>>[0];
type MerchantAnswer = NonNullable<DisputeTurn['answer']>;

/**
 * `disputes.respond`: the merchant accepts (and gets the refund to sign), declines, or writes a message;
 * the buyer writes a message. The last answer is valid until the chain closes the dispute.
 */
export const respond: Handler<'disputes.respond'> = async (input, deps, { session }) => {
  const { dispute: before } = await ownDispute(deps, input.id, session.address);
  const isMerchant = before.sale.seller.address === session.address;
  const answer = answerOf(before, input, isMerchant);
  const at = new Date(deps.clock());
  const from = isMerchant ? 'merchant' : 'buyer';
  const message = input.message === undefined ? undefined : { id: newId(), text: input.message };
  const turn: DisputeTurn = {
    id: input.id,
    at,
    ...(answer && { answer }),
    ...(message && { message: { ...message, from, at } }),
  };
  if (!(await takeTurn(deps.pool, turn))) {
    throw unprocessable(`A dispute has at most ${MAX_MESSAGES} messages.`);
  }
  const { dispute, messages, chain } = await ownDispute(deps, input.id, session.address);
  const refund = answer?.kind === 'accepted' ? await refundOf(deps, dispute, session.address) : {};
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
): MerchantAnswer | undefined {
  if (response === 'message') return undefined;
  if (!isMerchant) throw new HttpError('FORBIDDEN', 'Only the merchant may accept or decline.');
  if (dispute.status === 'refunded' || dispute.status === 'expired' || dispute.closedAt !== null) {
    throw conflict(
      `The chain has closed the dispute: sale ${dispute.sale.saleId} is ${dispute.sale.state}, and ${dispute.sale.refundedTotal} base units of it were refunded.`,
    );
  }
  if (response === 'decline') {
    return { kind: 'declined', acceptedAmount: null, declineReason: reason ?? '' };
  }
  return { kind: 'accepted', acceptedAmount: acceptedOf(dispute, amount), declineReason: null };
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

/** Refund for the merchant to sign, or approval for the attester to sign first; empty if none is due. */
async function refundOf(deps: AppDeps, dispute: DisputeView, merchant: Address) {
  const { saleId, token, trustMode, refundedTotal: settled } = dispute.sale;
  const refunded = await refundedNow(deps, dispute.sale, settled);
  const goal = refundGoal(dispute);
  const amount = goal - refunded;
  if (amount <= 0n) return {};
  const reasonHash = disputeReasonHash(dispute.id);
  if (trustMode !== 'THIRD_PARTY_VERIFIED') {
    const call = refundCall(deps, {
      sale: dispute.sale,
      amount,
      reasonHash,
      symbol: token.symbol,
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
