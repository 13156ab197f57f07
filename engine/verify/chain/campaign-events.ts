import { byLocation, type DecodedLog, decodeLogs, logsOf } from './decode.ts';
import type { ReadContext } from './reading.ts';
import { findLogs, uniqueLogs } from './search.ts';
import { selectorOf, topicOf } from './topics.ts';

/** Finds the CampaignCreated of the sale's campaign, before the sale. */
export async function findCreation(
  { client, contractAddress, fromBlock }: ReadContext,
  record: DecodedLog<'SaleRecorded'>,
): Promise<DecodedLog<'CampaignCreated'> | undefined> {
  const topics = [selectorOf('CampaignCreated'), topicOf(record.campaignId)];
  const range = { from: fromBlock, to: BigInt(record.location.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  const found = logsOf(decodeLogs(logs, contractAddress), 'CampaignCreated');
  return found.find((log) => byLocation(log, record) < 0);
}

/** Finds the policies of the sale's campaign that were scheduled up to the sale's block. */
export async function findPolicies(
  { client, contractAddress, fromBlock }: ReadContext,
  { campaignId, location }: DecodedLog<'SaleRecorded'>,
): Promise<readonly DecodedLog<'PolicyScheduled'>[]> {
  const topics = [selectorOf('PolicyScheduled'), topicOf(campaignId)];
  const range = { from: fromBlock, to: BigInt(location.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'PolicyScheduled');
}

/** Finds what the campaign allowed the account that attested a sale, up to the sale's block. */
export async function findPermissions(
  { client, contractAddress, fromBlock }: ReadContext,
  { campaignId, location }: DecodedLog<'SaleRecorded'>,
  events: readonly DecodedLog[],
): Promise<readonly DecodedLog<'AttesterAllowed'>[]> {
  const [attested] = logsOf(events, 'SaleAttested');
  if (attested === undefined) return [];
  const topics = [
    selectorOf('AttesterAllowed'),
    topicOf(campaignId),
    topicOf(attested.args.signer),
  ];
  const range = { from: fromBlock, to: BigInt(location.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'AttesterAllowed');
}

/** Reads every event of the sale's campaign in the sale's block. */
export async function findNeighbours(
  { client, contractAddress }: ReadContext,
  record: DecodedLog<'SaleRecorded'>,
): Promise<readonly DecodedLog[]> {
  const { blockHash } = record.location;
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [{ address: contractAddress, blockHash }],
  });
  return decodeLogs(uniqueLogs(logs), contractAddress).filter(
    ({ campaignId }) => campaignId === record.campaignId,
  );
}

/**
 * Finds the claims of the sale's recipients in the campaign, from its finalization to the newest block: a
 * claim makes their rewards `claimed`, and a reversal omits them (docs/reference/protocol.md#sales-and-their-split).
 */
export async function findClaims(
  { client, contractAddress, newest }: ReadContext,
  { campaignId }: DecodedLog<'SaleRecorded'>,
  events: readonly DecodedLog[],
): Promise<readonly DecodedLog<'RewardsClaimed'>[]> {
  const vested = logsOf(events, 'RewardVested');
  const [first] = vested;
  if (first === undefined) return [];
  const accounts = new Set(vested.map(({ args }) => args.recipient));
  const topics = [selectorOf('RewardsClaimed'), topicOf(campaignId), [...accounts].map(topicOf)];
  const range = { from: BigInt(first.location.blockNumber), to: newest.number };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'RewardsClaimed');
}
