import { amountText } from '../../../core/amount-text.ts';
import { refundGoal } from '../../../core/dispute.ts';
import type { DisputeView } from '../../../db/read/disputes/rows.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';
import { recordTurn, requireNotClosed } from '../../resources/disputes/record-turn.ts';
import { refundedNow } from '../../resources/transactions/refund.ts';

/**
 * `refundRequests.withdraw`: the buyer takes a request back, whatever the merchant answered, until the
 * chain has refunded it. A refund that comes all the same outweighs the withdrawal. Repeating it does nothing.
 */
export const withdraw: Handler<'refundRequests.withdraw'> = async (
  { id, message },
  deps,
  { account },
) => {
  const before = await ownDispute(deps, id, account, 'buyer');
  if (before.dispute.status !== 'withdrawn') {
    await requireNotRefunded(deps, before.dispute);
    const answer = { kind: 'withdrawn' } as const;
    await recordTurn(deps, before.dispute, { from: 'buyer', answer, message });
  }
  const { dispute, messages, chain } = await ownDispute(deps, id, account, 'buyer');
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};

/**
 * @throws {HttpError} CONFLICT if the chain has closed the dispute, even in a block that is not settled yet; NOT_READY if
 *   the chain does not answer.
 */
async function requireNotRefunded(deps: AppDeps, dispute: DisputeView): Promise<void> {
  requireNotClosed(dispute);
  const { sale } = dispute;
  const refunded = await refundedNow(deps, sale, sale.refundedTotal);
  if (refunded < refundGoal(dispute)) return;
  throw conflict(
    `The chain has refunded ${amountText(refunded, sale.token)} of sale ${sale.saleId}: there is nothing to withdraw.`,
  );
}
