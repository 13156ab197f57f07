import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { id, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { nodeRow } from '../../rows/account.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import { type DistributorTotals, distributorTotalsRow } from '../distributors/totals.ts';
import type { Snapshot } from '../snapshot.ts';

/** Maximum number of nodes of one partner in a response. */
const MAX_NODES = 100;

const partnerNode = rowCodec({
  campaignId: id,
  nodeId: id,
  /** `null` for a root. */
  parentNodeId: nodeRow.fields.parentNodeId,
  childCount: integer,
});

/** A node of a partner. */
export type PartnerNode = View<typeof partnerNode>;

/** The nodes of an account in the campaigns of a merchant, newest first, 100 at most. */
export async function partnerNodesOf(
  { sql, head }: Snapshot,
  { merchant, account }: { readonly merchant: Address; readonly account: Address },
): Promise<PartnerNode[]> {
  const rows = await sql<StoredRow[]>`
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
    order by node.node_id desc limit ${MAX_NODES}`;
  return rows.map(partnerNode.decode);
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

/** The stored ranking of these accounts, by address (see `refreshRanking`). */
export async function rankedTotals(
  sql: Sql,
  accounts: readonly Address[],
): Promise<ReadonlyMap<Address, DistributorTotals>> {
  const rows = await sql<StoredRow[]>`
    select * from commerce.distributor_ranking where address = any(${[...accounts]}::text[])`;
  return new Map(rows.map(distributorTotalsRow.decode).map((one) => [one.address, one]));
}

/** The accounts among these that are on the allow-list of a campaign, at the settled block. */
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
