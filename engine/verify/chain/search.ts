import { numberToHex, type PublicClient, type RpcLog } from 'viem';
import type { Address, Hex } from '../../core/events.ts';
import { refusalKind } from '../../core/rpc-refusal.ts';
import { causesOf, numberOf, SearchTooWideError } from './answer.ts';

/** Topics for `eth_getLogs`: a list matches any of its entries, `null` matches everything. */
export type Topics = readonly (Hex | Hex[] | null)[];

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** True if the RPC refused because of how much it is asked in all. */
function isForRate(error: unknown): boolean {
  const causes = [...causesOf(error)];
  const words = causes.find(({ name }) => name === 'RpcRequestError');
  return causes.some((one) => {
    const [code, status] = [numberOf(one, 'code'), numberOf(one, 'status')];
    const details: unknown = words && Reflect.get(words, 'details');
    return refusalKind({ code, status, words: String(details ?? '') }) === 'rate';
  });
}

/** Range widths, in blocks, to try after an RPC refused a wider one. */
const NARROWER = [10_000n, 1_000n] as const;
/** Largest number of requests of one search. */
const REQUESTS = 1_000n;
/** Requests that are sent concurrently. */
const MAX_CONCURRENT_REQUESTS = 50;

/**
 * Finds every log of the contract with these topics. It requests the whole range, or narrower ranges if
 * the RPC refuses.
 *
 * @throws {SearchTooWideError} if that would take too many requests. If the RPC refuses the narrowest
 * range, its error is thrown.
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
        `the RPC refuses a search of ${span} blocks, and pieces of ${width} are too many; say from which block to search`,
      );
    }
    try {
      return await inPieces(client, contractAddress, topics, range, width);
    } catch (error) {
      // Narrower ranges would only be more requests.
      if (isForRate(error)) throw error;
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
  for (let i = 0; i < starts.length; i += MAX_CONCURRENT_REQUESTS) {
    const pieces = starts.slice(i, i + MAX_CONCURRENT_REQUESTS).map((start) => {
      const end = start + width - 1n < to ? start + width - 1n : to;
      const range = { fromBlock: numberToHex(start), toBlock: numberToHex(end) };
      return client.request({
        method: 'eth_getLogs',
        params: [{ address, topics: [...topics], ...range }],
      });
    });
    for (const logs of await Promise.all(pieces)) found.push(...logs);
  }
  return uniqueLogs(found);
}

/** Logs of blocks that were not removed, each once: an RPC may repeat them. */
export function uniqueLogs(logs: readonly RpcLog[]): RpcLog[] {
  const places = logs
    .filter(({ removed }) => removed !== true)
    .map((log) => [`${log.blockHash} ${log.transactionHash} ${log.logIndex}`, log] as const);
  return [...new Map(places).values()];
}
