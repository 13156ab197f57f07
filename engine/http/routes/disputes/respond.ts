import { refundGoal } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import { type DisputeTurn, MESSAGES_MOST, takeTurn } from '../../../db/commerce/disputes.ts';
import { attesterOf } from '../../../db/read/attester.ts';
import type { DisputeView } from '../../../db/read/dispute-rows.ts';
import { newId } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import {
  ConflictError,
  ForbiddenError,
  UnprocessableError,
  ValidationError,
} from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { ownDispute } from '../../own-dispute.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { disputeReasonHash, refundCall, refundedNow } from '../../transactions/refund.ts';
import { unsignedTransaction } from '../../transactions/unsigned.ts';

type Request = Parameters<Handler<'disputes.respond'>>[0];
type Answer = NonNullable<DisputeTurn['answer']>;

/**
 * `disputes.respond`: the merchant accepts, which gives the refund to sign, declines, or says
 * something; the buyer says something. The last answer holds until the chain closes the dispute.
 */
export const respond: Handler<'disputes.respond'> = async (input, deps, { session }) => {
  const { dispute: before } = await ownDispute(deps, input.id, session.address);
  const isMerchant = before.sale.seller.address === session.address;
  const answer = answerOf(before, input, isMerchant);
  const at = new Date(deps.clock());
  const from = isMerchant ? 'merchant' : 'buyer';
  const said = input.message === undefined ? undefined : { id: newId(), text: input.message };
  const turn: DisputeTurn = {
    id: input.id,
    at,
    ...(answer && { answer }),
    ...(said && { message: { ...said, from, at } }),
  };
  if (!(await takeTurn(deps.pool, turn))) {
    throw new UnprocessableError(`A dispute has at most ${MESSAGES_MOST} messages.`);
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
): Answer | undefined {
  if (response === 'message') return undefined;
  if (!isMerchant) throw new ForbiddenError('Only the merchant may accept or decline.');
  if (dispute.status === 'refunded' || dispute.status === 'expired' || dispute.closedAt !== null) {
    throw new ConflictError(
      `The chain has closed the dispute: sale ${dispute.sale.saleId} is ${dispute.sale.state}, and gave back ${dispute.sale.refundedTotal} base units.`,
    );
  }
  if (response === 'decline') {
    return { kind: 'declined', acceptedAmount: null, declineReason: reason ?? '' };
  }
  return { kind: 'accepted', acceptedAmount: acceptedOf(dispute, amount), declineReason: null };
}

/** What is given back in all since the dispute was opened, base units. */
function acceptedOf(dispute: DisputeView, amount: string | undefined): bigint {
  const { sale, requestedAmount, refundedBefore } = dispute;
  const accepted = amount === undefined ? requestedAmount : BigInt(amount);
  if (accepted === 0n) throw new ValidationError([{ path: 'amount', message: 'must be above 0' }]);
  const given = sale.refundedTotal - refundedBefore;
  const most = sale.amount - refundedBefore;
  if (accepted <= given || accepted > most) {
    const message = `must be above ${given}, what was given back since the dispute was opened, and at most ${most}`;
    throw new UnprocessableError('The amount cannot be refunded.', [{ path: 'amount', message }]);
  }
  return accepted;
}

/** What the merchant signs, or what the attester has to sign first; neither where it is done. */
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
