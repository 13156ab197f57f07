import { sum } from '../../../core/amounts.ts';
import type { Hex } from '../../../core/events.ts';
import { hasClaimedSince, REVERSAL_SECONDS, reverseEvents } from '../../../core/fold/index.ts';
import { afterEvents, allChanges } from '../../../core/preview.ts';
import type { AppDeps } from '../../deps.ts';
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
import { NO_APPROVAL, type SignedApproval } from '../../resources/transactions/refund.ts';
import { commerceCall } from '../../resources/transactions/unsigned.ts';

/** `operations.reverse`: returns the rewards of an attested sale that were not claimed yet to the vault. */
export const reverse: Handler<'operations.reverse'> = async (input, deps, { merchant }) => {
  const own = await readOwnSale(deps, input.saleId, merchant);
  const reasonHash = reasonHashOf(input.reason);
  const approval = signedApproval(input.approval);
  const plan = planOf(deps, own, reasonHash, approval);
  const isOpen = plan.status === 'ready' || plan.status === 'needs_approval';
  return {
    data: {
      ...(await preparedOperation(deps, own, plan)),
      saleId: own.sale.saleId,
      reasonHash,
      approval: isOpen ? await approvalOf(deps, own, reasonHash, approval) : null,
    },
    chain: own.chain,
  };
};

function planOf(
  { deployment }: AppDeps,
  own: OwnSaleState,
  reasonHash: Hex,
  approval: SignedApproval | undefined,
): OperationPlan {
  const { campaign, state, sale, clock } = own;
  const { trustMode } = campaign;
  if (trustMode === 'NATIVE_ONCHAIN') return refused('WrongTrustMode');
  if (sale.state === 'reversed') return { status: 'in_effect' };
  if (sale.state !== 'finalized') return refused('SaleNotFinalized');
  if (clock > (sale.finalizedAt ?? 0) + REVERSAL_SECONDS) return refused('ReversalTooLate');
  const isSigned = trustMode === 'THIRD_PARTY_VERIFIED';
  if (!isSigned && approval !== undefined) return refused('UnexpectedSignature');
  const after = afterEvents(state, reverseEvents(state, sale.saleId, reasonHash), clock);
  const preview = allChanges(state, after, clock);
  const warnings = warningsOf(own);
  if (isSigned && approval === undefined) return { status: 'needs_approval', preview, warnings };
  const { deadline, signature } = approval ?? NO_APPROVAL;
  const ref = saleRefOf(own);
  const call = commerceCall(deployment, {
    functionName: 'reverse',
    args: [{ ...ref, campaignId: BigInt(ref.campaignId) }, reasonHash, deadline, signature],
    description: `Reverses sale ${sale.saleId}: rewards that were not claimed since it was finalized return to the vault.`,
  });
  return { status: 'ready', steps: [['REVERSE', call]], preview, warnings };
}

function warningsOf({ campaign, state, sale }: OwnSaleState): OperationWarning[] {
  const claimed = sale.levels.filter((level) => hasClaimedSince(state, level));
  const claimedAmount = sum(claimed.map(({ vested }) => vested));
  const lost = {
    code: 'ALREADY_CLAIMED',
    message: `${amountOf(claimedAmount, campaign)} stays with those who have claimed since.`,
  } as const;
  const final = {
    code: 'FINAL',
    message: 'This cannot be undone: a reversed sale stays reversed.',
  } as const;
  return [final, ...(claimedAmount > 0n ? [lost] : [])];
}

/** Data that the attester of the sale signs; `null` in a campaign whose attester is the merchant. */
async function approvalOf(
  deps: AppDeps,
  own: OwnSaleState,
  reasonHash: Hex,
  approval: SignedApproval | undefined,
) {
  const { campaign, attester } = own;
  if (campaign.trustMode !== 'THIRD_PARTY_VERIFIED' || attester === null) return null;
  const deadline = approval?.deadline ?? (await nextDeadline(deps));
  return requiredApproval(deps, attester, 'ReversalApproval', {
    ...saleRefOf(own),
    reasonHash,
    deadline: String(deadline),
  });
}
