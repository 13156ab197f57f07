import type { Policy } from '../../../core/campaign.ts';
import { getCampaign } from '../../../db/read/campaigns/get.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { waitingPoliciesOf } from '../../../db/read/campaigns/waiting-policies.ts';
import { type GraphNodeView, nodesById } from '../../../db/read/graph/graph-nodes.ts';
import { getNode } from '../../../db/read/graph/nodes.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';

/** Node with its counters, its campaign, and the policies that wait there. */
export interface LinkView {
  readonly campaign: CampaignView;
  /** Scheduled versions of its policy that are not in effect yet. */
  readonly waiting: readonly Policy[];
  readonly node: GraphNodeView;
}

/**
 * Reads a node with its campaign.
 * @throws {HttpError} NOT_FOUND if there is no node of that id at the settled block.
 */
export async function readLink(snapshot: Snapshot, nodeId: string): Promise<LinkView> {
  const found = await getNode(snapshot, { nodeId });
  const campaign = found && (await getCampaign(snapshot, found.campaignId));
  if (campaign === undefined) throw notFound(`There is no node ${nodeId}.`);
  const [[node], waiting] = await Promise.all([
    nodesById(snapshot, campaign, [nodeId]),
    waitingPoliciesOf(snapshot, campaign),
  ]);
  if (node === undefined) throw notFound(`There is no node ${nodeId}.`);
  return { campaign, waiting, node };
}
