import { type AbiEvent, type Address, type Hex, hexToNumber, toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { type EventName, isEventName } from '../../core/events.ts';
import type { SampleToken } from './cast.ts';
import { whileMiningByHand } from './mining.ts';
import { planSample, type SampleCampaign, type SamplePlan } from './plan.ts';
import { type PlayedBlock, payIn, playBlocks } from './player.ts';
import { openRpc, type Rpc } from './rpc.ts';

/** The seed of the sample that everybody sees who does not ask for another. */
export const SAMPLE_SEED = 1;

export interface PlaySampleOptions {
  /** A local anvil whose newest block is not after `startTimestamp`. */
  readonly rpcUrl: string;
  /** Unix seconds; the first block stands a minute later, the last one thirty days. */
  readonly startTimestamp: number;
  /** Default: `SAMPLE_SEED`. The same seed and start make the same chain, hash for hash. */
  readonly seed?: number;
  /** Told how far it is, in words. */
  readonly onProgress?: (text: string) => void;
}

/** What the sample made of a chain. */
export interface PlayedSample {
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
  /** How many events of each name the contract emitted. */
  readonly events: Readonly<Partial<Record<EventName, number>>>;
}

/**
 * Deploys the contract and the test tokens on a local anvil, and plays the sample history on it:
 * real transactions, each signed by its sender, in blocks that span thirty days (`planSample`).
 * Afterwards the chain mines as it did before.
 *
 * @throws StepError where a transaction fails, with the step and the contract's error.
 * @throws Error where the chain is too far, or has played this sample already.
 */
export async function playSample(options: PlaySampleOptions): Promise<PlayedSample> {
  const { rpcUrl, startTimestamp, seed = SAMPLE_SEED, onProgress } = options;
  const rpc = openRpc(rpcUrl);
  const plan = planSample({ seed, startTimestamp });
  const { contractAddress } = plan.cast;
  await checkChain(rpc, plan, startTimestamp);
  const chainId = hexToNumber((await rpc.request('eth_chainId')) as Hex);

  const played: PlayedBlock[] = [];
  await whileMiningByHand(rpc, async () => {
    await payIn(rpc, plan.blocks);
    await playBlocks(rpc, { chainId, contractAddress }, plan.blocks, (block) => {
      played.push(block);
      onProgress?.(`Playing the sample history: block ${played.length} of ${plan.blocks.length}`);
    });
  });
  return {
    contractAddress,
    deployBlock: played[0]?.number ?? 0,
    tokens: plan.tokens,
    campaigns: plan.campaigns,
    counts: countsOf(plan, played),
  };
}

async function checkChain(rpc: Rpc, plan: SamplePlan, startTimestamp: number): Promise<void> {
  const head = (await rpc.request('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex };
  const headTimestamp = hexToNumber(head.timestamp);
  if (headTimestamp > startTimestamp) {
    throw new Error(
      `The sample starts at ${startTimestamp}, but the chain is at ${headTimestamp} already: start anvil with an earlier genesis timestamp.`,
    );
  }
  const { address } = plan.cast.deployer;
  const sent = hexToNumber(
    (await rpc.request('eth_getTransactionCount', address, 'latest')) as Hex,
  );
  if (sent > 0) {
    throw new Error('This chain has played the sample, or a part of it, before: start a new one.');
  }
}

function countsOf(plan: SamplePlan, played: readonly PlayedBlock[]): SampleCounts {
  const contract = plan.cast.contractAddress.toLowerCase();
  const events: Partial<Record<EventName, number>> = {};
  for (const { address, topics } of played.flatMap(({ logs }) => logs)) {
    const name = eventNames.get(topics[0] ?? '0x');
    if (address.toLowerCase() !== contract || name === undefined) continue;
    events[name] = (events[name] ?? 0) + 1;
  }
  const transactions = plan.blocks.reduce((total, { steps }) => total + steps.length, 0);
  return { blocks: played.length, transactions, events };
}

/** The contract's events by their first topic. */
const eventNames: ReadonlyMap<Hex, EventName> = new Map(
  referralCommerceAbi
    .filter((item): item is Extract<typeof item, AbiEvent> => item.type === 'event')
    .flatMap((event) =>
      isEventName(event.name) ? [[toEventSelector(event), event.name] as const] : [],
    ),
);
