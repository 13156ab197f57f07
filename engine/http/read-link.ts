import type { CampaignView } from '../db/read/campaign-rows.ts';
import { getCampaign } from '../db/read/get-campaign.ts';
import { type GraphNodeView, nodesById } from '../db/read/graph-nodes.ts';
import { getNode } from '../db/read/nodes.ts';
import type { Snapshot } from '../db/read/snapshot.ts';
import { NotFoundError } from './errors.ts';

/** A node with its counters and its campaign. */
export interface LinkView {
  readonly campaign: CampaignView;
  readonly node: GraphNodeView;
}

/** @throws {NotFoundError} where there is none of that id at the settled block. */
export async function readLink(snapshot: Snapshot, nodeId: string): Promise<LinkView> {
  const found = await getNode(snapshot, { nodeId });
  const campaign = found && (await getCampaign(snapshot, found.campaignId));
  const [node] = campaign ? await nodesById(snapshot, campaign, [nodeId]) : [];
  if (campaign === undefined || node === undefined) {
    throw new NotFoundError(`There is no node ${nodeId}.`);
  }
  return { campaign, node };
}
