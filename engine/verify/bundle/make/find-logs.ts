import type { PublicClient } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { contractError, notRead } from '../../chain/answer.ts';
import { findPolicies } from '../../chain/campaign-events.ts';
import { type DecodedLog, decodeLogs, logsOf } from '../../chain/decode.ts';
import { firstClaims } from '../../chain/facts.ts';
import { findPath } from '../../chain/path.ts';
import { type ReadContext, readHeader } from '../../chain/reading.ts';
import { findSaleEvents } from '../../chain/sale-events.ts';
import { findLogs } from '../../chain/search.ts';
import { selectorOf, topicOf } from '../../chain/topics.ts';
import { readSale } from '../../chain/views.ts';
import { BundleUnavailableError, NoSaleError } from './errors.ts';
import { answerTo } from './read-blocks.ts';

/** Location of a transaction that a bundle needs. */
export interface NeededTransaction {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
}

/** Reads the header of the block to read as of: `atBlock`, or the newest. */
export async function headOf(client: PublicClient, atBlock: bigint | undefined) {
  const what = atBlock === undefined ? 'The newest block' : `Block ${atBlock}`;
  return await answerTo(what, readHeader(client, atBlock));
}

/**
 * Finds the transactions whose receipts prove a sale: those of its own events, of its campaign's creation,
 * of the policy and the joins that decide its split, and of the first claim after each vesting.
 * @throws {NoSaleError} if the chain has no such sale.
 */
export async function findTransactions(reading: ReadContext): Promise<NeededTransaction[]> {
  const { saleId, contractAddress, fromBlock, head } = reading;
  const events = await answerTo(
    `The events of sale ${saleId}`,
    findSaleEvents({ ...reading, lastBlock: head.number }),
  );
  const [record] = logsOf(events, 'SaleRecorded');
  if (record === undefined) {
    const where = `Contract ${contractAddress} has no sale ${saleId} in blocks ${fromBlock} to ${head.number}`;
    await requireNoSale(reading, where);
    throw new NoSaleError(`${where}.`);
  }
  const policies = answerTo('The campaign’s policies', findPolicies(reading, record));
  const found = policies.then((value) => ({ ok: true as const, value }));
  const [scheduled, joins, created, claims] = await Promise.all([
    policies,
    answerTo('The path’s nodes', findPath(reading, record, events, found)),
    answerTo('The campaign’s creation', findCreation(reading, record)),
    answerTo('The claims after the sale', findClaimsAfter(reading, record, events)),
  ]);
  const { policyVersion } = record.args;
  const used = scheduled.filter(({ args }) => args.version === policyVersion);
  const needed = [...created, ...used, ...pathOf(record, joins, used), ...events, ...claims];
  return needed.map(({ location }) => ({ ...location, blockNumber: BigInt(location.blockNumber) }));
}

/**
 * Asks the contract itself: an empty list of logs alone is no proof.
 * @throws {BundleUnavailableError} if the contract has the sale, or the RPC does not answer.
 */
async function requireNoSale(reading: ReadContext, where: string): Promise<void> {
  try {
    await readSale(reading);
  } catch (error) {
    if (contractError(error) !== undefined) return;
    throw new BundleUnavailableError(
      notRead(`The contract’s own view of sale ${reading.saleId}`, error),
    );
  }
  throw new BundleUnavailableError(`${where} by the RPC’s logs, but the contract itself has it.`);
}

/** The joins of the rewarded levels, as far as they were found. */
function pathOf(
  record: DecodedLog<'SaleRecorded'>,
  joins: ReadonlyMap<string, DecodedLog<'NodeJoined'>>,
  [scheduled]: readonly DecodedLog<'PolicyScheduled'>[],
): DecodedLog<'NodeJoined'>[] {
  const path: DecodedLog<'NodeJoined'>[] = [];
  let next = record.args.nodeId;
  while (path.length < (scheduled?.args.policy.maxRewardedAncestors ?? 0)) {
    const join = joins.get(next);
    if (join === undefined) break;
    path.push(join);
    next = join.args.parentNodeId;
  }
  return path;
}

async function findCreation(
  { client, contractAddress, fromBlock }: ReadContext,
  { campaignId, location }: DecodedLog<'SaleRecorded'>,
): Promise<readonly DecodedLog<'CampaignCreated'>[]> {
  const topics = [selectorOf('CampaignCreated'), topicOf(campaignId)];
  const range = { from: fromBlock, to: BigInt(location.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'CampaignCreated');
}

/** The first claim after each vesting, up to the head. */
async function findClaimsAfter(
  { client, contractAddress, head }: ReadContext,
  { campaignId }: DecodedLog<'SaleRecorded'>,
  events: readonly DecodedLog[],
): Promise<readonly DecodedLog<'RewardsClaimed'>[]> {
  const vested = logsOf(events, 'RewardVested');
  const [first] = vested;
  if (first === undefined) return [];
  const accounts = [...new Set(vested.map(({ args }) => args.recipient))];
  const topics = [selectorOf('RewardsClaimed'), topicOf(campaignId), accounts.map(topicOf)];
  const range = { from: BigInt(first.location.blockNumber), to: head.number };
  const logs = await findLogs(client, contractAddress, topics, range);
  return firstClaims(events, logsOf(decodeLogs(logs, contractAddress), 'RewardsClaimed'));
}
