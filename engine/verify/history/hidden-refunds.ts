import { min } from '../../core/amounts.ts';
import { shareAfterRefund } from '../../core/split.ts';
import { type DecodedLog, logsOf } from '../chain/decode.ts';
import { refundedTotalOf } from '../outcome.ts';

/** Refunds that a finalized sale may have had without a trace in its other events. */
export interface HiddenRefunds {
  /** Largest sum of them, base units. */
  readonly most: bigint;
  /** False if no reward limits them: they may be all but one base unit of the sale. */
  readonly isBounded: boolean;
}

/**
 * Refunds before the finalization that could be left out of a finalized sale's events. SaleFinalized names no amount,
 * so a refund shows only in the rewards that it reduces: floor(share × (amount − refundedTotal) / amount) of
 * each level (docs/reference/bundle.md#what-it-shows-and-what-it-cannot).
 */
export function hiddenRefunds(
  { args: { amount, shares } }: DecodedLog<'SaleRecorded'>,
  events: readonly DecodedLog[],
): HiddenRefunds {
  if (logsOf(events, 'SaleFinalized').length === 0) return { most: 0n, isBounded: true };
  const refundedTotal = refundedTotalOf(events);
  const open = amount - refundedTotal;
  const limits = shares.flatMap((share) => {
    const left = shareAfterRefund(share, amount, refundedTotal);
    // A level without a rest stays without one, whatever is refunded.
    return left === 0n ? [] : [open - (left * amount + share - 1n) / share];
  });
  // A sale that is refunded completely cannot be finalized.
  const most = limits.reduce(min, open > 0n ? open - 1n : 0n);
  return { most, isBounded: limits.length > 0 || most === 0n };
}
