import type { ChainMeta } from '../../../contract/envelope.ts';
import type { Policy } from '../../../core/campaign.ts';
import type { Address } from '../../../core/events.ts';
import {
  type Account,
  emptyCampaign,
  type FoldState,
  type Node,
  type Sale,
} from '../../../core/fold/index.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { waitingPoliciesOf } from '../../../db/read/campaigns/waiting-policies.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { chainMeta } from '../../handler-types.ts';
import { requireOwnCampaign } from '../campaigns/find-campaign.ts';

/** A campaign of the caller at the settled block, as the fold sees it. */
export interface OwnState {
  readonly campaign: CampaignView;
  /** With the nodes, sales and accounts that an operation is about, and no others. */
  readonly state: FoldState;
  /** Unix seconds of the settled block. */
  readonly clock: number;
  readonly chain: ChainMeta;
}

/**
 * Reads a campaign of the caller, for a change of the campaign as a whole.
 * @throws {HttpError} NOT_FOUND or FORBIDDEN, as `requireOwnCampaign` does.
 */
export async function readOwnState(
  deps: AppDeps,
  campaignId: string,
  merchant: Address,
): Promise<OwnState> {
  return await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, campaignId, merchant);
    return await ownStateIn(deps, snapshot, campaign);
  });
}

/** The parts of a campaign that an operation changes. */
interface Parts {
  readonly nodes?: readonly Node[];
  readonly sales?: readonly Sale[];
  readonly accounts?: ReadonlyMap<Address, Account>;
}

/** A campaign that was read as the fold sees it, with its waiting policies and these parts. */
export async function ownStateIn(
  { deployment }: Pick<AppDeps, 'deployment'>,
  snapshot: Snapshot,
  campaign: CampaignView,
  parts: Parts = {},
): Promise<OwnState> {
  const waiting = await waitingPoliciesOf(snapshot, campaign);
  const { timestamp: clock } = snapshot.head;
  return {
    campaign,
    state: foldStateOf(campaign, [campaign.policy, ...waiting], clock, parts),
    clock,
    chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
  };
}

function foldStateOf(
  campaign: CampaignView,
  policies: readonly Policy[],
  clock: number,
  { nodes = [], sales = [], accounts = new Map() }: Parts,
): FoldState {
  const { campaignId, seq, snapshot } = campaign;
  return {
    ...emptyCampaign(campaignId),
    seq,
    campaign,
    snapshot,
    clock,
    policies,
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
    sales: new Map(sales.map((sale) => [sale.saleId, sale])),
    accounts,
  };
}
