import { listEndpoints } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookEndpoint } from '../../render/webhook.ts';

/** `webhooks.list`: the caller's endpoints, newest first. */
export const list: Handler<'webhooks.list'> = async (_input, { pool }, { merchant }) => ({
  data: (await listEndpoints(pool, merchant)).map(webhookEndpoint),
});
