import { policyAt } from '../core/campaign.ts';
import type { Address } from '../core/events.ts';
import type { ReceiptFields, ReceiptNode } from '../core/receipt.ts';
import { answered, type ChainAnswer } from './chain/answer.ts';
import { byLocation, type DecodedLog } from './chain/decode.ts';
import type { ChainFacts } from './chain/facts.ts';

/** Input of the checks: the chain's answers, conclusions from them, and the served receipt. */
export interface Subject {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly facts: ChainFacts;
  /** Unix seconds of the sale's block. */
  readonly soldAt: ChainAnswer<number>;
  readonly policy: ChainAnswer<SalePolicy>;
  readonly path: ChainAnswer<SalePath>;
  /** The receipt to compare with the chain, unvalidated; `undefined` to check the chain alone. */
  readonly served: Readonly<Partial<Record<keyof ReceiptFields, unknown>>> | undefined;
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
  /** Problems of the path, as sentences. */
  readonly problems: readonly string[];
}

/** Computes from the chain's answers the parts that several checks need. */
export function subjectOf(
  facts: ChainFacts,
  about: Pick<Subject, 'chainId' | 'contractAddress' | 'served'>,
): Subject {
  const soldAt = soldAtOf(facts);
  const policy = policyOf(facts, soldAt);
  return { ...about, facts, soldAt, policy, path: pathOf(facts, policy) };
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
    const log = nodes.value.get(next);
    if (log === undefined || log.campaignId !== record.campaignId || byLocation(log, record) > 0) {
      const problem = `The chain has no NodeJoined of node ${next} in campaign ${record.campaignId} before the sale.`;
      return answered({ nodes: path, problems: [problem] });
    }
    const { nodeId, parentNodeId, owner } = log.args;
    path.push({ nodeId, parentNodeId: parentNodeId === '0' ? null : parentNodeId, owner });
    next = parentNodeId;
  }
  return answered({ nodes: path, problems: [] });
}
