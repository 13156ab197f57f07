import { type AbiEvent, type Address, type Hex, hexToNumber, toEventSelector } from 'viem';
import { referralCommerceAbi } from '../abis/referralCommerce.ts';
import { type EventName, isEventName } from '../engine/core/events.ts';
import type { SampleToken } from './actors.ts';
import { whileMiningByHand } from './mining.ts';
import { planSample, type SampleCampaign, type SamplePlan } from './plan.ts';
import { openRpc, type Rpc } from './rpc.ts';
import { fundSenders, type MinedBlock, runBlocks } from './runner.ts';

/** Default seed of the sample. */
export const SAMPLE_SEED = 1;

export interface RunSampleOptions {
  /** A local anvil whose newest block is not after `startTimestamp`. */
  readonly rpcUrl: string;
  /** Unix seconds; the first block is a minute later, the last one thirty days later. */
  readonly startTimestamp: number;
  /** Default: `SAMPLE_SEED`. The same seed and start give the same block hashes. */
  readonly seed?: number;
  /** Receives progress as text. */
  readonly onProgress?: (text: string) => void;
}

/** Contracts and numbers of the sample on a chain. */
export interface SampleResult {
  readonly contractAddress: Address;
  /** The block of the contract's deployment: where an indexer starts. */
  readonly deployBlock: number;
  readonly tokens: readonly SampleToken[];
  readonly campaigns: readonly SampleCampaign[];
  readonly counts: SampleCounts;
}

export interface SampleCounts {
  readonly blocks: number;
  readonly transactions: number;
  /** Number of events of the contract by name. */
  readonly events: Readonly<Partial<Record<EventName, number>>>;
}

/**
 * Deploys the contract and the test tokens on a local anvil, and plays the sample history on it:
 * real transactions, each signed by its sender, in blocks that span thirty days (`planSample`).
 * Afterwards the chain mines as it did before.
 *
 * @throws {TransactionError} if a transaction fails, with the contract's error.
 * @throws {Error} if the chain is past the start, or has run this sample already.
 */
export async function runSample(options: RunSampleOptions): Promise<SampleResult> {
  const { rpcUrl, startTimestamp, seed = SAMPLE_SEED, onProgress } = options;
  const rpc = openRpc(rpcUrl);
  const chainId = hexToNumber((await rpc.request('eth_chainId')) as Hex);
  const plan = planSample({ seed, startTimestamp, chainId });
  const { contractAddress } = plan.actors;
  await checkChain(rpc, plan, startTimestamp);

  const mined: MinedBlock[] = [];
  await whileMiningByHand(rpc, async () => {
    await fundSenders(rpc, plan.blocks);
    await runBlocks(rpc, { chainId, contractAddress }, plan.blocks, (block) => {
      mined.push(block);
      onProgress?.(`Sending the sample history: block ${mined.length} of ${plan.blocks.length}`);
    });
  });
  return {
    contractAddress,
    deployBlock: mined[0]?.number ?? 0,
    tokens: plan.tokens,
    campaigns: plan.campaigns,
    counts: countsOf(plan, mined),
  };
}

async function checkChain(rpc: Rpc, plan: SamplePlan, startTimestamp: number): Promise<void> {
  const head = (await rpc.request('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex };
  const headTimestamp = hexToNumber(head.timestamp);
  if (headTimestamp > startTimestamp) {
    throw new Error(
      `The sample starts at ${startTimestamp}, but the chain is already at ${headTimestamp}: start anvil with an earlier genesis timestamp.`,
    );
  }
  const { address } = plan.actors.deployer;
  const sent = hexToNumber(
    (await rpc.request('eth_getTransactionCount', address, 'latest')) as Hex,
  );
  if (sent > 0) {
    throw new Error('This chain has run the sample, or a part of it, before: start a new chain.');
  }
}

function countsOf(plan: SamplePlan, mined: readonly MinedBlock[]): SampleCounts {
  const contract = plan.actors.contractAddress.toLowerCase();
  const events: Partial<Record<EventName, number>> = {};
  for (const { address, topics } of mined.flatMap(({ logs }) => logs)) {
    const name = eventNames.get(topics[0] ?? '0x');
    if (address.toLowerCase() !== contract || name === undefined) continue;
    events[name] = (events[name] ?? 0) + 1;
  }
  const transactions = plan.blocks.reduce(
    (total, { transactions }) => total + transactions.length,
    0,
  );
  return { blocks: mined.length, transactions, events };
}

/** The contract's events by their first topic. */
const eventNames: ReadonlyMap<Hex, EventName> = new Map(
  referralCommerceAbi
    .filter((item): item is Extract<typeof item, AbiEvent> => item.type === 'event')
    .flatMap((event) =>
      isEventName(event.name) ? [[toEventSelector(event), event.name] as const] : [],
    ),
);
