import { listAttempts } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { requireDelivery } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.delivery`: a delivery to an endpoint of the caller, with its attempts. */
export const delivery: Handler<'webhooks.delivery'> = async ({ id }, { pool }, { merchant }) => {
  const found = await requireDelivery(pool, merchant, id);
  const attempts = await listAttempts(pool, id);
  return {
    data: {
      ...webhookDelivery(found),
      attempts: attempts.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })),
    },
  };
};
