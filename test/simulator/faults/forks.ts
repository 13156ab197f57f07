import { setTimeout } from 'node:timers/promises';
import type { Hex } from 'viem';
import { SimulationFailure } from '../failure.ts';
import type { Fault, Scene } from './fault.ts';
import { announce, depthOf, replaceBlocks, rollBack } from './reorgs.ts';

/** Blocks that these reorgs replace, at most. */
const DEEPEST = 12;

/** A block with all that it takes to mine it again. */
interface MinedBlock {
  readonly hash: Hex;
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly transactions: readonly Hex[];
}

/** Blocks are replaced again and again while the indexer fetches them. */
const reorgWhileFetching: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history, dice } = scene;
    const times = dice.between(2, 5);
    for (let time = 0; time < times; time += 1) {
      await history.play(dice.below(3));
      const depth = await depthOf(scene, DEEPEST);
      if (depth > 0) await replaceBlocks(scene, depth);
      await setTimeout(dice.below(150));
    }
    return `${times} reorgs in a row`;
  },
};

/** The chain switches to another fork, and back to the first one's blocks. */
const flip: Fault = {
  weight: 3,
  run: async (scene) => {
    const { history, dice } = scene;
    await history.play(dice.between(1, 4));
    const depth = await depthOf(scene, DEEPEST);
    if (depth === 0) return 'no block to replace';
    const fork = (await history.chronicle.reached()) - depth;
    const blocks = await blocksAbove(scene, fork);
    const calls = history.chronicle.takeAbove(fork);
    for (const { blockNumber, request } of calls) history.chronicle.record(blockNumber, request);
    await replaceBlocks(scene, depth);
    await setTimeout(dice.below(1_500));
    announce(scene, fork);
    history.chronicle.takeAbove(fork);
    await rollBack(scene, depth);
    await mineAgain(scene, blocks);
    for (const { blockNumber, request } of calls) history.chronicle.record(blockNumber, request);
    return `${depth} blocks replaced, and back to them`;
  },
};

async function blocksAbove({ history }: Scene, fork: number): Promise<MinedBlock[]> {
  const { client } = history.market.chain;
  const head = Number(await client.getBlockNumber());
  const blocks: MinedBlock[] = [];
  for (let number = fork + 1; number <= head; number += 1) {
    const block = await client.getBlock({ blockNumber: BigInt(number) });
    const { hash, timestamp, baseFeePerGas } = block;
    const transactions = await Promise.all(block.transactions.map((one) => rawOf(client, one)));
    blocks.push({ hash, timestamp, baseFeePerGas: baseFeePerGas ?? 0n, transactions });
  }
  return blocks;
}

async function rawOf(
  client: Scene['history']['market']['chain']['client'],
  hash: Hex,
): Promise<Hex> {
  return await client.request<{
    Method: 'eth_getRawTransactionByHash';
    Parameters: [Hex];
    ReturnType: Hex;
  }>({ method: 'eth_getRawTransactionByHash', params: [hash] });
}

/** Mines blocks again: equal transactions, times and parents give equal blocks. */
async function mineAgain({ history }: Scene, blocks: readonly MinedBlock[]): Promise<void> {
  const { client } = history.market.chain;
  await client.setAutomine(false);
  try {
    for (const { transactions, timestamp, baseFeePerGas, hash } of blocks) {
      for (const serializedTransaction of transactions) {
        await client.sendRawTransaction({ serializedTransaction });
      }
      // Anvil keeps the base fee of the fork that it left.
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas });
      await client.setNextBlockTimestamp({ timestamp });
      await client.mine({ blocks: 1 });
      if ((await client.getBlock()).hash === hash) continue;
      throw new SimulationFailure('the same transactions on the same fork made another block');
    }
  } finally {
    await client.setAutomine(true);
  }
}

export const forkFaults = { reorgWhileFetching, flip } as const satisfies Record<string, Fault>;
