import { keccak256, numberToHex, type PublicClient, type RpcLog } from 'viem';
import type { Hex } from '../core/events.ts';
import type { ChainBlock, LogLocation, ProvenBlock } from './chain.ts';
import {
  IncompleteAnswerError,
  isLimited,
  isRefusedByHttp,
  isUnanswered,
  nullIfNotFound,
  refusalOf,
} from './errors.ts';

/** Which logs are read: those of one contract and of known events. */
export interface LogFilter {
  /** Lower case. */
  readonly contractAddress: Hex;
  /** First topics of the events that the indexer stores. */
  readonly eventSelectors: ReadonlySet<Hex>;
}

/** The parts of a receipt that the logs are taken from. */
interface RpcReceipt {
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logs: readonly RpcLog[];
}

/** The contract's logs in a range of blocks, by `eth_getLogs`; in order, each once. */
export async function getLogs(
  client: PublicClient,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<readonly LogLocation[]> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: filter.contractAddress,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
      },
    ],
  });
  return logsOfContract(logs, filter);
}

/**
 * A block with the contract's logs, from its header and, if its bloom says that there may be some, from
 * its receipts. An RPC stores those apart from the index that `eth_getLogs` uses.
 * @param isAlone as in `logsBehind`.
 * @returns `null` above the head.
 * @throws if receipts are missing or belong to another block.
 */
export async function getProvenBlock(
  client: PublicClient,
  filter: LogFilter,
  number: number,
  isAlone: boolean,
): Promise<ProvenBlock | null> {
  const header = await getHeader(client, numberToHex(number));
  if (header === null) return null;
  const { hash, parentHash, timestamp } = header;
  const logs = await logsBehind(client, filter, header, isAlone);
  return { number: header.number, hash, parentHash, timestamp, logs };
}

/** A block without what is in it. */
export interface Header extends ChainBlock {
  readonly parentHash: Hex;
  readonly logsBloom: Hex;
  readonly transactions: readonly Hex[];
}

/**
 * The header of a block.
 * @returns `null` above the head.
 * @throws if the block is pending.
 */
export async function getHeader(
  client: PublicClient,
  block: Hex | 'latest',
): Promise<Header | null> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [block, false] });
  if (found === null) return null;
  const { hash, parentHash, logsBloom } = found;
  if (found.number === null || hash === null || logsBloom === null) {
    throw new Error(`the RPC returned a pending block instead of block ${block}`);
  }
  return {
    number: Number(found.number),
    hash,
    parentHash,
    timestamp: Number(found.timestamp),
    logsBloom,
    transactions: found.transactions.map((one) => (typeof one === 'string' ? one : one.hash)),
  };
}

/**
 * The contract's logs in a block, from its receipts, if its bloom says that there may be some.
 * @param isAlone false if receipts of other blocks come in the same response; default true.
 * @throws if they are too many for one response, unless the block is alone.
 */
export async function logsBehind(
  client: PublicClient,
  filter: LogFilter,
  { hash, logsBloom, transactions }: Header,
  isAlone = true,
): Promise<readonly LogLocation[]> {
  const mayHave =
    bloomMayHold(logsBloom, filter.contractAddress) &&
    [...filter.eventSelectors].some((selector) => bloomMayHold(logsBloom, selector));
  // Some chains serve no blooms: zeros next to transactions prove nothing.
  const hasNoBloom = transactions.length > 0 && NO_BLOOM.test(logsBloom);
  const logs =
    mayHave || hasNoBloom ? await readLogs(client, filter, { hash, transactions }, isAlone) : [];
  return logsOfContract(logs, filter);
}

const NO_BLOOM = /^0x0*$/;

/**
 * All logs of a block, from its receipts. Chains with system transactions have fewer receipts than
 * transactions, or more: those that are missing are requested one by one, and those of no transaction count, too.
 * @throws if a receipt stays away and may have logs of the contract.
 */
async function readLogs(
  client: PublicClient,
  filter: LogFilter,
  { hash: blockHash, transactions }: Pick<Header, 'hash' | 'transactions'>,
  isAlone: boolean,
): Promise<readonly RpcLog[]> {
  const ofBlock = await blockReceipts(client, blockHash, isAlone);
  const found = new Map((ofBlock ?? []).map((receipt) => [receipt.transactionHash, receipt]));
  const single = transactions.filter((hash) => !found.has(hash));
  const receipts = await Promise.all(
    single.map((hash) =>
      nullIfNotFound(
        client.request({
          method: 'eth_getTransactionReceipt',
          params: [hash],
        }) as Promise<RpcReceipt | null>,
      ),
    ),
  );
  for (const receipt of receipts) if (receipt) found.set(receipt.transactionHash, receipt);
  if ([...found.values()].some((receipt) => receipt.blockHash !== blockHash)) {
    throw new IncompleteAnswerError(`returned receipts of another block for block ${blockHash}`);
  }
  if (found.size === 0 && ofBlock === null) {
    throw new IncompleteAnswerError(`has block ${blockHash}, but none of its receipts`);
  }
  const missing = new Set(transactions.filter((hash) => !found.has(hash)));
  if (missing.size > 0) await requireNoneOfContract(client, filter, blockHash, missing);
  return [...found.values()].flatMap(({ logs }) => logs);
}

