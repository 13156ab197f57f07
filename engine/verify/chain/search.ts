import { numberToHex, type PublicClient, type RpcLog } from 'viem';
import type { Address, Hex } from '../../core/events.ts';
import { SearchTooWideError } from './answer.ts';

/** Topics as `eth_getLogs` takes them: a list means any of them, `null` any at all. */
export type Topics = readonly (Hex | Hex[] | null)[];

/** Blocks, both ends included. */
export interface BlockRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** Widths to try where an RPC refuses a wider range, blocks. */
const NARROWER = [10_000n, 1_000n] as const;
/** Most requests of one search. */
const REQUESTS = 1_000n;
/** Requests sent together. */
const TOGETHER = 50;

/**
 * Every log of the contract with these topics. Asks for the whole range at once, and in narrower
 * pieces where the RPC refuses.
 *
 * @throws {SearchTooWideError} where the pieces would be too many; the RPC's error where it refuses
 * the narrowest.
 */
export async function findLogs(
  client: PublicClient,
  contractAddress: Address,
  topics: Topics,
  range: BlockRange,
): Promise<RpcLog[]> {
  if (range.from > range.to) return [];
  const span = range.to - range.from + 1n;
  const widths = [span, ...NARROWER.filter((width) => width < span)];
  let refusal: unknown;
  for (const width of widths) {
    if (span > width * REQUESTS) {
      throw new SearchTooWideError(
        `the RPC refuses ${span} blocks at once, and pieces of ${width} are too many; say from which block to search`,
      );
    }
    try {
      return await inPieces(client, contractAddress, topics, range, width);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

async function inPieces(
  client: PublicClient,
  address: Address,
  topics: Topics,
  { from, to }: BlockRange,
  width: bigint,
): Promise<RpcLog[]> {
  const starts: bigint[] = [];
  for (let start = from; start <= to; start += width) starts.push(start);
  const found: RpcLog[] = [];
  for (let i = 0; i < starts.length; i += TOGETHER) {
    const pieces = starts.slice(i, i + TOGETHER).map((start) => {
      const end = start + width - 1n < to ? start + width - 1n : to;
      const range = { fromBlock: numberToHex(start), toBlock: numberToHex(end) };
      return client.request({
        method: 'eth_getLogs',
        params: [{ address, topics: [...topics], ...range }],
      });
    });
    for (const logs of await Promise.all(pieces)) found.push(...logs);
  }
  return found;
}
