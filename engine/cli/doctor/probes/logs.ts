import { numberToHex } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { type Ability, has, lacks, misses, unknown } from '../ability.ts';
import type { Answer, Asker } from '../asker.ts';
import { grouped, type SeenBlock } from '../subject.ts';

/** Blocks of one `eth_getLogs` that are tried, from the most that Tributary asks for. */
const RANGES = [2_000, 500, 100, 10, 1] as const;

/** Requests per second with which the indexer begins. */
const DEFAULT_RATE = 20;

/** Where logs are searched. */
export interface LogSearch {
  readonly address: Hex;
  /** Newest block. */
  readonly newest: number;
  /** First block with logs of the contract, if it is known. */
  readonly startBlock?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
}

/** Finds the largest range of `eth_getLogs` that is answered. */
export async function logRangeOf(asker: Asker, search: LogSearch): Promise<Ability> {
  const refused: Refused[] = [];
  for (const range of RANGES) {
    // A short chain has no longer range.
    const blocks = Math.min(range, search.newest + 1);
    const answer = await logsOf(asker, search, blocks);
    if (isList(answer)) return await confirmed(asker, search, { blocks, refused });
    refused.push({ blocks, answer });
    if (refused.filter(({ answer: one }) => isUnclear(one)).length > 1) break;
  }
  const last = refused.at(-1)?.answer;
  const found = `no range is answered: it ${reasonOf(last)}`;
  // Only its own word that it does not have the method, or these blocks, is a lack.
  if (last?.kind !== 'no') return unknown('logs', found);
  return misses('logs', found, {
    cost: 'The indexer reads sales by eth_getLogs, so that it finds none.',
    set: { RPC_URL: 'an RPC with eth_getLogs' },
  });
}

/** A range that was not answered. */
interface Refused {
  readonly blocks: number;
  readonly answer: Answer;
}

/** A larger range is asked for again, because what was refused for a moment is no limit. */
async function confirmed(
  asker: Asker,
  search: LogSearch,
  { blocks, refused }: { readonly blocks: number; readonly refused: readonly Refused[] },
): Promise<Ability> {
  const larger = refused.at(-1);
  if (larger === undefined) return has('logs', `${blocksOf(blocks)} in one request`);
  const again = await logsOf(asker, search, larger.blocks);
  if (isList(again)) {
    const found = `${blocksOf(larger.blocks)} in one request, the second time`;
    return refused.length === 1 ? has('logs', found) : slower(search, larger.blocks, found);
  }
  const found = `${blocksOf(blocks)} in one request; ${grouped(larger.blocks)} fail: it ${reasonOf(again)}`;
  if (isUnclear(again)) return { ...unknown('logs', found), isNeeded: false };
  return slower(search, blocks, found);
}

function slower(search: LogSearch, blocks: number, found: string): Ability {
  const { startBlock, newest, requestsPerSecond: rate = DEFAULT_RATE } = search;
  const most = RANGES[0];
  if (startBlock === undefined) {
    const times = Math.ceil(most / blocks);
    return lacks('logs', found, {
      cost: `The first start reads the history in ${grouped(times)} times as many calls.`,
    });
  }
  const history = Math.max(1, newest - startBlock + 1);
  const calls = Math.ceil(history / blocks);
  const minutes = Math.ceil(calls / rate / 60);
  return lacks('logs', found, {
    cost: `The first start reads ${grouped(history)} blocks in ${grouped(calls)} calls instead of ${grouped(Math.ceil(history / most))}: at least ${grouped(minutes)} min at ${rate} a second.`,
    set: { RPC_REQUESTS_PER_SECOND: `what your plan allows, if that is more than ${rate}` },
  });
}

/** The logs of one block by its hash, by which the indexer follows the head. */
export async function blockLogsOf(asker: Asker, { hash }: SeenBlock): Promise<Ability> {
  const answer = await asker.ask('eth_getLogs', [{ blockHash: hash }]);
  if (isList(answer)) return has('block-logs', 'logs of a block by its hash');
  if (answer.kind !== 'no') return unknown('block-logs', `it ${reasonOf(answer)}`);
  return misses('block-logs', `no logs of a block by its hash: it ${answer.reason}`, {
    cost: 'The indexer cannot follow new blocks.',
    set: { RPC_URL: 'an RPC whose eth_getLogs takes a blockHash' },
  });
}

/** A first topic that no event has: the range is of interest, and its logs may be 100 MB. */
const NO_EVENT = numberToHex(0, { size: 32 });

async function logsOf(asker: Asker, { address, newest }: LogSearch, blocks: number) {
  const [fromBlock, toBlock] = [numberToHex(newest - blocks + 1), numberToHex(newest)];
  return await asker.ask('eth_getLogs', [{ address, topics: [NO_EVENT], fromBlock, toBlock }]);
}

function isList(answer: Answer): boolean {
  return answer.kind === 'value' && Array.isArray(answer.value);
}

/** True for a refusal of the rate of requests, and for no answer at all: neither is about the range. */
function isUnclear(answer: Answer): boolean {
  if (answer.kind !== 'unknown') return false;
  return answer.isRateLimit || !/^(?:refused|answered HTTP 4(?:00|13))/.test(answer.reason);
}

function reasonOf(answer: Answer | undefined): string {
  if (answer === undefined) return 'was not asked';
  return answer.kind === 'value' ? 'answers no list' : answer.reason;
}

function blocksOf(count: number): string {
  return count === 1 ? '1 block' : `${grouped(count)} blocks`;
}
