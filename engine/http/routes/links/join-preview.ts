import { zeroAddress } from 'viem';
import { nextPolicyOf } from '../../../core/campaign.ts';
import { risksOf } from '../../../core/risks.ts';
import { joinerOf } from '../../../db/read/campaigns/joining.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { waitingPoliciesOf } from '../../../db/read/campaigns/waiting-policies.ts';
import { type GraphNodeView, nodesById } from '../../../db/read/graph/graph-nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { linkCampaign, linkOf } from '../../render/link.ts';
import {
  exampleLevels,
  joinDescription,
  joinRefusalsOf,
  nodesLeft,
} from '../../render/own-link.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/** `links.joinPreview`: effect of joining for the caller, with the transaction to sign. */
export const joinPreview: Handler<'links.joinPreview'> = async (input, deps, { account }) => {
  const { deployment } = deps;
  const { campaign, parent, joiner, waiting, chain } = await readLedger(
    deps.pool,
    async (snapshot) => {
      const campaign = await requireCampaign(snapshot, input.campaignId);
      const [parent, joiner, waiting] = await Promise.all([
        parentOf(snapshot, campaign, input.parentNodeId),
        joinerOf(snapshot, campaign, account),
        waitingPoliciesOf(snapshot, campaign),
      ]);
      const chain = chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId);
      return { campaign, parent, joiner, waiting, chain };
    },
  );
  const { campaignId } = campaign;
  const depth = (parent?.depth ?? 0) + 1;
  const reasons = joinRefusalsOf(campaign, joiner);
  const next = nextPolicyOf(waiting);
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
      campaign: linkCampaign(deployment, campaign, waiting),
      parent: parent && linkOf(deployment, campaign, waiting, parent),
      depth,
      eligible: reasons.length === 0,
      reasons,
      ownNodes: [...joiner.ownNodes],
      nodesLeft: nodesLeft(campaign),
      levels: exampleLevels(campaign, campaign.policy, depth),
      risks: risksOf(campaign),
      nextLevels: next ? exampleLevels(campaign, next, depth) : null,
      // The chain is called after the snapshot, which holds a connection, was released.
      transaction: reasons.length === 0 ? await unsignedTransaction(deps, account, join) : null,
    },
    chain,
  };
};

/** Node to join under, if the request names one. */
async function parentOf(
  snapshot: Snapshot,
  campaign: CampaignView,
  nodeId: string | undefined,
): Promise<GraphNodeView | null> {
  if (nodeId === undefined) return null;
  const [parent] = await nodesById(snapshot, campaign, [nodeId]);
  if (parent !== undefined) return parent;
  throw notFound(`There is no node ${nodeId} in campaign ${campaign.campaignId}.`);
}
