import { type ChainLog, decodeLogs, logsOf } from './decode.ts';
import type { Reading } from './reading.ts';
import { findLogs } from './search.ts';
import { selectorOf, topicOf } from './topics.ts';

/** The campaign's CampaignCreated, up to the sale's block. */
export async function findCreation(
  { client, contractAddress, fromBlock }: Reading,
  { campaignId, place }: ChainLog<'SaleRecorded'>,
): Promise<ChainLog<'CampaignCreated'> | undefined> {
  const topics = [selectorOf('CampaignCreated'), topicOf(campaignId)];
  const range = { from: fromBlock, to: BigInt(place.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'CampaignCreated')[0];
}

/** The campaign's policies that were scheduled up to the sale's block. */
export async function findPolicies(
  { client, contractAddress, fromBlock }: Reading,
  { campaignId, place }: ChainLog<'SaleRecorded'>,
): Promise<readonly ChainLog<'PolicyScheduled'>[]> {
  const topics = [selectorOf('PolicyScheduled'), topicOf(campaignId)];
  const range = { from: fromBlock, to: BigInt(place.blockNumber) };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'PolicyScheduled');
}

/** Every event of the campaign in the sale's block. */
export async function findNeighbours(
  { client, contractAddress }: Reading,
  record: ChainLog<'SaleRecorded'>,
): Promise<readonly ChainLog[]> {
  const { blockHash } = record.place;
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [{ address: contractAddress, blockHash }],
  });
  return decodeLogs(logs, contractAddress).filter(
    ({ campaignId }) => campaignId === record.campaignId,
  );
}

/**
 * What the sale's recipients claimed in the campaign from its finalization to its reversal. Only a
 * reversed sale asks, for a reversal leaves alone who has claimed (design §3).
 */
export async function findClaims(
  { client, contractAddress }: Reading,
  { campaignId }: ChainLog<'SaleRecorded'>,
  events: readonly ChainLog[],
): Promise<readonly ChainLog<'RewardsClaimed'>[]> {
  const [finalized] = logsOf(events, 'SaleFinalized');
  const [reversed] = logsOf(events, 'SaleReversed');
  const accounts = new Set(logsOf(events, 'RewardVested').map(({ args }) => args.recipient));
  if (finalized === undefined || reversed === undefined || accounts.size === 0) return [];
  const topics = [selectorOf('RewardsClaimed'), topicOf(campaignId), [...accounts].map(topicOf)];
  const range = {
    from: BigInt(finalized.place.blockNumber),
    to: BigInt(reversed.place.blockNumber),
  };
  const logs = await findLogs(client, contractAddress, topics, range);
  return logsOf(decodeLogs(logs, contractAddress), 'RewardsClaimed');
}
