import { policyAt } from '../core/campaign.ts';
import type { Address } from '../core/events.ts';
import type { ReceiptFigures, ReceiptNode } from '../core/receipt.ts';
import { type Answer, answered } from './chain/answer.ts';
import { byPlace, type ChainLog } from './chain/decode.ts';
import type { ChainFacts } from './chain/facts.ts';

/** What the checks look at: what the chain says, what follows from it, and what is served. */
export interface Subject {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly facts: ChainFacts;
  /** Unix seconds of the sale's block. */
  readonly soldAt: Answer<number>;
  readonly policy: Answer<SalePolicy>;
  readonly path: Answer<SalePath>;
  /** The receipt to hold against the chain, unread; absent where the chain alone is checked. */
  readonly served: Readonly<Partial<Record<keyof ReceiptFigures, unknown>>> | undefined;
}

export interface SalePolicy {
  /** The PolicyScheduled of the version that the sale names. */
  readonly scheduled: ChainLog<'PolicyScheduled'> | undefined;
  /** The version that was in effect; `undefined` where none was. */
  readonly versionInEffect: number | undefined;
}

export interface SalePath {
  /** The nodes of the rewarded levels, the selling node first. */
  readonly nodes: readonly ReceiptNode[];
  /** What is wrong with it, as sentences. */
  readonly problems: readonly string[];
}

/** Draws from the facts what several checks need. */
export function subjectOf(
  facts: ChainFacts,
  about: Pick<Subject, 'chainId' | 'contractAddress' | 'served'>,
): Subject {
  const soldAt = soldAtOf(facts);
  const policy = policyOf(facts, soldAt);
  return { ...about, facts, soldAt, policy, path: pathOf(facts, policy) };
}

function soldAtOf({ block, record }: ChainFacts): Answer<number> {
  if (!block.ok) return block;
  const { blockNumber, blockHash } = record.place;
  if (block.value.hash.toLowerCase() === blockHash.toLowerCase()) {
    return answered(block.value.timestamp);
  }
  return { ok: false, reason: `Block ${blockNumber} of the sale was replaced by a reorg.` };
}

function policyOf(facts: ChainFacts, soldAt: Answer<number>): Answer<SalePolicy> {
  if (!facts.policies.ok) return facts.policies;
  if (!soldAt.ok) return soldAt;
  const known = facts.policies.value.filter((log) => byPlace(log, facts.record) < 0);
  const { policyVersion } = facts.record.args;
  return answered({
    scheduled: known.find(({ args }) => args.version === policyVersion),
    versionInEffect: policyAt(
      known.map(({ args }) => args),
      soldAt.value,
    )?.version,
  });
}

/** The path from the selling node up, as far as the policy rewards (design §4). */
function pathOf({ nodes, record }: ChainFacts, policy: Answer<SalePolicy>): Answer<SalePath> {
  if (!nodes.ok) return nodes;
  if (!policy.ok) return policy;
  const most = policy.value.scheduled?.args.policy.maxRewardedAncestors;
  if (most === undefined) {
    return { ok: false, reason: 'Without the policy nobody knows how many levels are rewarded.' };
  }
  const path: ReceiptNode[] = [];
  let next = record.args.nodeId;
  while (next !== '0' && path.length < most) {
    const log = nodes.value.get(next);
    if (log === undefined || log.campaignId !== record.campaignId || byPlace(log, record) > 0) {
      const problem = `The chain has no NodeJoined of node ${next} in campaign ${record.campaignId} before the sale.`;
      return answered({ nodes: path, problems: [problem] });
    }
    const { nodeId, parentNodeId, owner } = log.args;
    path.push({ nodeId, parentNodeId: parentNodeId === '0' ? null : parentNodeId, owner });
    next = parentNodeId;
  }
  return answered({ nodes: path, problems: [] });
}
