import { policyAt } from '../core/campaign.ts';
import type { Address } from '../core/events.ts';
import type { ReceiptNode } from '../core/receipt.ts';
import { answered, type ChainAnswer } from './chain/answer.ts';
import { byLocation, type DecodedLog } from './chain/decode.ts';
import type { ChainFacts } from './chain/facts.ts';
import type { NodeLogs } from './chain/path.ts';
import type { BlockHeader } from './chain/reading.ts';

/** Chain and contract of a sale, and the block that it is read as of. */
export interface SaleSource {
  readonly chainId: number;
  readonly contractAddress: Address;
  /** `undefined` for a bundle, which is about its own events alone. */
  readonly head?: BlockHeader | undefined;
  /** The RPC's newest block: `head` or after it. */
  readonly newest?: BlockHeader | undefined;
}

/** Input of the checks: the chain's answers, and conclusions from them. */
export interface Subject extends SaleSource {
  readonly facts: ChainFacts;
  /** Unix seconds of the sale's block. */
  readonly soldAt: ChainAnswer<number>;
  readonly policy: ChainAnswer<SalePolicy>;
  readonly path: ChainAnswer<SalePath>;
}

/** The policy that a sale names, and the version that it should name. */
export interface SalePolicy {
  /** The PolicyScheduled of the version that the sale names. */
  readonly scheduled: DecodedLog<'PolicyScheduled'> | undefined;
  /** The version that was in effect; `undefined` if there was none. */
  readonly versionInEffect: number | undefined;
}

/** The rewarded part of a sale's path. */
export interface SalePath {
  /** The nodes of the rewarded levels, the selling node first. */
  readonly nodes: readonly ReceiptNode[];
  /** The node beyond them, which misses its reward by depth: `null` if there is none, `undefined` if not known. */
  readonly beyond: ReceiptNode | null | undefined;
  /** Problems of the path, as sentences. */
  readonly problems: readonly string[];
}

/** Computes from the chain's answers the parts that several checks need. */
export function subjectOf(facts: ChainFacts, source: SaleSource): Subject {
  const soldAt = soldAtOf(facts);
  const policy = policyOf(facts, soldAt);
  return { ...source, facts, soldAt, policy, path: pathOf(facts, policy) };
}

function soldAtOf({ block, record }: ChainFacts): ChainAnswer<number> {
  if (!block.ok) return block;
  const { blockNumber, blockHash } = record.location;
  if (block.value.hash.toLowerCase() === blockHash.toLowerCase()) {
    return answered(block.value.timestamp);
  }
  return { ok: false, reason: `Block ${blockNumber} of the sale was replaced by a reorg.` };
}

function policyOf(facts: ChainFacts, soldAt: ChainAnswer<number>): ChainAnswer<SalePolicy> {
  if (!facts.policies.ok) return facts.policies;
  if (!soldAt.ok) return soldAt;
  const known = facts.policies.value.filter((log) => byLocation(log, facts.record) < 0);
  const { policyVersion } = facts.record.args;
  return answered({
    scheduled: known.find(({ args }) => args.version === policyVersion),
    versionInEffect: policyAt(
      known.map(({ args }) => args),
      soldAt.value,
    )?.version,
  });
}

/** The path from the selling node up, as far as the policy rewards. */
function pathOf(
  { nodes, record }: ChainFacts,
  policy: ChainAnswer<SalePolicy>,
): ChainAnswer<SalePath> {
  if (!nodes.ok) return nodes;
  if (!policy.ok) return policy;
  const most = policy.value.scheduled?.args.policy.maxRewardedAncestors;
  if (most === undefined) {
    return { ok: false, reason: 'Without the policy the number of rewarded levels is unknown.' };
  }
  const path: ReceiptNode[] = [];
  let next = record.args.nodeId;
  while (next !== '0' && path.length < most) {
    const node = nodeBefore(nodes.value, next, record);
    if (node === undefined) {
      const problem = `The chain has no NodeJoined of node ${next} in campaign ${record.campaignId} before the sale.`;
      return answered({ nodes: path, beyond: undefined, problems: [problem] });
    }
    path.push(node);
    next = node.parentNodeId ?? '0';
  }
  const beyond = next === '0' ? null : nodeBefore(nodes.value, next, record);
  return answered({ nodes: path, beyond, problems: [] });
}

/** The node as it joined the sale's campaign before the sale. */
function nodeBefore(
  joins: NodeLogs,
  id: string,
  record: ChainFacts['record'],
): ReceiptNode | undefined {
  const log = joins.get(id);
  if (log === undefined || log.campaignId !== record.campaignId) return undefined;
  if (byLocation(log, record) > 0) return undefined;
  const { nodeId, parentNodeId, owner } = log.args;
  return { nodeId, parentNodeId: parentNodeId === '0' ? null : parentNodeId, owner };
}
