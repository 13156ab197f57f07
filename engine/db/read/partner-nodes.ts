import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { CampaignView } from './campaign-rows.ts';
import { type DistributorFigures, type FiguresRow, figuresOf } from './distributor-figures.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** Nodes that are told of one partner. */
const NODES_MOST = 100;

/** A node of a partner. */
export interface PartnerNode {
  readonly campaignId: string;
  readonly nodeId: string;
  /** `null` for a root. */
  readonly parentNodeId: string | null;
  readonly childCount: number;
}

/** The nodes of an account in the campaigns of a merchant, newest first, 100 at most. */
export async function partnerNodesOf(
  { sql, head }: Snapshot,
  { merchant, account }: { readonly merchant: Address; readonly account: Address },
): Promise<PartnerNode[]> {
  const rows = await sql<
    {
      campaign_id: string;
      node_id: string;
      parent_node_id: string | null;
      child_count: string;
    }[]
  >`
    select node.campaign_id, node.node_id, node.parent_node_id, children.child_count
    from ledger.node
    join ledger.campaign on campaign.campaign_id = node.campaign_id
    cross join lateral (
      select count(*) as child_count from ledger.node child
      where child.campaign_id = node.campaign_id and child.parent_node_id = node.node_id
        and child.block_number <= ${head.number}
    ) children
    where node.owner = ${account} and campaign.merchant = ${merchant}
      and node.block_number <= ${head.number}
    order by node.node_id desc limit ${NODES_MOST}`;
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    nodeId: row.node_id,
    parentNodeId: row.parent_node_id,
    childCount: toInteger(row.child_count),
  }));
}

/** The campaigns of a merchant in which an account has links. */
export async function sharedCampaigns(
  { sql, head }: Snapshot,
  { merchant, account }: { readonly merchant: Address; readonly account: Address },
): Promise<string[]> {
  const rows = await sql<{ campaign_id: string }[]>`
    select distinct node.campaign_id from ledger.node
    join ledger.campaign on campaign.campaign_id = node.campaign_id
    where node.owner = ${account} and campaign.merchant = ${merchant}
      and node.block_number <= ${head.number}`;
  return rows.map((row) => row.campaign_id);
}

/** What the ranking has of these accounts, by address (see `refreshRanking`). */
export async function rankedFigures(
  sql: Sql,
  accounts: readonly Address[],
): Promise<ReadonlyMap<Address, DistributorFigures>> {
  const rows = await sql<FiguresRow[]>`
    select * from commerce.distributor_ranking where address = any(${[...accounts]}::text[])`;
  return new Map(rows.map((row) => [row.address, figuresOf(row)]));
}

/** Which of these accounts the allow-list of a campaign has, at the settled block. */
export async function allowedAmong(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  accounts: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const rows = await sql<{ account: Address }[]>`
    select named.account from unnest(${[...accounts]}::text[]) named (account)
    cross join lateral (
      select allowed from ledger.permission
      where campaign_id = ${campaignId} and role = 'distributor' and account = named.account
        and seq <= ${seq}
      order by seq desc limit 1
    ) newest
    where newest.allowed`;
  return new Set(rows.map(({ account }) => account));
}
