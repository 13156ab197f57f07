import type { Sql } from '../connection.ts';
import type { CampaignView } from './campaign-rows.ts';
import { ledgerId, toInteger } from './ids.ts';
import { type NodeRow, type NodeView, nodeColumns, nodeOf } from './nodes.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';

/** A node with its public counters. */
export interface GraphNodeView extends NodeView {
  /** Of the owner, where it is public. */
  readonly ownerHandle: string | null;
  readonly childCount: number;
  /** Sales that the node itself made; reversed ones count as finalized. */
  readonly sales: {
    readonly pending: number;
    readonly finalized: number;
    readonly refunded: number;
  };
}

/** A page of nodes; `more` where others follow. */
export interface GraphPage {
  readonly items: readonly GraphNodeView[];
  readonly more: boolean;
}

/** Which campaign, and how many of its events are at or below the settled block. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

export interface GraphNodeRow extends NodeRow {
  owner_handle: string | null;
  child_count: string;
  pending: string;
  finalized: string;
  refunded: string;
}

/** Those nodes of a campaign that there are, by id: one statement. */
export async function nodesById(
  snapshot: Snapshot,
  campaign: CampaignAt,
  nodeIds: readonly string[],
): Promise<readonly GraphNodeView[]> {
  const { sql, head } = snapshot;
  const ids = nodeIds.flatMap((id) => ledgerId(id) ?? []);
  const page = sql`
    select ${nodeColumns(sql)}, row_number() over (order by node.node_id) as place,
      ${campaign.seq}::bigint as as_of
    from ledger.node
    where node.campaign_id = ${campaign.campaignId} and node.node_id = any(${ids}::bigint[])
      and node.block_number <= ${head.number}`;
  return (await readPage(snapshot, page, ids.length)).items;
}

/** Where a page of a graph ended. */
export interface GraphPlace {
  readonly depth: number;
  readonly nodeId: string;
}

interface GraphQuery {
  /** The node to begin at; without one, all roots. */
  readonly root: Pick<NodeView, 'nodeId' | 'depth'> | undefined;
  /** Levels to read, that of the root included. */
  readonly depthMax: number;
  readonly after: GraphPlace | undefined;
  readonly limit: number;
}

/** Nodes of a campaign or below one of its nodes, by depth and id: one statement. */
export async function graphNodes(
  snapshot: Snapshot,
  campaign: CampaignAt,
  { root, depthMax, after, limit }: GraphQuery,
): Promise<GraphPage> {
  const { sql } = snapshot;
  const deepest = (root?.depth ?? 1) + depthMax - 1;
  const page = sql`
    select node.*, row_number() over (order by node.depth, node.node_id) as place,
      ${campaign.seq}::bigint as as_of
    from (${root ? nodesBelow(snapshot, campaign, root, deepest) : allNodes(snapshot, campaign)}) node
    where node.depth <= ${deepest}
      ${after ? sql`and (node.depth, node.node_id) > (${after.depth}::int, ${after.nodeId}::bigint)` : sql``}
    order by node.depth, node.node_id limit ${limit + 1}`;
  return await readPage(snapshot, page, limit);
}

function allNodes({ sql, head }: Snapshot, { campaignId }: CampaignAt) {
  return sql`
    select ${nodeColumns(sql)} from ledger.node
    where node.campaign_id = ${campaignId} and node.block_number <= ${head.number}`;
}

/** A node and all below it, down to a depth: two probes for each node that has children. */
function nodesBelow(
  { sql, head }: Snapshot,
  { campaignId }: CampaignAt,
  { nodeId }: Pick<NodeView, 'nodeId'>,
  deepest: number,
) {
  return sql`
    with recursive below as (
      select ${nodeColumns(sql)} from ledger.node
      where node.campaign_id = ${campaignId} and node.node_id = ${nodeId}
        and node.block_number <= ${head.number}
      union all
      select ${nodeColumns(sql)} from below
      join ledger.node
        on node.campaign_id = ${campaignId} and node.parent_node_id = below.node_id
      where below.depth < ${deepest} and node.block_number <= ${head.number}
    )
    select * from below`;
}

/** Where a page of owners ended. */
export interface OwnerPlace {
  readonly owner: string;
  readonly nodeId: string;
}

/**
 * Nodes whose owner's address begins so, by address and id: one statement.
 * @param prefix 0x and lower-case hex digits.
 */
export async function nodesByOwner(
  snapshot: Snapshot,
  campaign: CampaignAt,
  { prefix, after, limit }: { prefix: string; after: OwnerPlace | undefined; limit: number },
): Promise<GraphPage> {
  const { sql, head } = snapshot;
  const owner = sql`node.owner collate "C"`;
  const page = sql`
    select ${nodeColumns(sql)}, row_number() over (order by ${owner}, node.node_id) as place,
      ${campaign.seq}::bigint as as_of
    from ledger.node
    where node.campaign_id = ${campaign.campaignId} and node.block_number <= ${head.number}
      and ${owner} >= ${prefix} and ${owner} < ${`${prefix}g`}
      ${after ? sql`and (${owner}, node.node_id) > (${after.owner}, ${after.nodeId}::bigint)` : sql``}
    order by ${owner}, node.node_id limit ${limit + 1}`;
  return await readPage(snapshot, page, limit);
}

/**
 * Adds the counters to a page of nodes, whose `place` gives the order, and `as_of` how many events of
 * their campaign are at or below the settled block.
 */
export async function readGraphPage<R extends GraphNodeRow = GraphNodeRow>(
  { sql, head }: Snapshot,
  page: ReturnType<typeof nodeColumns>,
): Promise<R[]> {
  return await sql<R[]>`
    with page as materialized (${page})
    select page.*, distributor.handle as owner_handle, children.child_count, sold.*
    from page
    left join commerce.distributor
      on distributor.address = page.owner and distributor.visibility = 'public'
    cross join lateral (
      select count(*) as child_count from ledger.node child
      where child.campaign_id = page.campaign_id and child.parent_node_id = page.node_id
        and child.block_number <= ${head.number}
    ) children
    cross join lateral (${salesOfNode(sql, head)}) sold
    order by page.place`;
}

async function readPage(
  snapshot: Snapshot,
  page: ReturnType<typeof nodeColumns>,
  limit: number,
): Promise<GraphPage> {
  const rows = await readGraphPage(snapshot, page);
  return { items: rows.slice(0, limit).map(graphNodeOf), more: rows.length > limit };
}

/** How a node's own sales stand. A row holds the newest state; `past` is the one at that event. */
function salesOfNode(sql: Sql, head: ReadHead) {
  return sql`
    select count(*) filter (where state = 'pending') as pending,
      count(*) filter (where state in ('finalized', 'reversed')) as finalized,
      count(*) filter (where state = 'refunded') as refunded
    from (
      select coalesce(past.state, sale.state) as state from ledger.sale
      left join lateral (
        select version.state from ledger.sale_version version
        where version.campaign_id = page.campaign_id and version.sale_id = sale.sale_id
          and sale.changed_seq > page.as_of and version.seq <= page.as_of
        order by version.seq desc limit 1
      ) past on true
      where sale.campaign_id = page.campaign_id and sale.node_id = page.node_id
        and sale.block_number <= ${head.number}
    ) standing`;
}

export function graphNodeOf(row: GraphNodeRow): GraphNodeView {
  return {
    ...nodeOf(row),
    ownerHandle: row.owner_handle,
    childCount: toInteger(row.child_count),
    sales: {
      pending: toInteger(row.pending),
      finalized: toInteger(row.finalized),
      refunded: toInteger(row.refunded),
    },
  };
}
