import { type AbiEvent, decodeEventLog, type Hex } from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { type Fact, isEventName, readEvent } from '../../../engine/core/events.ts';
import { encodeArgs } from '../../../src/encode.ts';
import type { TestChain } from '../../support/chain.ts';

/** An event's location on the chain as Ponder writes it: 75 digits. */
function eventId(parts: {
  timestamp: number;
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
}): string {
  const digits: readonly (readonly [number, number])[] = [
    [parts.timestamp, 10],
    [31_337, 16],
    [parts.blockNumber, 16],
    [parts.transactionIndex, 16],
    [5, 1],
    [parts.logIndex, 16],
  ];
  return digits.map(([value, length]) => String(value).padStart(length, '0')).join('');
}

/** Reads a chain's facts from the chain itself, with no indexer in between. */
export class ChainFacts {
  readonly #timestamps = new Map<Hex, number>();

  constructor(readonly chain: TestChain) {}

  /** Every fact up to a block, in the order of the chain. */
  async read(toBlock: bigint): Promise<Fact[]> {
    const { client, contract: address, startBlock: fromBlock } = this.chain;
    const logs = await client.getLogs({ address, fromBlock, toBlock });
    const facts: Fact[] = [];
    for (const log of logs) {
      const { eventName, args } = decodeEventLog({
        abi: referralCommerceAbi,
        data: log.data,
        topics: log.topics,
      });
      if (args === undefined || !('campaignId' in args) || !isEventName(eventName)) continue;
      const timestamp = await this.#timestampOf(log.blockHash);
      const blockNumber = Number(log.blockNumber);
      const { transactionIndex, logIndex } = log;
      const named = encodeArgs(inputsOf(eventName), { ...args });
      facts.push({
        campaignId: args.campaignId.toString(),
        id: eventId({ timestamp, blockNumber, transactionIndex, logIndex }),
        blockNumber,
        blockHash: log.blockHash,
        timestamp,
        transactionHash: log.transactionHash,
        logIndex,
        ...readEvent(eventName, named),
      });
    }
    return facts;
  }

  async #timestampOf(blockHash: Hex): Promise<number> {
    const known = this.#timestamps.get(blockHash);
    if (known !== undefined) return known;
    const { timestamp } = await this.chain.client.getBlock({ blockHash });
    this.#timestamps.set(blockHash, Number(timestamp));
    return Number(timestamp);
  }
}

function inputsOf(eventName: string): AbiEvent['inputs'] {
  const found = referralCommerceAbi.find(
    (item) => item.type === 'event' && item.name === eventName,
  );
  if (found?.type !== 'event') throw new Error(`The contract has no event ${eventName}.`);
  return found.inputs;
}
