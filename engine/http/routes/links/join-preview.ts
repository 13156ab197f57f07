import { zeroAddress } from 'viem';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { type GraphNodeView, nodesById } from '../../../db/read/graph-nodes.ts';
import { joinerOf } from '../../../db/read/joining.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { linkCampaign, linkOf } from '../../render/link.ts';
import { exampleLevels, joinDescription, joinRefusals, nodesLeft } from '../../render/own-link.ts';
import { commerceCall, unsignedTransaction } from '../../transactions/unsigned.ts';

/** `links.joinPreview`: what joining would give the caller, with the transaction to sign. */
export const joinPreview: Handler<'links.joinPreview'> = async (input, deps, { session }) => {
  const { deployment } = deps;
  const account = session.address;
  const { campaign, parent, joiner, chain } = await readLedger(deps.pool, async (snapshot) => {
    const campaign = await getCampaign(snapshot, input.campaignId);
    if (campaign === undefined)
      throw new NotFoundError(`There is no campaign ${input.campaignId}.`);
    const [parent, joiner] = await Promise.all([
      parentOf(snapshot, campaign, input.parentNodeId),
      joinerOf(snapshot, campaign, account),
    ]);
    const chain = chainMeta(deployment, snapshot.head, campaign.newestBlock);
    return { campaign, parent, joiner, chain };
  });
  const { campaignId } = campaign;
  const depth = (parent?.depth ?? 0) + 1;
  const reasons = joinRefusals(campaign, joiner);
  const join = commerceCall(deployment, {
    functionName: 'join',
    args: [
      BigInt(campaignId),
      campaign.termsHash,
      BigInt(parent?.nodeId ?? 0),
      parent?.owner ?? zeroAddress,
    ],
    description: joinDescription(campaignId, parent?.nodeId ?? null),
  });
  return {
    data: {
      campaign: linkCampaign(deployment, campaign),
      parent: parent && linkOf(deployment, campaign, parent),
      depth,
      eligible: reasons.length === 0,
      reasons,
      ownNodes: [...joiner.ownNodes],
      nodesLeft: nodesLeft(campaign),
      levels: exampleLevels(campaign, depth),
      // The chain is asked after the snapshot, which holds a connection, is let go.
      transaction: reasons.length === 0 ? await unsignedTransaction(deps, account, join) : null,
    },
    chain,
  };
};

/** The node to join under, where one is asked for. */
async function parentOf(
  snapshot: Snapshot,
  campaign: CampaignView,
  nodeId: string | undefined,
): Promise<GraphNodeView | null> {
  if (nodeId === undefined) return null;
  const [parent] = await nodesById(snapshot, campaign, [nodeId]);
  if (parent !== undefined) return parent;
  throw new NotFoundError(`There is no node ${nodeId} in campaign ${campaign.campaignId}.`);
}
