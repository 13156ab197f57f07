import { replayDeliveries } from '../../../db/commerce/webhook-endpoints.ts';
import type { Handler } from '../../handler-types.ts';
import { requireEndpoint } from '../../resources/webhooks/own-endpoint.ts';

/** `webhooks.replayRange`: sends the events of a period again, oldest first. */
export const replayRange: Handler<'webhooks.replayRange'> = async (input, deps, { merchant }) => {
  const { id, range, onlyFailed = true } = input;
  const now = new Date(deps.clock());
  const which = { from: new Date(range.from), to: new Date(range.to), onlyFailed };
  const made = await deps.pool.begin(async (sql) => {
    await requireEndpoint(sql, merchant, id);
    return await replayDeliveries(sql, id, which, now);
  });
  return { data: { replayed: made.length } };
};
