import type { Handler } from '../../handler-types.ts';
import { disputeDetail } from '../../render/dispute.ts';
import { ownDispute } from '../../resources/disputes/own-dispute.ts';

/** `disputes.get`: one dispute with its messages, for its merchant and its buyer. */
export const get: Handler<'disputes.get'> = async ({ id }, deps, { merchant }) => {
  const { dispute, messages, chain } = await ownDispute(deps, id, merchant);
  return { data: disputeDetail(deps.deployment, dispute, messages), chain };
};
