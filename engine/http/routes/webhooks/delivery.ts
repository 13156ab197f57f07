import { deliveryBody, listAttempts } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { noDelivery, requireDelivery } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.delivery`: a delivery to an endpoint of the caller, with its body and its attempts. */
export const delivery: Handler<'webhooks.delivery'> = async ({ id }, { pool }, { merchant }) => {
  const found = await requireDelivery(pool, merchant, id);
  const [body, attempts] = await Promise.all([deliveryBody(pool, id), listAttempts(pool, id)]);
  // Deleted since: 30 days after its event.
  if (body === undefined) throw noDelivery(id);
  return {
    data: {
      ...webhookDelivery(found),
      body,
      attempts: attempts.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })),
    },
  };
};
