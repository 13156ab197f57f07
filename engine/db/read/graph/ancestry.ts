import { probeId } from '../../ids.ts';
import { as, rowCodec, type StoredRow, type View } from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import { joinCampaignState, joinPolicy } from '../as-of/campaign.ts';
import type { OneRead } from '../one-read.ts';
import { type NodeView, nodeById, nodeView, pathRows, pathUp } from './nodes.ts';

const ancestry = rowCodec({
  first: nodeView.fields,
  policy: {
    maxRewardedAncestors: policyRow.fields.maxRewardedAncestors,
    weightsBps: policyRow.fields.weightsBps,
  },
  path: as<readonly StoredRow[]>(),
});

/** A node, what its campaign rewards now, and a part of its path to the root, nearest node first. */
export interface Ancestry extends Omit<View<typeof ancestry>, 'path'> {
  readonly path: readonly NodeView[];
}

/** A part of the path from a node to its root. */
export interface AncestryQuery {
  readonly nodeId: string;
  /** The node of its path at which the part begins; if left out, the node itself. */
  readonly from: string | undefined;
  /** Maximum number of nodes of the part. */
  readonly limit: number;
}

/**
 * Reads the node that `getNode` finds, with its path: one statement, two probes a node.
 * `undefined` if there is none at the settled block.
 */
export function ancestryOf({
  nodeId,
  from,
  limit,
}: AncestryQuery): OneRead<StoredRow, Ancestry | undefined> {
  return {
    select: (sql, at) => sql`
      select first.*, policy.max_rewarded_ancestors, policy.weights_bps,
        ${pathRows(
          sql,
          pathUp(sql, at, {
            campaignId: sql`first.campaign_id`,
            nodeId: from === undefined ? sql`first.node_id` : sql`${from}::bigint`,
            limit,
          }),
        )} as path
      from (${nodeById(sql, at, probeId(nodeId))}) first
      join ledger.campaign campaign on campaign.campaign_id = first.campaign_id
      ${joinCampaignState(sql, at, sql`seq`)} ${joinPolicy(sql, at)}`,
    answer: ([row]) => {
      if (row === undefined) return undefined;
      const found = ancestry.decode(row);
      return { ...found, path: found.path.map(nodeView.decode) };
    },
  };
}
