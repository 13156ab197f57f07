import type { z } from 'zod';
import type {
  PreparedOperation,
  Reason,
  Steps,
  Warning,
} from '../../../contract/shapes/operation.ts';
import type { Address } from '../../../core/events.ts';
import type { Change } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import {
  type ContractError,
  contractReason,
  simulatedReason,
} from '../../render/contract-errors.ts';
import type { PlannedCall } from '../transactions/planned-call.ts';
import { unsignedTransaction } from '../transactions/unsigned.ts';
import type { OwnState } from './own-state.ts';

type Step = z.infer<typeof Steps>[number]['step'];

/** Steps to sign, in their order. */
export type PlannedSteps = readonly (readonly [Step, PlannedCall])[];

/** Fact that a merchant should know before signing. */
export type OperationWarning = z.infer<typeof Warning>;

/** Why the chain would refuse: an error of the contract, with a sentence of its own or the usual one. */
export type Refusal = ContractError | z.infer<typeof Reason>;

/** Outcome of an operation at the settled block. */
export type OperationPlan =
  | { readonly status: 'refused'; readonly errors: readonly Refusal[] }
  | { readonly status: 'in_effect'; readonly warnings?: readonly OperationWarning[] }
  | {
      readonly status: 'ready';
      readonly steps: PlannedSteps;
      readonly preview: readonly Change[];
      readonly warnings: readonly OperationWarning[];
    }
  | {
      readonly status: 'needs_approval';
      readonly preview: readonly Change[];
      readonly warnings: readonly OperationWarning[];
    };

/** Plan of an operation that the chain would refuse at the settled block. */
export function refused(...errors: Refusal[]): OperationPlan {
  return { status: 'refused', errors };
}

/**
 * Answer to an operation: its transactions, simulated at the newest block. If one would
 * revert, there are none, and the reasons say why. It calls the chain: use it outside of `readLedger`.
 */
export async function preparedOperation(
  deps: AppDeps,
  { campaign: { campaignId, state, merchant } }: Pick<OwnState, 'campaign'>,
  plan: OperationPlan,
  from: Address = merchant,
): Promise<z.infer<typeof PreparedOperation>> {
  const nothing = { campaignId, state, preview: [], warnings: [], reasons: [], transactions: [] };
  switch (plan.status) {
    case 'refused':
      return { ...nothing, status: 'refused', reasons: plan.errors.map(reasonOf) };
    case 'in_effect':
      return { ...nothing, status: 'in_effect', warnings: [...(plan.warnings ?? [])] };
    case 'needs_approval': {
      const { preview, warnings, status } = plan;
      return { ...nothing, status, preview: [...preview], warnings: [...warnings] };
    }
    case 'ready': {
      const { transactions, reasons } = await simulatedSteps(deps, from, plan.steps);
      if (reasons.length > 0) return { ...nothing, status: 'refused', reasons };
      const { preview, warnings } = plan;
      return {
        ...nothing,
        status: 'ready',
        preview: [...preview],
        warnings: [...warnings],
        transactions,
      };
    }
  }
}

function reasonOf(refusal: Refusal): z.infer<typeof Reason> {
  return typeof refusal === 'string' ? contractReason(refusal) : refusal;
}

/** Steps as unsigned transactions, and the reasons of those that would revert, each once. */
export async function simulatedSteps(
  deps: AppDeps,
  from: Address,
  steps: PlannedSteps,
): Promise<Pick<z.infer<typeof PreparedOperation>, 'transactions' | 'reasons'>> {
  const transactions: z.infer<typeof Steps> = [];
  const errors = new Set<string>();
  // One after the other: a process may run only so many calls of contracts concurrently.
  for (const [step, call] of steps) {
    const transaction = await unsignedTransaction(deps, from, call);
    const { status, error } = transaction.simulation;
    if (status === 'revert') errors.add(error ?? 'reverted');
    transactions.push({ step, transaction });
  }
  return { transactions, reasons: [...errors].map(simulatedReason) };
}
