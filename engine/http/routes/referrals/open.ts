import { randomBytes } from 'node:crypto';
import { countOpen, saltOfDay } from '../../../db/commerce/count-open.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { namedBy, visitorHash } from '../../resources/referrals/referral.ts';

/**
 * `referrals.open`: counts that a link was opened. Only a hash of the caller's address under the day's key
 * is stored, and the address is not logged.
 */
export const open: Handler<'referrals.open'> = async (input, deps, { ip }) => {
  const { pool, deployment } = deps;
  const { code, nodeId } = namedBy(input.code);
  const { node, chain } = await readLedger(pool, async (snapshot) => {
    const found = await getNode(snapshot, { nodeId });
    if (found === undefined) throw notFound(`There is no node ${nodeId}.`);
    return {
      node: found,
      chain: chainMeta(deployment, snapshot.head, found.join.blockNumber, found.campaignId),
    };
  });
  const { campaignId } = node;
  const day = new Date(deps.clock()).toISOString().slice(0, 10);
  const key = await saltOfDay(pool, day, randomBytes(32));
  const visitor = visitorHash(key, `${campaignId}/${nodeId}`, ip);
  const counted = await countOpen(pool, { campaignId, nodeId, day, visitor });
  return { data: { code, nodeId, campaignId, counted }, chain };
};
