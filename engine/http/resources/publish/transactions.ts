import type { z } from 'zod';
import type { PreparedCampaign } from '../../../contract/shapes/draft.ts';
import { percentText } from '../../../core/amount-text.ts';
import type { Address } from '../../../core/events.ts';
import type { PublishedDraft } from '../../../db/read/campaigns/drafts.ts';
import type { AppDeps } from '../../deps.ts';
import { readAllowance } from '../checkout/observe.ts';
import { approvalSteps } from '../transactions/approval.ts';
import type { PlannedCall } from '../transactions/planned-call.ts';
import { commerceCall, unsignedTransaction } from '../transactions/unsigned.ts';
import type { PublishPlan } from './plan.ts';

type Steps = z.infer<typeof PreparedCampaign>['transactions'];
type Step = Steps[number]['step'];

/** Transactions that create a campaign and deposit its rewards. FUND is `null` until the campaign has an id. */
export async function createSteps(deps: AppDeps, from: Address, plan: PublishPlan): Promise<Steps> {
  const { deployment } = deps;
  const create = commerceCall(deployment, {
    functionName: 'createCampaign',
    args: plan.create,
    description:
      `Creates the campaign with its policy: ${plan.price} base units of ${plan.token} for each ` +
      `sale, of which ${percentText(plan.create[1].commissionBps)} is rewards.`,
  });
  if (plan.funding === 0n) return await simulated(deps, from, [['CREATE', create]]);
  return await simulated(deps, from, [
    ['CREATE', create],
    ...(await approval(deps, from, plan.token, plan.funding)),
    ['FUND', null],
  ]);
}

/** Remaining transactions once the campaign is in the ledger. */
export async function fundSteps(
  deps: AppDeps,
  from: Address,
  campaign: Pick<PublishedDraft, 'campaignId' | 'termsHash' | 'token' | 'funding'>,
): Promise<Steps> {
  const { campaignId, termsHash, token, funding } = campaign;
  const fund = commerceCall(deps.deployment, {
    functionName: 'fund',
    args: [BigInt(campaignId), termsHash, funding],
    description: `Deposits ${funding} base units of ${token} as rewards of campaign ${campaignId}.`,
  });
  return await simulated(deps, from, [
    ...(await approval(deps, from, token, funding)),
    ['FUND', { ...fund, waits: true }],
  ]);
}

async function approval(deps: AppDeps, from: Address, token: Address, amount: bigint) {
  const description = `Lets the contract take ${amount} base units of ${token}, for the deposit.`;
  const allowance = (await readAllowance(deps, { token, buyer: from })) ?? 0n;
  return await approvalSteps(deps, from, { token, amount, allowance, description });
}

async function simulated(
  deps: AppDeps,
  from: Address,
  calls: readonly (readonly [Step, PlannedCall | null])[],
): Promise<Steps> {
  return await Promise.all(
    calls.map(async ([step, call]) => ({
      step,
      transaction: call && (await unsignedTransaction(deps, from, call)),
    })),
  );
}
