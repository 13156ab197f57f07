import type { Sql } from '../../connection.ts';
import { probeId } from '../../ids.ts';
import { as, rowCodec, type StoredRow, type View } from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import type { NamedFragments } from '../../sql.ts';
import { joinCampaignState, joinPolicy } from '../as-of/campaign.ts';
import type { AsOf, OneRead } from '../one-read.ts';
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

type Value = 'nodeId' | 'from' | 'limit';

/**
 * Reads the node that `getNode` finds, with its path: one statement, two probes a node.
 * `undefined` if there is none at the settled block.
 */
export function ancestryOf({
  nodeId,
  from,
  limit,
}: AncestryQuery): OneRead<StoredRow, Ancestry | undefined, Value> {
  return {
    select,
    values: { nodeId: probeId(nodeId), from: from ?? null, limit },
    answer: ([row]) => {
      if (row === undefined) return undefined;
      const found = ancestry.decode(row);
      return { ...found, path: found.path.map(nodeView.decode) };
    },
  };
}

function select(sql: Sql, at: AsOf, { nodeId, from, limit }: NamedFragments<Value>) {
  const path = pathUp(sql, at, {
    campaignId: sql`first.campaign_id`,
    nodeId: sql`coalesce(${from}::bigint, first.node_id)`,
    limit,
  });
  return sql`
    select first.*, policy.max_rewarded_ancestors, policy.weights_bps, ${pathRows(sql, path)} as path
    from (${nodeById(sql, at, nodeId)}) first
    join ledger.campaign campaign on campaign.campaign_id = first.campaign_id
    ${joinCampaignState(sql, at, sql`seq`)} ${joinPolicy(sql, at)}`;
}
