import type { Fragment, Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import { ledgerId } from '../../ids.ts';
import { integer, nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import { type NodeView, nodeView } from './nodes.ts';

/** Row codec of `GraphNodeView`. */
export const graphNodeView = rowCodec({
  ...nodeView.fields,
  /** The handle of its owner if that is public. */
  ownerHandle: nullable(text),
  childCount: integer,
  /** Sales that the node itself made; reversed ones count as finalized. */
  sales: { pending: integer, finalized: integer, refunded: integer },
});

/** A node with its public counters. */
export type GraphNodeView = View<typeof graphNodeView>;

/** A page of nodes; `more` is true if others follow. */
export interface GraphPage {
  readonly items: readonly GraphNodeView[];
  readonly more: boolean;
}

/** A campaign, and how many of its events are at or below the settled block. */
type CampaignAt = Pick<CampaignView, 'campaignId' | 'seq'>;

/** The existing nodes of a campaign among these ids, by id: one statement. */
export async function nodesById(
  snapshot: Snapshot,
  campaign: CampaignAt,
  nodeIds: readonly string[],
): Promise<readonly GraphNodeView[]> {
  const { sql, head } = snapshot;
  const ids = nodeIds.flatMap((id) => ledgerId(id) ?? []);
  const page = sql`
    select ${nodeView.columns(sql, 'node')}, row_number() over (order by node.node_id) as position,
      ${campaign.seq}::bigint as as_of
    from ledger.node
    where node.campaign_id = ${campaign.campaignId} and node.node_id = any(${ids}::bigint[])
      and node.block_number <= ${head.number}`;
  return (await readPage(snapshot, page, ids.length)).items;
}

/** Cursor of a page of a graph: its last node. */
export interface GraphCursor {
  readonly depth: number;
  readonly nodeId: string;
}

interface GraphQuery {
  /** The node to begin at; without one, all roots. */
  readonly root: Pick<NodeView, 'nodeId' | 'depth'> | undefined;
  /** Number of levels to read, including that of the root. */
  readonly depthMax: number;
  readonly after: GraphCursor | undefined;
  readonly limit: number;
}

/** Nodes of a campaign, or from one of its nodes down, by depth and id: one statement. */
export async function graphNodes(
  snapshot: Snapshot,
  campaign: CampaignAt,
  { root, depthMax, after, limit }: GraphQuery,
): Promise<GraphPage> {
  const { sql } = snapshot;
  const deepest = (root?.depth ?? 1) + depthMax - 1;
  const page = sql`
    select node.*, row_number() over (order by node.depth, node.node_id) as position,
      ${campaign.seq}::bigint as as_of
    from (${root ? nodesBelow(snapshot, campaign, root, deepest) : allNodes(snapshot, campaign)}) node
    where node.depth <= ${deepest}
      ${after ? sql`and (node.depth, node.node_id) > (${after.depth}::int, ${after.nodeId}::bigint)` : sql``}
    order by node.depth, node.node_id limit ${limit + 1}`;
  return await readPage(snapshot, page, limit);
}

function allNodes({ sql, head }: Snapshot, { campaignId }: CampaignAt) {
  return sql`
    select ${nodeView.columns(sql, 'node')} from ledger.node
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
      select ${nodeView.columns(sql, 'node')} from ledger.node
      where node.campaign_id = ${campaignId} and node.node_id = ${nodeId}
        and node.block_number <= ${head.number}
      union all
      select ${nodeView.columns(sql, 'node')} from below
      join ledger.node
        on node.campaign_id = ${campaignId} and node.parent_node_id = below.node_id
      where below.depth < ${deepest} and node.block_number <= ${head.number}
    )
    select * from below`;
}

/** Characters of an address. */
const ADDRESS_LENGTH = 42;

/** Cursor of a page of owners: its last node. */
export interface OwnerCursor {
  readonly owner: string;
  readonly nodeId: string;
}

/**
 * Nodes whose owner's address begins with a prefix, by address and id: one statement.
 * @param prefix 0x and lower-case hex digits.
 */
export async function nodesByOwner(
  snapshot: Snapshot,
  campaign: CampaignAt,
  { prefix, after, limit }: { prefix: string; after: OwnerCursor | undefined; limit: number },
): Promise<GraphPage> {
  const { sql, head } = snapshot;
  const owner = sql`node.owner`;
  const page = sql`
    select ${nodeView.columns(sql, 'node')}, row_number() over (order by ${owner}, node.node_id) as position,
      ${campaign.seq}::bigint as as_of
    from ledger.node
    where node.campaign_id = ${campaign.campaignId} and node.block_number <= ${head.number}
      and ${owner} >= ${prefix.padEnd(ADDRESS_LENGTH, '0')} and ${owner} <= ${prefix.padEnd(ADDRESS_LENGTH, 'f')}
      ${after ? sql`and (${owner}, node.node_id) > (${after.owner}, ${after.nodeId}::bigint)` : sql``}
    order by ${owner}, node.node_id limit ${limit + 1}`;
  return await readPage(snapshot, page, limit);
}

/**
 * Adds the counters of `graphNodeView` to a page of nodes. Its column `position` is the order, and `as_of`
 * how many events of the campaign are at or below the settled block.
 */
export async function readGraphPage(
  { sql, head }: Snapshot,
  page: Fragment,
): Promise<readonly StoredRow[]> {
  return await sql<StoredRow[]>`
    with page as materialized (${page})
    select page.*, distributor.handle as owner_handle, children.child_count, sold.*
    from page
    left join commerce.distributor
      on distributor.address = ${hexText(sql, sql`page.owner`)} and distributor.visibility = 'public'
    cross join lateral (
      select count(*) as child_count from ledger.node child
      where child.campaign_id = page.campaign_id and child.parent_node_id = page.node_id
        and child.block_number <= ${head.number}
    ) children
    cross join lateral (${salesOfNode(sql, head)}) sold
    order by page.position`;
}

async function readPage(snapshot: Snapshot, page: Fragment, limit: number): Promise<GraphPage> {
  const rows = await readGraphPage(snapshot, page);
  return { items: rows.slice(0, limit).map(graphNodeView.decode), more: rows.length > limit };
}

/** Counts the own sales of a node of `page` by their state as of the settled block. */
function salesOfNode(sql: Sql, head: ReadHead) {
  return sql`
    select count(*) filter (where state = 'pending') as pending,
      count(*) filter (where state in ('finalized', 'reversed')) as finalized,
      count(*) filter (where state = 'refunded') as refunded
    from (
      select ${saleState(sql)} as state from ledger.sale
      ${joinBeforeChange(sql, sql`page.as_of`)}
      where sale.campaign_id = page.campaign_id and sale.node_id = page.node_id
        and sale.block_number <= ${head.number}
    ) sale_as_of`;
}
