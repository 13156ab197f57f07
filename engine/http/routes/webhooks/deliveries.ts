import { z } from 'zod';
import { isOwnEndpoint, listDeliveries } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorText, ListPage, mapItems } from '../../input/cursor.ts';
import { webhookDelivery } from '../../render/webhook.ts';
import { noEndpoint } from '../../resources/webhooks/own-endpoint.ts';

const position = { createdAt: z.iso.datetime(), id: cursorText };

/** `webhooks.deliveries`: deliveries to an endpoint of the caller, newest first. */
export const deliveries: Handler<'webhooks.deliveries'> = async (input, { pool }, { merchant }) => {
  const { id } = input;
  const page = new ListPage('webhooks.deliveries', { ...input, merchant }, position);
  if (!(await isOwnEndpoint(pool, merchant, id))) throw noEndpoint(id);
  const rows = await listDeliveries(pool, id, page.query);
  const found = page.of(rows, ({ createdAt, id }) => ({ createdAt: createdAt.toISOString(), id }));
  return { data: mapItems(found, webhookDelivery) };
};
