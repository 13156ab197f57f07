import { replayDeliveries } from '../../../db/commerce/webhook-endpoints.ts';
import { conflict } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { requireDelivery } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.replay`: sends the event of a delivery again, under the same event id. */
export const replay: Handler<'webhooks.replay'> = async ({ id }, deps, { merchant }) => {
  const now = new Date(deps.clock());
  const queued = await deps.pool.begin(async (sql) => {
    const { endpointId, eventId } = await requireDelivery(sql, merchant, id);
    const which = { deliveryId: id };
    const [made] = await replayDeliveries(sql, endpointId, which, now);
    if (made === undefined) {
      throw conflict(`The event ${eventId} was retracted: it is not sent again.`);
    }
    return await requireDelivery(sql, merchant, made);
  });
  return { data: webhookDelivery(queued) };
};
