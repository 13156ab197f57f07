import type { Fragment, Sql } from '../../connection.ts';
import { ledgerId } from '../../ids.ts';
import { id, rowCodec, type StoredRow, type View } from '../../row.ts';
import { nodeRow } from '../../rows/account.ts';
import { transactionRow } from '../../rows/event.ts';
import { type AsOf, jsonRows } from '../one-read.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';

/** Row codec of `NodeView`. */
export const nodeView = rowCodec({
  campaignId: id,
  ...nodeRow.fields,
  join: transactionRow.fields,
});

/** A node of the referral graph, and the transaction by which it joined: columns of `ledger.node`. */
export type NodeView = View<typeof nodeView>;

/**
 * A node by its id, which the contract assigns once. While a reorg moves the id from one campaign to
 * another, the node of the newer block has it, unless a campaign is given.
 * @returns `undefined` if there is none at the settled block.
 */
export async function getNode(
  { sql, head }: Snapshot,
  { nodeId, campaignId }: { readonly nodeId: string; readonly campaignId?: string },
): Promise<NodeView | undefined> {
  const id = ledgerId(nodeId);
  if (id === undefined) return undefined;
  const [row] = await sql<StoredRow[]>`${nodeById(sql, head, id, campaignId)}`;
  return row && nodeView.decode(row);
}

/** The select of `getNode`. @param id as `ledgerId` returns it. */
export function nodeById(sql: Sql, at: AsOf, id: string | Fragment, campaignId?: string) {
  return sql`
    select ${nodeView.columns(sql, 'node')} from ledger.node
    where node_id = ${id} and block_number <= ${at.number}
      ${campaignId === undefined ? sql`` : sql`and campaign_id = ${campaignId}`}
    order by block_number desc, campaign_id desc limit 1`;
}

/** A node and its ancestors, nearest first, at most `limit`: one statement, two probes a node. */
export async function readPath(
  sql: Sql,
  head: ReadHead,
  { campaignId, nodeId }: { readonly campaignId: string; readonly nodeId: string },
  limit: number,
): Promise<NodeView[]> {
  const rows = await sql<StoredRow[]>`${pathUp(sql, head, { campaignId, nodeId, limit })}`;
  return rows.map(nodeView.decode);
}

/** The select of `readPath`, for a node that can be columns of the statement around. */
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
      select ${nodeView.columns(sql, 'node')}, 1 as step from ledger.node
      where node.campaign_id = ${campaignId} and node.node_id = ${nodeId}
        and node.block_number <= ${at.number}
      union all
      select ${nodeView.columns(sql, 'node')}, path.step + 1 from path
      join ledger.node on node.campaign_id = ${campaignId} and node.node_id = path.parent_node_id
      where path.step < ${limit}
    )
    select * from path order by step`;
}

/** The rows of `pathUp` as one JSON value. */
export function pathRows(sql: Sql, path: Fragment) {
  return jsonRows(sql, path, nodeView, 'each.step');
}
