import { afterEvents, campaignChanges } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import type { Handler } from '../../handler-types.ts';
import { amountOf } from '../../render/amount-of.ts';
import { type Holdings, readHoldings } from '../../resources/operations/holdings.ts';
import { type OwnState, readOwnState } from '../../resources/operations/own-state.ts';
import {
  type OperationPlan,
  type PlannedSteps,
  preparedOperation,
} from '../../resources/operations/prepare.ts';
import { budgetWarning } from '../../resources/operations/warnings.ts';
import { approvalSteps } from '../../resources/transactions/approval.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** `operations.fund`: a deposit of rewards, with the approval that it needs. */
export const fund: Handler<'operations.fund'> = async (input, deps, { merchant }) => {
  const own = await readOwnState(deps, input.campaignId, merchant);
  const holdings = await readHoldings(deps, own.campaign.token, merchant);
  const plan = await planOf(deps, own, BigInt(input.amount), holdings);
  return { data: await preparedOperation(deps, own, plan), chain: own.chain };
};

/** @param amount to deposit, base units. */
async function planOf(
  deps: AppDeps,
  own: OwnState,
  amount: bigint,
  { balance, allowance }: Holdings,
): Promise<OperationPlan> {
  const { campaign, state, clock } = own;
  const args = { account: campaign.merchant, amount };
  const after = afterEvents(state, [{ name: 'CampaignFunded', args }], clock);
  const { snapshot } = campaign;
  const short = {
    code: 'BALANCE_SHORT',
    message: `You have ${amountOf(balance, campaign)}, which is less than the deposit.`,
  } as const;
  const ended = {
    code: 'NO_EFFECT',
    message: 'The campaign has ended: no sale will use the deposit.',
  } as const;
  return {
    status: 'ready',
    steps: await stepsOf(deps, own, amount, allowance),
    preview: campaignChanges(state, after, clock),
    warnings: [
      budgetWarning(after, clock),
      ...(balance < amount ? [short] : []),
      ...(snapshot.ended || clock >= campaign.endsAt ? [ended] : []),
    ],
  };
}

/** @param allowance if the contract may not take the amount yet, the deposit has to wait for the approval. */
async function stepsOf(
  deps: AppDeps,
  { campaign }: OwnState,
  amount: bigint,
  allowance: bigint,
): Promise<PlannedSteps> {
  const { campaignId, termsHash, token, merchant } = campaign;
  const fund = commerceCall(deps.deployment, {
    functionName: 'fund',
    args: [BigInt(campaignId), termsHash, amount],
    description: `Deposits ${amountOf(amount, campaign)} as rewards of campaign ${campaignId}.`,
  });
  if (allowance >= amount) return [['FUND', fund]];
  const description = `Lets the contract take ${amountOf(amount, campaign)} (token ${token}), for the deposit.`;
  return [
    ...(await approvalSteps(deps, merchant, { token, amount, allowance, description })),
    ['FUND', { ...fund, waits: true }],
  ];
}
