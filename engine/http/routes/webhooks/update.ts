import { updateEndpoint } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookEndpoint } from '../../render/webhook.ts';
import { requireEndpoint, requireSubscriptions } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.update`: omitted fields stay. Deliveries that wait are sent once the endpoint is on again. */
export const update: Handler<'webhooks.update'> = async (input, { pool }, { merchant }) => {
  const events = input.events && requireSubscriptions(input.events);
  const updated = await pool.begin(async (sql) => {
    const before = await requireEndpoint(sql, merchant, input.id);
    return await updateEndpoint(sql, input.id, {
      events: events ?? before.events,
      enabled: input.enabled ?? before.enabled,
      isOrdered: input.ordered ?? before.isOrdered,
    });
  });
  return { data: webhookEndpoint(updated) };
};
