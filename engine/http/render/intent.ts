import type { CheckoutIntent, IntentSummary } from '../../contract/shapes/checkout.ts';
import type { DetailKind } from '../../core/buyer-details.ts';
import type { IntentDecision } from '../../core/checkout.ts';
import type { Intent, SentTransaction } from '../../db/commerce/intents.ts';
import type { SignedByBuyer } from '../../db/commerce/signed-orders.ts';
import type { SaleView } from '../../db/read/sales/rows.ts';
import type { StoredDetails } from '../../db/rows/buyer-details.ts';
import type { ServedDeployment } from '../deps.ts';
import { tokenOf } from './product.ts';
import { signedOrder } from './signed-order.ts';
import { txRef } from './tx-ref.ts';

/** Checkout intent, reconciled with the ledger and the chain. */
export interface ReconciledView {
  readonly intent: Intent;
  readonly decision: IntentDecision;
  /** Sale of its order key, even if it is not the order; `null` if there is none. */
  readonly sale: SaleView | null;
  /** Newest first. */
  readonly sent: readonly SentTransaction[];
  /** Order that the buyer signed for the relayer; `null` without one. */
  readonly signed: SignedByBuyer | null;
  readonly transactions: CheckoutIntent['transactions'];
  /** Details that the buyer gave; `null` without any. */
  readonly details: StoredDetails | null;
  /** Required ones that were not given. */
  readonly missingDetails: readonly DetailKind[];
}

/** Checkout intent as it is stored. */
export function intentSummary({ chainId }: ServedDeployment, intent: Intent): IntentSummary {
  return {
    id: intent.id,
    orderKey: intent.orderKey,
    campaignId: intent.campaignId,
    chainId,
    nodeId: intent.nodeId,
    skuHash: intent.skuHash,
    buyer: intent.buyer,
    token: tokenOf(intent.token),
    amount: intent.amount.toString(),
    minPolicyVersion: intent.minPolicyVersion,
    state: intent.state,
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
    expiresAt: intent.expiresAt.toISOString(),
    cancelledAt: intent.cancelledAt?.toISOString() ?? null,
  };
}

export function checkoutIntent(deployment: ServedDeployment, view: ReconciledView): CheckoutIntent {
  const { intent, decision, sale, sent, signed, transactions, details } = view;
  return {
    ...intentSummary(deployment, intent),
    state: decision.state,
    failure: failureOf(decision, sale),
    transactions,
    submitted: sent.map(({ hash, status, attachedAt }) => ({
      hash,
      status,
      at: attachedAt.toISOString(),
    })),
    order: signed && signedOrder(signed),
    saleId: sale?.saleId ?? null,
    asks: intent.asks,
    missingDetails: [...view.missingDetails],
    detailsUpdatedAt: details?.updatedAt.toISOString() ?? null,
    tx: sale === null ? null : txRef(deployment, sale.record),
  };
}

function failureOf({ failure }: IntentDecision, sale: SaleView | null): string | null {
  if (failure === 'REVERTED') return 'The newest transaction reverted and paid nothing.';
  if (failure === null || sale === null) return null;
  return `The order key was spent on sale ${sale.saleId}, of SKU ${sale.skuHash} for ${sale.amount} base units: which is not the order of this intent. Create a new intent with another order key.`;
}
