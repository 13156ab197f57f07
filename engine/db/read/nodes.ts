import type { Address, Hex } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import { ledgerId, toInteger } from './ids.ts';
import { type AsOf, jsonRows } from './one-read.ts';
import type { TransactionPlace } from './policy-rows.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';

/** A node of the referral graph. */
export interface NodeView {
  readonly campaignId: string;
  readonly nodeId: string;
  /** `null` for a root. */
  readonly parentNodeId: string | null;
  readonly owner: Address;
  /** 1 for a root. */
  readonly depth: number;
  readonly join: TransactionPlace;
}

export interface NodeRow {
  campaign_id: string;
  node_id: string;
  parent_node_id: string | null;
  owner: Address;
  depth: number;
  block_number: string;
  block_timestamp: string;
  transaction_hash: Hex;
}

/**
 * A node by its id, which the contract gives once. Where a reorg is handing the id from one campaign
 * to another, the newer block has it, unless a campaign is named.
 * @returns `undefined` where there is none at the settled block.
 */
export async function getNode(
  { sql, head }: Snapshot,
  { nodeId, campaignId }: { readonly nodeId: string; readonly campaignId?: string },
): Promise<NodeView | undefined> {
  const id = ledgerId(nodeId);
  if (id === undefined) return undefined;
  const [row] = await sql<NodeRow[]>`${nodeById(sql, head, id, campaignId)}`;
  return row && nodeOf(row);
}

/** The select of `getNode`. @param id as `ledgerId` gives it. */
export function nodeById(sql: Sql, at: AsOf, id: string, campaignId?: string) {
  return sql`
    select ${nodeColumns(sql)} from ledger.node
    where node_id = ${id} and block_number <= ${at.number}
      ${campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`}
    order by block_number desc, campaign_id desc limit 1`;
}

/** A node and its ancestors, nearest first, `limit` at most: one statement, two probes a node. */
export async function readPath(
  sql: Sql,
  head: ReadHead,
  { campaignId, nodeId }: { readonly campaignId: string; readonly nodeId: string },
  limit: number,
): Promise<NodeView[]> {
  const rows = await sql<NodeRow[]>`${pathUp(sql, head, { campaignId, nodeId, limit })}`;
  return rows.map(nodeOf);
}

/** The select of `readPath`, for which the node may be columns of the statement that it stands in. */
export function pathUp(
  sql: Sql,
  at: AsOf,
  {
    campaignId,
    nodeId,
    limit,
  }: {
    readonly campaignId: string | Fragment;
    readonly nodeId: string | Fragment;
    readonly limit: number | Fragment;
  },
) {
  return sql`
    with recursive path as (
      select ${nodeColumns(sql)}, 1 as step from ledger.node
      where node.campaign_id = ${campaignId} and node.node_id = ${nodeId}
        and node.block_number <= ${at.number}
      union all
      select ${nodeColumns(sql)}, path.step + 1 from path
      join ledger.node on node.campaign_id = ${campaignId} and node.node_id = path.parent_node_id
      where path.step < ${limit}
    )
    select * from path order by step`;
}

/** The rows of `pathUp` as one JSON value. */
export function pathRows(sql: Sql, path: Fragment) {
  return jsonRows<NodeRow>(sql, path, nodeKinds, 'each.step');
}

const nodeKinds = {
  campaign_id: 'text',
  node_id: 'text',
  parent_node_id: 'text',
  owner: 'is',
  depth: 'is',
  block_number: 'text',
  block_timestamp: 'text',
  transaction_hash: 'is',
} as const;

export function nodeColumns(sql: Sql) {
  return sql`
    node.campaign_id, node.node_id, node.parent_node_id, node.owner, node.depth,
    node.block_number, node.block_timestamp, node.transaction_hash`;
}

export function nodeOf(row: NodeRow): NodeView {
  return {
    campaignId: row.campaign_id,
    nodeId: row.node_id,
    parentNodeId: row.parent_node_id,
    owner: row.owner,
    depth: row.depth,
    join: {
      hash: row.transaction_hash,
      blockNumber: toInteger(row.block_number),
      timestamp: toInteger(row.block_timestamp),
    },
  };
}
