import { getCampaign } from '../../../db/read/campaigns/get.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type GraphNodeView, nodesById } from '../../../db/read/graph/graph-nodes.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';

/** Node with its counters and its campaign. */
export interface LinkView {
  readonly campaign: CampaignView;
  readonly node: GraphNodeView;
}

/**
 * Reads a node with its campaign.
 * @throws {HttpError} NOT_FOUND if there is no node of that id at the settled block.
 */
export async function readLink(snapshot: Snapshot, nodeId: string): Promise<LinkView> {
  const found = await getNode(snapshot, { nodeId });
  const campaign = found && (await getCampaign(snapshot, found.campaignId));
  const [node] = campaign ? await nodesById(snapshot, campaign, [nodeId]) : [];
  if (campaign === undefined || node === undefined) {
    throw notFound(`There is no node ${nodeId}.`);
  }
  return { campaign, node };
}
