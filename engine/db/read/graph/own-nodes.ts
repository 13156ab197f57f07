import type { Address } from '../../../core/events.ts';
import { id, integer, rowCodec, type StoredRow, small, text, type View } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import { earnedLevels, earnerCampaigns } from '../earnings/earner-campaigns.ts';
import type { Snapshot } from '../snapshot.ts';
import { type GraphNodeView, graphNodeView, readGraphPage } from './graph-nodes.ts';
import { nodeView } from './nodes.ts';

/** A node of an account, with what only its owner may see. */
export interface OwnNodeView extends GraphNodeView {
  /** Number of settled sales below it of which it has a rewarded level. */
  readonly networkSales: number;
  readonly opens: number;
  /** Label that the owner gave it; `null` without one. */
  readonly label: string | null;
}

/** Cursor of a page of own nodes: its last node. */
export interface OwnNodeCursor {
  readonly nodeId: string;
  readonly campaignId: string;
}

interface OwnNodeQuery {
  readonly account: Address;
  readonly campaignId: string | undefined;
}

/** The nodes of an account, newest first: four statements. */
export async function ownNodes(
  snapshot: Snapshot,
  { account, campaignId }: OwnNodeQuery,
  { after, limit }: { readonly after: OwnNodeCursor | undefined; readonly limit: number },
): Promise<OwnNodeView[]> {
  const { sql, head } = snapshot;
  const page = sql`
    select first.*, row_number() over (order by first.node_id desc, first.campaign_id desc) as position,
      ${newestEvent(sql, head, sql`first.campaign_id`, sql`seq`)} as as_of
    from (
      select ${nodeView.columns(sql, 'node')} from ledger.node
      where node.owner = ${account} and node.block_number <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and node.campaign_id = ${campaignId}`}
        ${after ? sql`and (node.node_id, node.campaign_id) < (${after.nodeId}::bigint, ${after.campaignId}::bigint)` : sql``}
      order by node.node_id desc, node.campaign_id desc limit ${limit}
    ) first`;
  const nodes = (await readGraphPage(snapshot, page)).map(graphNodeView.decode);
  const [network, opens, labels] = await Promise.all([
    networkSales(snapshot, account, nodes),
    opensOf(snapshot, nodes),
    labelsOf(snapshot, account, nodes),
  ]);
  return nodes.map((node) => ({
    ...node,
    networkSales: network.get(keyOf(node)) ?? 0,
    opens: opens.get(keyOf(node)) ?? 0,
    label: labels.get(keyOf(node)) ?? null,
  }));
}

type NodeKey = Pick<GraphNodeView, 'campaignId' | 'nodeId'>;

const keyOf = ({ campaignId, nodeId }: NodeKey) => `${campaignId}/${nodeId}`;

/** `networkSales` of each node: one statement, which reads the account's levels in the campaigns once. */
async function networkSales(
  { sql, head }: Snapshot,
  account: Address,
  nodes: readonly NodeKey[],
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map();
  const campaignIds = [...new Set(nodes.map(({ campaignId }) => campaignId))];
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account, campaignIds })})
    select level.campaign_id, level.node_id, count(*) as number
    from (${earnedLevels(sql, { account, campaignIds })}) level
    ${joinBeforeChange(sql, sql`level.as_of`, sql`level`)}
    where level.level > 1 and level.node_id = any(${nodeIds}::bigint[])
      and ${saleState(sql, sql`level`)} = 'finalized'
    group by level.campaign_id, level.node_id`;
  return byNode(rows);
}

async function opensOf(
  { sql }: Snapshot,
  nodes: readonly NodeKey[],
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map();
  const campaignIds = nodes.map(({ campaignId }) => campaignId);
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  const rows = await sql<StoredRow[]>`
    select day.campaign_id, day.node_id, sum(day.opens) as number
    from unnest(${campaignIds}::bigint[], ${nodeIds}::bigint[]) as named (campaign_id, node_id)
    join commerce.referral_day day
      on day.campaign_id = named.campaign_id and day.node_id = named.node_id
    group by day.campaign_id, day.node_id`;
  return byNode(rows);
}

async function labelsOf(
  { sql }: Snapshot,
  account: Address,
  nodes: readonly NodeKey[],
): Promise<ReadonlyMap<string, string>> {
  if (nodes.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select named.campaign_id, named.node_id, known.label
    from unnest(
      ${nodes.map(({ campaignId }) => campaignId)}::bigint[],
      ${nodes.map(({ nodeId }) => nodeId)}::bigint[]
    ) as named (campaign_id, node_id)
    join commerce.link_label known on known.owner = ${account}
      and known.campaign_id = named.campaign_id and known.node_id = named.node_id`;
  return new Map(rows.map(labelOfNode.decode).map((one) => [keyOf(one), one.label]));
}

const labelOfNode = rowCodec({ campaignId: id, nodeId: id, label: text });

const numberOfNode = rowCodec({ campaignId: id, nodeId: id, number: integer });

function byNode(rows: readonly StoredRow[]): ReadonlyMap<string, number> {
  const numbers = rows.map(numberOfNode.decode);
  return new Map(numbers.map((one) => [keyOf(one), one.number]));
}

const ownGraphNode = rowCodec({
  ...graphNodeView.fields,
  /** 1 for an own node, 2 for one directly below it, and so on from the nearest own node above. */
  level: small,
});

/** A node of the caller's, or one below it. */
export type OwnGraphNode = View<typeof ownGraphNode>;

/** Cursor of a page of the own graph: its last node. */
export interface OwnGraphCursor {
  readonly level: number;
  readonly campaignId: string;
  readonly nodeId: string;
}

interface OwnGraphQuery extends OwnNodeQuery {
  /** Number of levels to read, including that of the own nodes. */
  readonly depthMax: number;
  readonly after: OwnGraphCursor | undefined;
  readonly limit: number;
}

/**
 * Own nodes and those below them, level by level: one statement. It goes down from each own node and
 * stops at the next own one, so that every node is returned once, with the nearest own node above it.
 */
export async function ownGraph(
  snapshot: Snapshot,
  { account, campaignId, depthMax, after, limit }: OwnGraphQuery,
): Promise<OwnGraphNode[]> {
  const { sql, head } = snapshot;
  const page = sql`
    with recursive below as (
      select ${nodeView.columns(sql, 'node')}, 1 as level from ledger.node
      where node.owner = ${account} and node.block_number <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and node.campaign_id = ${campaignId}`}
      union all
      select ${nodeView.columns(sql, 'node')}, below.level + 1 from below
      join ledger.node
        on node.campaign_id = below.campaign_id and node.parent_node_id = below.node_id
      where below.level < ${depthMax} and node.owner <> ${account}
        and node.block_number <= ${head.number}
    )
    select first.*, row_number() over (order by level, campaign_id, node_id) as position,
      ${newestEvent(sql, head, sql`first.campaign_id`, sql`seq`)} as as_of
    from (
      select * from below
      ${after ? sql`where (level, campaign_id, node_id) > (${after.level}::int, ${after.campaignId}::bigint, ${after.nodeId}::bigint)` : sql``}
      order by level, campaign_id, node_id limit ${limit}
    ) first`;
  return (await readGraphPage(snapshot, page)).map(ownGraphNode.decode);
}
