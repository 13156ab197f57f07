import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { readLink } from '../../read-link.ts';
import { linkOf } from '../../render/link.ts';

/** `links.get`: a node with its campaign, its code, and its public counters. */
export const get: Handler<'links.get'> = async ({ nodeId }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const { campaign, node } = await readLink(snapshot, nodeId);
    return {
      data: linkOf(deployment, campaign, node),
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
