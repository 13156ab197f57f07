import { zeroAddress } from 'viem';
import type { CheckoutIntent } from '../../../contract/shapes/checkout.ts';
import { amountText } from '../../../core/amount-text.ts';
import type { Intent } from '../../../db/commerce/intents.ts';
import type { AppDeps } from '../../deps.ts';
import { approvalSteps } from '../transactions/approval.ts';
import type { PlannedCall } from '../transactions/planned-call.ts';
import { commerceCall, unsignedTransaction } from '../transactions/unsigned.ts';
import { readAllowance } from './observe.ts';

type Step = CheckoutIntent['transactions'][number];

/**
 * Transactions that the buyer signs to pay for an intent: an approval if the allowance is too small, and the
 * purchase. Empty if the chain does not answer with the allowance.
 */
export async function paymentOf(deps: AppDeps, intent: Intent): Promise<Step[]> {
  const { buyer, token, amount } = intent;
  const allowance = await readAllowance(deps, { token: token.address, buyer });
  if (allowance === null) return [];
  const short = allowance < amount;
  const description = `Lets the contract take ${amountText(amount, token)} (token ${token.address}) for this purchase.`;
  const wanted = { token: token.address, amount, allowance, description };
  const plan: (readonly [Step['step'], PlannedCall])[] = [
    ...(short ? await approvalSteps(deps, buyer, wanted) : []),
    ['BUY', { ...purchaseOf(deps, intent), ...(short && { waits: true as const }) }],
  ];
  return await Promise.all(
    plan.map(async ([step, call]) => ({
      step,
      transaction: await unsignedTransaction(deps, buyer, call),
    })),
  );
}

function purchaseOf({ deployment }: AppDeps, intent: Intent): PlannedCall {
  const { campaignId, termsHash, nodeId, nodeOwner, skuHash, orderKey, amount, token } = intent;
  return commerceCall(deployment, {
    functionName: 'buy',
    args: [
      BigInt(campaignId),
      termsHash,
      BigInt(nodeId ?? '0'),
      nodeOwner ?? zeroAddress,
      skuHash,
      orderKey,
      amount,
      intent.minPolicyVersion,
    ],
    description: `Buys from campaign ${campaignId} for at most ${amountText(amount, token)}. Order ${orderKey} can be bought once.`,
  });
}
