import { deleteEndpoint } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { noEndpoint } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.remove`: deletes an endpoint of the caller; what is on its way may still arrive. */
export const remove: Handler<'webhooks.remove'> = async ({ id }, { pool }, { merchant }) => {
  const deleted = await pool.begin((sql) => deleteEndpoint(sql, merchant, id));
  if (!deleted) throw noEndpoint(id);
  return { data: { ok: true } };
};
