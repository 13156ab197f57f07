import { isOwnKey, newestRequests, usageByHour } from '../../../db/commerce/api-key-usage.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';

const DAY_MS = 86_400_000;
/** Days that are answered if the request names no range. */
const DAYS = 30;

/** `apiKeys.usage`: requests of a key of the caller, as of a second ago. */
export const usage: Handler<'apiKeys.usage'> = async (input, deps, { account }) => {
  const { id, range, campaignIds } = input;
  if (!(await isOwnKey(deps.pool, account, id))) throw notFound(`You have no API key ${id}.`);
  const now = deps.clock();
  const period = {
    from: range === undefined ? new Date(now - DAYS * DAY_MS) : new Date(range.from),
    to: range === undefined ? new Date(now + DAY_MS) : new Date(range.to),
  };
  const [hours, requests] = await Promise.all([
    usageByHour(deps.pool, id, period, campaignIds),
    newestRequests(deps.pool, id, period, campaignIds),
  ]);
  return {
    data: {
      hourly: hours.map(({ at, ...hour }) => ({ ...hour, at: at.toISOString() })),
      requests: requests.map(({ at, ...request }) => ({ ...request, at: at.toISOString() })),
    },
  };
};
