import { checkState } from '../../checks/state.ts';
import type { FoundFields } from '../../conclude.ts';
import { hiddenRefunds } from '../../history/hidden-refunds.ts';
import type { Subject } from '../../subject.ts';

/**
 * Checks the state by the proven events, and names the refunds that they cannot show: the contract's own state is in no
 * bundle, and SaleFinalized names no amount (docs/reference/bundle.md#what-it-shows-and-what-it-cannot).
 */
export function checkBundleState(subject: Subject, found: FoundFields) {
  const { record, events } = subject.facts;
  const state = checkState(subject, found);
  const { most, isBounded } = hiddenRefunds(record, events);
  if (most === 0n || state.status !== 'pass') return state;
  const evidence = { ...state.evidence, unprovenRefunds: most.toString() };
  if (isBounded) {
    const message = `${state.message} Up to ${most} base units more may have been refunded before it was finalized: so little changes no reward, and a bundle cannot show it.`;
    return { ...state, message, evidence };
  }
  return {
    ...state,
    status: 'unavailable' as const,
    message: `The sale was finalized, and nothing proves how much was refunded before: up to ${most} base units more, because without rewards no later event shows a refund. Compare it with an RPC.`,
    evidence,
  };
}
