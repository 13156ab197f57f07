import { MAX_LEVELS } from '../../core/fold/index.ts';
import type { ChainAnswer } from './answer.ts';
import { type DecodedLog, decodeLogs, logsOf } from './decode.ts';
import type { ReadContext } from './reading.ts';
import { findLogs } from './search.ts';
import { selectorOf, topicOf } from './topics.ts';

/** NodeJoined logs by node id. */
export type NodeLogs = ReadonlyMap<string, DecodedLog<'NodeJoined'>>;

type SaleRecord = DecodedLog<'SaleRecorded'>;
type Policies = readonly DecodedLog<'PolicyScheduled'>[];

/**
 * Finds the NodeJoined logs of a sale's path, as far up as its policy rewards and one beyond, whose owner
 * missed a reward by depth: one request for the selling node and all hints, then one for each missing parent.
 */
export async function findPath(
  reading: ReadContext,
  record: SaleRecord,
  events: readonly DecodedLog[],
  policies: Promise<ChainAnswer<Policies>>,
): Promise<NodeLogs> {
  const { nodeId } = record.args;
  if (nodeId === '0') return new Map();
  const named = events.flatMap((log) => ('nodeId' in log.args ? [log.args.nodeId] : []));
  const hinted = new Set([nodeId, ...named, ...reading.nodeHints]);
  let joins = await findJoins(reading, record, [...hinted]);

  const most = rewardedLevels(await policies, record);
  let next = nodeId;
  for (let level = 1; level <= most + 1 && next !== '0'; level += 1) {
    if (!joins.has(next)) {
      joins = new Map([...joins, ...(await findJoins(reading, record, [next]))]);
    }
    next = joins.get(next)?.args.parentNodeId ?? '0';
  }
  return joins;
}

function rewardedLevels(policies: ChainAnswer<Policies>, { args }: SaleRecord): number {
  const known = policies.ok ? policies.value : [];
  const scheduled = known.find((log) => log.args.version === args.policyVersion);
  return scheduled?.args.policy.maxRewardedAncestors ?? MAX_LEVELS;
}

async function findJoins(
  { client, contractAddress, fromBlock }: ReadContext,
  record: SaleRecord,
  nodeIds: readonly string[],
): Promise<NodeLogs> {
  const topics = [selectorOf('NodeJoined'), null, nodeIds.map(topicOf)];
  const range = { from: fromBlock, to: BigInt(record.location.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  const joins = logsOf(decodeLogs(logs, contractAddress), 'NodeJoined');
  return new Map(joins.map((log) => [log.args.nodeId, log]));
}
