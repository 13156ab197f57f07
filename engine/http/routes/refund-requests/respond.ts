import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';
import { recordTurn } from '../../resources/disputes/record-turn.ts';

/** `refundRequests.respond`: the buyer writes a message to the merchant. It changes nothing else. */
export const respond: Handler<'refundRequests.respond'> = async (
  { id, message },
  deps,
  { account },
) => {
  const before = await ownDispute(deps, id, account, 'buyer');
  await recordTurn(deps, before.dispute, { from: 'buyer', message });
  const { dispute, messages, chain } = await ownDispute(deps, id, account, 'buyer');
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};
