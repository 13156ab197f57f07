import { countOf } from '../../../core/count-of.ts';
import type { Address } from '../../../core/events.ts';
import type { PlannedCall } from './planned-call.ts';
import { commerceCall } from './unsigned.ts';

/** Call that finalizes sales whose hold is over, of one campaign if it is named. Anybody may send it. */
export function finalizeCall(
  deployment: { readonly contractAddress: Address },
  saleIds: readonly string[],
  campaignId?: string,
): PlannedCall {
  const sales = countOf(saleIds.length, 'sale');
  const of = campaignId === undefined ? '' : ` of campaign ${campaignId}`;
  return commerceCall(deployment, {
    functionName: 'finalize',
    args: [saleIds.map(BigInt)],
    description: `Finalizes ${sales}${of} whose hold is over, so that rewards and proceeds can be claimed.`,
  });
}
