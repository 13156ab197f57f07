import type { SplitPolicy } from '../../core/split.ts';
import { probeId } from './ids.ts';
import { type NodeRow, type NodeView, nodeById, nodeOf, pathRows, pathUp } from './nodes.ts';
import type { OneRead } from './one-read.ts';
import { joinPolicy } from './policy-rows.ts';
import { joinStanding } from './standing.ts';

/** A node, what its campaign rewards at the time, and a stretch of its way up. */
export interface Ancestry {
  readonly first: NodeView;
  readonly policy: Pick<SplitPolicy, 'maxRewardedAncestors' | 'weightsBps'>;
  /** Nearest first. */
  readonly path: readonly NodeView[];
}

export interface AncestryQuery {
  readonly nodeId: string;
  /** The node of its path at which the stretch begins; left out, the node itself. */
  readonly from: string | undefined;
  /** Nodes of the stretch at most. */
  readonly limit: number;
}

type AncestryRow = NodeRow & {
  max_rewarded_ancestors: number;
  weights_bps: number[];
  path: NodeRow[];
};

/**
 * The node that `getNode` takes, with its path: one statement, two probes a node.
 * `undefined` where there is none at the settled block.
 */
export function ancestryOf({
  nodeId,
  from,
  limit,
}: AncestryQuery): OneRead<AncestryRow, Ancestry | undefined> {
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
      ${joinStanding(sql, at, sql`seq`)} ${joinPolicy(sql, at)}`,
    answer: ([row]) =>
      row && {
        first: nodeOf(row),
        policy: { maxRewardedAncestors: row.max_rewarded_ancestors, weightsBps: row.weights_bps },
        path: row.path.map(nodeOf),
      },
  };
}
