import { testMessageOf } from '../../../core/service-message.ts';
import { TEST_EVENT_TYPE } from '../../../core/webhook-events.ts';
import { newDeliveryId } from '../../../db/commerce/delivery-ids.ts';
import { queueTest } from '../../../db/commerce/webhook-endpoints.ts';
import { newId } from '../../auth/token.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { requireDelivery, requireEndpoint } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.test`: sends an event that means nothing. */
export const test: Handler<'webhooks.test'> = async ({ id: endpointId }, deps, { merchant }) => {
  const now = new Date(deps.clock());
  const eventId = `evt_${newId()}`;
  const id = newDeliveryId();
  const body = JSON.stringify(testMessageOf(eventId, merchant, now));
  const queued = await deps.pool.begin(async (sql) => {
    await requireEndpoint(sql, merchant, endpointId);
    await queueTest(sql, { id, endpointId, eventId, type: TEST_EVENT_TYPE, body }, now);
    return await requireDelivery(sql, merchant, id);
  });
  return { data: webhookDelivery(queued) };
};
