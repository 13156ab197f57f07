import { z } from 'zod';
import { isOwnEndpoint, listDeliveries } from '../../../db/commerce/webhook-endpoints.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorText, decodeCursor, pageOf } from '../../input/cursor.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { noEndpoint } from '../../resources/webhooks/own-endpoint.ts';

const METHOD = 'webhooks.deliveries';
/** Time and id of the last delivery of a page. */
const Position = z.tuple([z.iso.datetime(), cursorText]);

/** `webhooks.deliveries`: deliveries to an endpoint of the caller, newest first. */
export const deliveries: Handler<typeof METHOD> = async (input, { pool }, { merchant }) => {
  const { id, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, merchant } };
  const position = decodeCursor(scope, Position);
  const after = position && { createdAt: position[0], id: position[1] };
  if (!(await isOwnEndpoint(pool, merchant, id))) throw noEndpoint(id);
  const rows = await listDeliveries(pool, id, { after, limit: limit + 1 });
  const { items, nextCursor } = pageOf(rows, limit, scope, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
  return { data: { items: items.map(webhookDelivery), nextCursor } };
};
