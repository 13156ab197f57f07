import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { type Fact, isEventName, readEvent } from '../../engine/core/events.ts';
import {
  type Applied,
  applyAll,
  emptyCampaign,
  type FoldState,
} from '../../engine/core/fold/index.ts';
import { runSample, type SampleResult } from '../../sample/run-sample.ts';
import { encodeArgs } from '../../src/encode.ts';
import { type TestClient, testClient } from '../support/chain.ts';
import { eventId } from '../support/history.ts';

/** 15 June 2025 in Unix seconds; a fixed start makes every run the same. */
export const START = 1_749_945_600;

/** Starts an empty chain for the sample. */
export function startSampleAnvil(changes: { blockTimeSeconds?: number } = {}): Promise<Anvil> {
  return startAnvil({ logFile: '/dev/null', genesisTimestamp: START, ...changes });
}

/** A campaign of the sample, folded from the chain's logs. */
export interface FoldedCampaign {
  readonly state: FoldState;
  readonly applied: readonly Applied[];
}

/** The sample on its own chain, with the events of its logs. */
export interface SampleFixture {
  readonly anvil: Anvil;
  readonly client: TestClient;
  readonly result: SampleResult;
  readonly facts: readonly Fact[];
  /** By campaign id. */
  readonly folded: ReadonlyMap<string, FoldedCampaign>;
  /** Unix seconds of the newest block. */
  readonly headTimestamp: number;
}

/** Starts a chain and runs the sample on it. */
export async function startSampleFixture(): Promise<SampleFixture> {
  const anvil = await startSampleAnvil();
  const client = testClient(anvil.url);
  const result = await runSample({ rpcUrl: anvil.url, startTimestamp: START });
  const facts = await factsOf(client, result);
  const { timestamp } = await client.getBlock();
  return { anvil, client, result, facts, folded: fold(facts), headTimestamp: Number(timestamp) };
}

/** Every event of the sample's contract, in the order of the chain. */
export async function factsOf(client: TestClient, result: SampleResult): Promise<Fact[]> {
  const logs = await client.getContractEvents({
    address: result.contractAddress,
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
