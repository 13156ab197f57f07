import type { Address } from '../../../core/events.ts';
import type { AppDeps } from '../../deps.ts';
import type { PlannedCall } from './planned-call.ts';
import { simulate } from './simulate.ts';
import { approveCall } from './unsigned.ts';

/** An allowance of the contract, as it is and as it should be. */
export interface WantedApproval {
  readonly token: Address;
  /** Base units. */
  readonly amount: bigint;
  /** Base units that the contract may take now; 0 if the chain did not answer. */
  readonly allowance: bigint;
  /** A sentence for the approval. */
  readonly description: string;
}

type ApprovalStep = readonly [step: 'RESET_ALLOWANCE' | 'APPROVE', call: PlannedCall];

/**
 * Approval of an amount. Some tokens, as USDT on Ethereum, change an allowance from or to zero only: there a remainder
 * is set to zero first.
 */
export async function approvalSteps(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment'>,
  from: Address,
  { token, amount, allowance, description }: WantedApproval,
): Promise<readonly ApprovalStep[]> {
  const approve = approveCall(deps.deployment, { token, amount, description });
  const isRefused = allowance > 0n && (await simulate(deps, from, approve)).status === 'revert';
  if (!isRefused) return [['APPROVE', approve]];
  const reset = approveCall(deps.deployment, {
    token,
    amount: 0n,
    description: `Sets what the contract may take of ${token} to 0 first: this token changes an allowance in no other way.`,
  });
  return [
    ['RESET_ALLOWANCE', reset],
    ['APPROVE', { ...approve, waits: true }],
  ];
}
