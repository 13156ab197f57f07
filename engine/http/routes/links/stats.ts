import { linkDays } from '../../../db/read/graph/link-days.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { HttpError, notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { linkSeries } from '../../render/own-link.ts';

const DAY_MS = 86_400_000;
/** Days of the series if the request names no range. */
const DAYS = 30;

/** `links.stats`: metrics of one of the caller's links for each day in UTC. */
export const stats: Handler<'links.stats'> = async ({ nodeId, range }, deps, { account }) =>
  await readLedger(deps.pool, async (snapshot) => {
    const { head } = snapshot;
    const node = await getNode(snapshot, { nodeId });
    if (node === undefined) throw notFound(`There is no node ${nodeId}.`);
    if (node.owner !== account) {
      throw new HttpError(
        'FORBIDDEN',
        `Node ${nodeId} belongs to another account: only its owner sees this.`,
      );
    }
    const days = range ? daysOf(range) : lastDays(head.timestamp);
    return {
      data: {
        nodeId: node.nodeId,
        campaignId: node.campaignId,
        ...linkSeries(await linkDays(snapshot, node, days), days),
        asOfBlock: String(head.number),
      },
      chain: chainMeta(deps.deployment, head),
    };
  });

/** Whole days that a range touches, counted from 1 January 1970. */
function daysOf({ from, to }: { readonly from: string; readonly to: string }) {
  return {
    from: Math.floor(Date.parse(from) / DAY_MS),
    to: Math.ceil(Date.parse(to) / DAY_MS),
  };
}

/** @param clock unix seconds. */
function lastDays(clock: number) {
  const to = Math.floor((clock * 1_000) / DAY_MS) + 1;
  return { from: to - DAYS, to };
}
