import type { SignedOrder } from '../../contract/shapes/signed-order.ts';
import { orderRefusals } from '../../core/signed-order.ts';
import type { SignedByBuyer } from '../../db/commerce/signed-orders.ts';
import { simulatedReason } from './contract-errors.ts';

/** Order that a buyer signed for the relayer. */
export function signedOrder(order: SignedByBuyer): SignedOrder {
  const { state, payment, reason, transactionHash, createdAt } = order;
  const words = reason === null ? null : reasonOf(reason);
  return { state, payment, reason: words, transactionHash, at: createdAt.toISOString() };
}

function reasonOf(reason: string): string {
  return Object.hasOwn(orderRefusals, reason)
    ? orderRefusals[reason as keyof typeof orderRefusals]
    : simulatedReason(reason).message;
}
