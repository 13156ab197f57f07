import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';

/** `refundRequests.get`: a request of the caller for a refund, with its messages. */
export const get: Handler<'refundRequests.get'> = async ({ id }, deps, { account }) => {
  const { dispute, messages, chain } = await ownDispute(deps, id, account, 'buyer');
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};
