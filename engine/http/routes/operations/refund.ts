import type { Hex } from '../../../core/events.ts';
import { refundEvents } from '../../../core/fold/index.ts';
import { afterEvents, allChanges } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { amountOf } from '../../render/amount-of.ts';
import { nextDeadline } from '../../resources/operations/deadline.ts';
import {
  type OwnSaleState,
  readOwnSale,
  reasonHashOf,
  saleRefOf,
  signedApproval,
} from '../../resources/operations/own-sale.ts';
import {
  type OperationPlan,
  type OperationWarning,
  preparedOperation,
  refused,
} from '../../resources/operations/prepare.ts';
import { requiredApproval } from '../../resources/operations/typed-data.ts';
import {
  refundCall,
  refundedNow,
  type SignedApproval,
} from '../../resources/transactions/refund.ts';

interface Refund {
  /** Base units. */
  readonly amount: bigint;
  readonly reasonHash: Hex;
  readonly approval: SignedApproval | undefined;
}

/** `operations.refund`: refunds a pending sale, with the attester's approval if the campaign needs one. */
export const refund: Handler<'operations.refund'> = async (input, deps, { merchant }) => {
  const own = await readOwnSale(deps, input.saleId, merchant);
  const { sale, campaign } = own;
  await requireSettled(deps, own);
  const left = sale.amount - sale.refundedTotal;
  const reasonHash = reasonHashOf(input.reason);
  const amount = input.amount === undefined ? left : BigInt(input.amount);
  const wanted: Refund = { amount, reasonHash, approval: signedApproval(input.approval) };
  const plan =
    sale.state === 'refunded' && input.amount === undefined
      ? ({ status: 'in_effect' } as const)
      : planOf(deps, own, wanted);
  const isSigned = campaign.trustMode === 'THIRD_PARTY_VERIFIED' && plan.status !== 'in_effect';
  return {
    data: {
      ...(await preparedOperation(deps, own, plan)),
      saleId: sale.saleId,
      reasonHash,
      approval: isSigned && plan.status !== 'refused' ? await approvalOf(deps, own, wanted) : null,
    },
    chain: own.chain,
  };
};

/**
 * A refund that is on the chain and not settled yet would be refunded again.
 * @throws {HttpError} CONFLICT if there is one.
 */
async function requireSettled(deps: AppDeps, own: OwnSaleState): Promise<void> {
  const { sale, campaign } = own;
  const { refundedTotal: settled } = sale;
  const onChain = await refundedNow(deps, saleRefOf(own), settled);
  if (onChain === settled) return;
  throw conflict(
    `The chain has refunded ${amountOf(onChain, campaign)} of sale ${sale.saleId}, of which ${amountOf(settled, campaign)} is settled: ask again once all of it is.`,
  );
}

function planOf(deps: AppDeps, own: OwnSaleState, refund: Refund): OperationPlan {
  const { campaign, state, sale, clock } = own;
  const { amount, reasonHash, approval } = refund;
  const isSigned = campaign.trustMode === 'THIRD_PARTY_VERIFIED';
  if (sale.state !== 'pending') return refused('SaleNotPending');
  if (amount > sale.amount - sale.refundedTotal) return refused('RefundTooLarge');
  if (!isSigned && approval !== undefined) return refused('UnexpectedSignature');
  const after = afterEvents(state, refundEvents(state, sale.saleId, amount, reasonHash), clock);
  const preview = allChanges(state, after, clock);
  const warnings = warningsOf(own);
  if (isSigned && approval === undefined) return { status: 'needs_approval', preview, warnings };
  const call = refundCall(deps, {
    sale: { ...saleRefOf(own), saleId: sale.saleId },
    amount,
    reasonHash,
    token: { symbol: campaign.tokenSymbol, decimals: campaign.tokenDecimals },
    ...(approval && { approval }),
  });
  return { status: 'ready', steps: [['REFUND', call]], preview, warnings };
}

function warningsOf({ campaign, sale }: OwnSaleState): OperationWarning[] {
  const outside = {
    code: 'NO_MONEY_MOVES',
    message: 'The contract did not take the price: pay the buyer back yourself.',
  } as const;
  const disputed = {
    code: 'DISPUTED',
    message: 'The buyer has asked for a refund: disputes.respond answers that request.',
  } as const;
  return [
    ...(campaign.trustMode === 'NATIVE_ONCHAIN' ? [] : [outside]),
    ...(sale.isDisputed ? [disputed] : []),
  ];
}

/** Data that the attester of the sale signs; `null` for a sale without an attester. */
async function approvalOf(
  deps: AppDeps,
  own: OwnSaleState,
  { amount, reasonHash, approval }: Refund,
) {
  if (own.attester === null) return null;
  const deadline = approval?.deadline ?? (await nextDeadline(deps));
  return requiredApproval(deps, own.attester, 'RefundApproval', {
    ...saleRefOf(own),
    refundedTotal: String(own.sale.refundedTotal + amount),
    reasonHash,
    deadline: String(deadline),
  });
}
