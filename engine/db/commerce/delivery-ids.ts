import { randomBytes } from 'node:crypto';

/** New ids of deliveries. */
export function newDeliveryIds(count: number): string[] {
  return Array.from({ length: count }, newDeliveryId);
}

/** New id of a delivery. */
export function newDeliveryId(): string {
  return `dlv_${randomBytes(16).toString('base64url')}`;
}
