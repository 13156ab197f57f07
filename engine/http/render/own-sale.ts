import type { z } from 'zod';
import type { MerchantSale, Purchase } from '../../contract/shapes/purchase.ts';
import type { OwnSale } from '../../db/read/sales/own.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { deliveryOf } from '../resources/fulfillment/fulfillment.ts';
import { receiptSummary } from './receipt.ts';
import { timeOrNull } from './time.ts';

/** Sale as both its buyer and its merchant see it. */
function ownSale(
  deployment: ServedDeployment,
  { sale, dispute }: Pick<OwnSale, 'sale' | 'dispute'>,
  head: ReadHead,
) {
  return {
    ...receiptSummary(deployment, sale, head),
    orderKey: sale.orderKey,
    // Also after the hold, until the sale is finalized (docs/reference/protocol.md#sales-and-their-split).
    refundable: sale.state === 'pending',
    dispute,
  };
}

export function purchaseOf(
  deployment: ServedDeployment,
  own: OwnSale,
  head: ReadHead,
): z.infer<typeof Purchase> {
  const { mode, access } = deliveryOf(own.sale, head);
  const { available, availableFrom } = access;
  return {
    ...ownSale(deployment, own, head),
    fulfillment: {
      mode,
      available,
      availableFrom: timeOrNull(availableFrom),
    },
    intentId: own.intentId,
    supportEmail: own.supportEmail,
    coverUrl: own.coverUrl,
    coverAlt: own.coverAlt,
  };
}

/** Sale as its merchant sees it. Attested sales are paid elsewhere, so they have no proceeds. */
export function merchantSaleOf(
  deployment: ServedDeployment,
  own: Pick<OwnSale, 'sale' | 'dispute' | 'rewards' | 'hasDetails'>,
  head: ReadHead,
): z.infer<typeof MerchantSale> {
  const { amount, refundedTotal, trustMode } = own.sale;
  const proceeds = trustMode === 'NATIVE_ONCHAIN' ? amount - refundedTotal : 0n;
  return {
    ...ownSale(deployment, own, head),
    proceeds: proceeds.toString(),
    rewards: own.rewards.toString(),
    hasDetails: own.hasDetails,
  };
}