/** A transaction without a receipt may not have logs of the contract, by the RPC's own index of logs. */
async function requireNoneOfContract(
  client: PublicClient,
  filter: LogFilter,
  blockHash: Hex,
  missing: ReadonlySet<Hex>,
): Promise<void> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [{ address: filter.contractAddress, blockHash }],
  });
  const [log] = logs.filter((one) => one.transactionHash && missing.has(one.transactionHash));
  if (log === undefined) return;
  throw new IncompleteAnswerError(
    `has no receipt of transaction ${log.transactionHash} in block ${blockHash}, which has events of the contract`,
  );
}

/**
 * The receipts of a block in one request; none if the RPC has no such request, `null` if it does not know the
 * block.
 */
async function blockReceipts(
  client: PublicClient,
  blockHash: Hex,
  isAlone: boolean,
): Promise<readonly RpcReceipt[] | null> {
  try {
    return await client.request<{
      Method: 'eth_getBlockReceipts';
      Parameters: [Hex];
      ReturnType: RpcReceipt[] | null;
    }>({ method: 'eth_getBlockReceipts', params: [blockHash] });
  } catch (error) {
    // Single receipts are safe to request instead: a missing one is noticed. A limit would only be reached again.
    const isAway = isUnanswered(error) && !isRefusedByHttp(error);
    // Of fewer blocks they may fit into a response; those of one block are requested one by one.
    const isTooLarge = refusalOf(error) === 'size';
    if (isTooLarge ? !isAlone : isAway || isLimited(error)) throw error;
    return [];
  }
}

/** Blocks in which a log is looked for that `eth_getLogs` must return. */
const MAX_PROBED_BLOCKS = 8;

/**
 * An RPC that has pruned old receipts, or the index of their logs, may answer `eth_getLogs` with an empty list. So it
 * has to show that it still returns a log of the first block of a range that has one.
 * @throws {IncompleteAnswerError} if it does not. It proves nothing if the first blocks have no logs.
 */
export async function requireHistory(
  client: PublicClient,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<void> {
  for (let number = from; number <= Math.min(to, from + MAX_PROBED_BLOCKS - 1); number += 1) {
    const block = numberToHex(number);
    const header = await getHeader(client, block);
    if (header === null) throw new IncompleteAnswerError(`does not have block ${number}`);
    const { hash, transactions } = header;
    const logs = transactions.length > 0 ? await readLogs(client, filter, header, true) : [];
    const [log] = logs;
    if (log === undefined) continue;
    const { address } = log;
    const params = [{ address, fromBlock: block, toBlock: block }] as const;
    const returned = await client.request({ method: 'eth_getLogs', params: [...params] });
    if (returned.some(({ blockHash }) => blockHash === hash)) return;
    throw new IncompleteAnswerError(
      `has logs in block ${number} that it leaves out of eth_getLogs: its history is not complete`,
    );
  }
}

/** The logs that the indexer stores, in order, each once: an RPC may repeat or shuffle them. */
function logsOfContract(logs: readonly RpcLog[], filter: LogFilter): readonly LogLocation[] {
  const sorted = logs
    .filter(
      ({ address, topics, removed }) =>
        removed !== true &&
        address.toLowerCase() === filter.contractAddress &&
        topics[0] !== undefined &&
        filter.eventSelectors.has(topics[0]),
    )
    .map(locationOf)
    .sort(byPlace);
  // Some RPCs number the logs of each transaction, and not those of the block.
  const once = new Map(
    sorted.map((log) => [`${log.blockHash} ${log.transactionHash} ${log.logIndex}`, log]),
  );
  return [...once.values()];
}

function byPlace(a: LogLocation, b: LogLocation): number {
  return (
    a.blockNumber - b.blockNumber ||
    a.transactionIndex - b.transactionIndex ||
    a.logIndex - b.logIndex
  );
}

function locationOf(log: RpcLog): LogLocation {
  const { blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = log;
  if (
    blockNumber === null ||
    blockHash === null ||
    transactionHash === null ||
    transactionIndex === null ||
    logIndex === null
  ) {
    throw new Error('the RPC returned a pending log instead of a mined one');
  }
  return {
    blockNumber: Number(blockNumber),
    blockHash,
    transactionHash,
    transactionIndex: Number(transactionIndex),
    logIndex: Number(logIndex),
  };
}

/**
 * True if a block's `logsBloom` may contain an address or a topic (Yellow Paper, section 4.3.1). False proves
 * that no log of the block has it; true may be chance.
 */
function bloomMayHold(bloom: Hex, value: Hex): boolean {
  const hash = keccak256(value);
  return [2, 6, 10].every((at) => {
    const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 2_047;
    const octetAt = 2 + 2 * (255 - (bit >> 3));
    const octet = Number.parseInt(bloom.slice(octetAt, octetAt + 2), 16);
    return (octet & (1 << (bit & 7))) !== 0;
  });
}
