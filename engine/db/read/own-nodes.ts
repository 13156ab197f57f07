import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import {
  type GraphNodeRow,
  type GraphNodeView,
  graphNodeOf,
  readGraphPage,
} from './graph-nodes.ts';
import { toInteger } from './ids.ts';
import { nodeColumns } from './nodes.ts';
import { earnedLevels, earnerCampaigns } from './own-campaigns.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';

/** A node of an account, with what only its owner is told. */
export interface OwnNodeView extends GraphNodeView {
  /** Settled sales below it of which it has a rewarded level. */
  readonly networkSales: number;
  readonly opens: number;
}

/** Where a page of own nodes ended. */
export interface OwnNodePlace {
  readonly nodeId: string;
  readonly campaignId: string;
}

interface OwnNodeQuery {
  readonly account: Address;
  readonly campaignId: string | undefined;
}

type OwnNodeRow = GraphNodeRow & { as_of: string };

/** The nodes of an account, newest first: three statements. */
export async function ownNodes(
  snapshot: Snapshot,
  { account, campaignId }: OwnNodeQuery,
  { after, limit }: { readonly after: OwnNodePlace | undefined; readonly limit: number },
): Promise<OwnNodeView[]> {
  const { sql, head } = snapshot;
  const place = sql`node.node_id desc, node.campaign_id desc`;
  const page = sql`
    select first.*, row_number() over (order by first.node_id desc, first.campaign_id desc) as place,
      ${newestSeq(sql, head, sql`first.campaign_id`)} as as_of
    from (
      select ${nodeColumns(sql)} from ledger.node
      where node.owner = ${account} and node.block_number <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and node.campaign_id = ${campaignId}`}
        ${after ? sql`and (node.node_id, node.campaign_id) < (${after.nodeId}::bigint, ${after.campaignId}::bigint)` : sql``}
      order by ${place} limit ${limit}
    ) first`;
  const nodes = (await readGraphPage<OwnNodeRow>(snapshot, page)).map(graphNodeOf);
  const [network, opens] = await Promise.all([
    networkSales(snapshot, account, nodes),
    opensOf(snapshot, nodes),
  ]);
  return nodes.map((node) => ({
    ...node,
    networkSales: network.get(keyOf(node)) ?? 0,
    opens: opens.get(keyOf(node)) ?? 0,
  }));
}

/** How many events of a campaign are at or below the settled block. */
function newestSeq(sql: Sql, head: ReadHead, campaignId: ReturnType<Sql>) {
  return sql`(
    select journal.seq from ledger.journal
    where journal.campaign_id = ${campaignId} and journal.block_number <= ${head.number}
    order by journal.block_number desc, journal.seq desc limit 1
  )`;
}

type NodeKey = Pick<GraphNodeView, 'campaignId' | 'nodeId'>;

const keyOf = ({ campaignId, nodeId }: NodeKey) => `${campaignId}/${nodeId}`;

/** By node: one statement, which reads the account's levels in the campaigns once. */
async function networkSales(
  { sql, head }: Snapshot,
  account: Address,
  nodes: readonly NodeKey[],
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map();
  const campaignIds = [...new Set(nodes.map(({ campaignId }) => campaignId))];
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  const rows = await sql<{ campaign_id: string; node_id: string; sales: string }[]>`
    with own as materialized (${earnerCampaigns(sql, head, { account, campaignIds })})
    select level.campaign_id, level.node_id, count(*) as sales
    from (${earnedLevels(sql, { account, campaignIds })}) level
    left join lateral (
      select version.state from ledger.sale_version version
      where version.campaign_id = level.campaign_id and version.sale_id = level.sale_id
        and level.changed_seq > level.as_of and version.seq <= level.as_of
      order by version.seq desc limit 1
    ) past on true
    where level.level > 1 and level.node_id = any(${nodeIds}::bigint[])
      and coalesce(past.state, level.state) = 'finalized'
    group by level.campaign_id, level.node_id`;
  return new Map(
    rows.map((row) => [
      keyOf({ campaignId: row.campaign_id, nodeId: row.node_id }),
      toInteger(row.sales),
    ]),
  );
}

async function opensOf(
  { sql }: Snapshot,
  nodes: readonly NodeKey[],
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map();
  const campaignIds = nodes.map(({ campaignId }) => campaignId);
  const nodeIds = nodes.map(({ nodeId }) => nodeId);
  const rows = await sql<{ campaign_id: string; node_id: string; opens: string }[]>`
    select day.campaign_id, day.node_id, sum(day.opens) as opens
    from unnest(${campaignIds}::bigint[], ${nodeIds}::bigint[]) as named (campaign_id, node_id)
    join commerce.referral_day day
      on day.campaign_id = named.campaign_id and day.node_id = named.node_id
    group by day.campaign_id, day.node_id`;
  return new Map(
    rows.map((row) => [
      keyOf({ campaignId: row.campaign_id, nodeId: row.node_id }),
      toInteger(row.opens),
    ]),
  );
}

/** A node of the caller's, or one below it. */
export interface OwnGraphNode extends GraphNodeView {
  /** 1 for an own node, and so on from the nearest own one above. */
  readonly level: number;
}

/** Where a page of the own graph ended. */
export interface OwnGraphPlace {
  readonly level: number;
  readonly campaignId: string;
  readonly nodeId: string;
}

interface OwnGraphQuery extends OwnNodeQuery {
  /** Levels to read, that of the own nodes included. */
  readonly depthMax: number;
  readonly after: OwnGraphPlace | undefined;
  readonly limit: number;
}

/**
 * Own nodes and those below them, level by level: one statement. It goes down from each own node and
 * stops at the next, so that every node comes once, by the nearest own one above it.
 */
export async function ownGraph(
  snapshot: Snapshot,
  { account, campaignId, depthMax, after, limit }: OwnGraphQuery,
): Promise<OwnGraphNode[]> {
  const { sql, head } = snapshot;
  const page = sql`
    with recursive below as (
      select ${nodeColumns(sql)}, 1 as level from ledger.node
      where node.owner = ${account} and node.block_number <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and node.campaign_id = ${campaignId}`}
      union all
      select ${nodeColumns(sql)}, below.level + 1 from below
      join ledger.node
        on node.campaign_id = below.campaign_id and node.parent_node_id = below.node_id
      where below.level < ${depthMax} and node.owner <> ${account}
        and node.block_number <= ${head.number}
    )
    select first.*, row_number() over (order by level, campaign_id, node_id) as place,
      ${newestSeq(sql, head, sql`first.campaign_id`)} as as_of
    from (
      select * from below
      ${after ? sql`where (level, campaign_id, node_id) > (${after.level}::int, ${after.campaignId}::bigint, ${after.nodeId}::bigint)` : sql``}
      order by level, campaign_id, node_id limit ${limit}
    ) first`;
  const rows = await readGraphPage<OwnNodeRow & { level: number }>(snapshot, page);
  return rows.map((row) => ({ ...graphNodeOf(row), level: row.level }));
}
