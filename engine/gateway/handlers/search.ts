import { registry } from '../../contract/registry.ts';
import { Attendance, askAll, inTurns } from '../across.ts';
import type { GatewayHandler } from '../handler.ts';

/** Results of each type if the request names no limit, as at a deployment. */
const DEFAULT_LIMIT = 5;

/** `search.find`: results of all deployments in turns, each with its deployment. */
export const search: GatewayHandler<'search'> = async (input, request) => {
  const attendance = new Attendance();
  const found = await askAll(request, attendance, registry.search.find, input);
  const { limit = DEFAULT_LIMIT } = input;
  const counts = new Map<string, number>();
  const items = inTurns(
    found.map(({ deployment, data }) => data.items.map((item) => ({ ...item, deployment }))),
  ).filter(({ type }) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return count <= limit;
  });
  return { data: { items }, deployments: attendance.summary() };
};
