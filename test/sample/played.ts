import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { type PlayedSample, playSample } from '../../engine/cli/sample/index.ts';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { type Fact, isEventName, readEvent } from '../../engine/core/events.ts';
import {
  type Applied,
  applyAll,
  type CampaignState,
  emptyCampaign,
} from '../../engine/core/fold/index.ts';
import { encodeArgs } from '../../src/encode.ts';
import { type TestClient, testClient } from '../support/chain.ts';
import { eventId } from '../support/history.ts';

/** 15 June 2025: any start will do, and a fixed one makes every run the same. */
export const START = 1_749_945_600;

/** An empty chain that could play the sample. */
export function startSampleAnvil(changes: { blockTimeSeconds?: number } = {}): Promise<Anvil> {
  return startAnvil({ logFile: '/dev/null', genesisTimestamp: START, ...changes });
}

/** A campaign of the sample as the fold made it from the chain's logs. */
export interface FoldedCampaign {
  readonly state: CampaignState;
  readonly applied: readonly Applied[];
}

/** The sample on a chain of its own, with all that its logs say. */
export interface SampleScene {
  readonly anvil: Anvil;
  readonly client: TestClient;
  readonly played: PlayedSample;
  readonly facts: readonly Fact[];
  /** By campaign id. */
  readonly folded: ReadonlyMap<string, FoldedCampaign>;
  /** Unix seconds of the newest block. */
  readonly headTimestamp: number;
}

export async function startSampleScene(): Promise<SampleScene> {
  const anvil = await startSampleAnvil();
  const client = testClient(anvil.url);
  const played = await playSample({ rpcUrl: anvil.url, startTimestamp: START });
  const facts = await factsOf(client, played);
  const { timestamp } = await client.getBlock();
  return { anvil, client, played, facts, folded: fold(facts), headTimestamp: Number(timestamp) };
}

/** Every event of the sample's contract, in the order of the chain. */
export async function factsOf(client: TestClient, played: PlayedSample): Promise<Fact[]> {
  const logs = await client.getContractEvents({
    address: played.contractAddress,
    abi: referralCommerceAbi,
    fromBlock: 0n,
    strict: true,
  });
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
  const times = new Map(blocks.map(({ number, timestamp }) => [number, Number(timestamp)]));
  return logs.flatMap((log) => {
    const item = referralCommerceAbi.find(
      (each) => each.type === 'event' && each.name === log.eventName,
    );
    if (item?.type !== 'event' || !('campaignId' in log.args)) return [];
    if (!isEventName(log.eventName)) return [];
    const timestamp = times.get(log.blockNumber) ?? 0;
    const blockNumber = Number(log.blockNumber);
    return [
      {
        campaignId: String(log.args.campaignId),
        id: eventId(timestamp, blockNumber, log.logIndex),
        blockNumber,
        blockHash: log.blockHash,
        timestamp,
        transactionHash: log.transactionHash,
        logIndex: log.logIndex,
        ...readEvent(log.eventName, encodeArgs(item.inputs, log.args)),
      },
    ];
  });
}

function fold(facts: readonly Fact[]): Map<string, FoldedCampaign> {
  const ids = [...new Set(facts.map(({ campaignId }) => campaignId))];
  return new Map(
    ids.map((id) => [
      id,
      applyAll(
        emptyCampaign(id),
        facts.filter(({ campaignId }) => campaignId === id),
      ),
    ]),
  );
}
