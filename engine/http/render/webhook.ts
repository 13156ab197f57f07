import type { MethodOf, OutputOf } from '../../contract/types.ts';
import type { DeliveryRow, EndpointRow } from '../../db/commerce/webhook-endpoints.ts';

/** An endpoint as its owner sees it, without its secret. */
export function webhookEndpoint({
  owner: _owner,
  isOrdered,
  events,
  failingSince,
  createdAt,
  ...endpoint
}: EndpointRow): OutputOf<MethodOf<'webhooks.update'>> {
  return {
    ...endpoint,
    events: [...events],
    ordered: isOrdered,
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

/** A delivery as the owner of its endpoint sees it. Attempts count from 1, also before the first one. */
export function webhookDelivery({
  attempt,
  nextAttemptAt,
  createdAt,
  ...delivery
}: DeliveryRow): OutputOf<MethodOf<'webhooks.replay'>> {
  return {
    ...delivery,
    attempt: Math.max(1, attempt),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
