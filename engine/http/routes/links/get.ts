import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { linkOf } from '../../render/link.ts';
import { readLink } from '../../resources/links/read-link.ts';

/** `links.get`: a node with its campaign, its code, and its public counters. */
export const get: Handler<'links.get'> = async ({ nodeId }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const { campaign, waiting, node } = await readLink(snapshot, nodeId);
    return {
      data: linkOf(deployment, campaign, waiting, node),
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
