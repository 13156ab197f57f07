import { randomBytes } from 'node:crypto';
import { countOpen, saltOfDay } from '../../../db/commerce/count-open.ts';
import { getNode } from '../../../db/read/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { visitorHash } from '../../visitor.ts';
import { namedBy } from './get.ts';

/**
 * `referrals.open`: counts that a link was opened. The caller's address becomes a hash under the
 * day's key here, and is neither stored nor logged (docs: migration 0003).
 */
export const open: Handler<'referrals.open'> = async (input, deps, { ip }) => {
  const { pool, deployment } = deps;
  const { code, nodeId } = namedBy(input.code);
  const { node, chain } = await readLedger(pool, async (snapshot) => {
    const found = await getNode(snapshot, { nodeId });
    if (found === undefined) throw new NotFoundError(`There is no node ${nodeId}.`);
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
