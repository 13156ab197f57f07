import { keccak256, numberToHex, type PublicClient, type RpcLog } from 'viem';
import type { Hex } from '../core/events.ts';
import type { ChainBlock, LogLocation, ProvenBlock } from './chain.ts';
import { isUnanswered } from './errors.ts';

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
 * @returns `null` above the head.
 * @throws if receipts are missing or belong to another block.
 */
export async function getProvenBlock(
  client: PublicClient,
  filter: LogFilter,
  number: number,
): Promise<ProvenBlock | null> {
  const header = await getHeader(client, numberToHex(number));
  if (header === null) return null;
  const { hash, parentHash, timestamp } = header;
  const logs = await logsBehind(client, filter, header);
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

/** The contract's logs in a block, from its receipts, if its bloom says that there may be some. */
export async function logsBehind(
  client: PublicClient,
  filter: LogFilter,
  { hash, logsBloom, transactions }: Header,
): Promise<readonly LogLocation[]> {
  const mayHave =
    bloomMayHold(logsBloom, filter.contractAddress) &&
    [...filter.eventSelectors].some((selector) => bloomMayHold(logsBloom, selector));
  const receipts = mayHave ? await getReceipts(client, hash, transactions) : [];
  return logsOfContract(
    receipts.flatMap(({ logs }) => logs),
    filter,
  );
}

async function getReceipts(
  client: PublicClient,
  blockHash: Hex,
  transactions: readonly Hex[],
): Promise<readonly RpcReceipt[]> {
  const receipts = await blockReceipts(client, blockHash, transactions);
  const whole =
    receipts.length === transactions.length &&
    receipts.every((receipt) => receipt?.blockHash === blockHash);
  if (!whole) throw new Error(`the RPC does not have all receipts of block ${blockHash}`);
  // `whole` has checked that none is null.
  return receipts.filter((receipt) => receipt !== null);
}

async function blockReceipts(
  client: PublicClient,
  blockHash: Hex,
  transactions: readonly Hex[],
): Promise<readonly (RpcReceipt | null)[]> {
  try {
    const receipts = await client.request<{
      Method: 'eth_getBlockReceipts';
      Parameters: [Hex];
      ReturnType: RpcReceipt[] | null;
    }>({ method: 'eth_getBlockReceipts', params: [blockHash] });
    if (receipts !== null) return receipts;
  } catch (error) {
    // Not every RPC has the method; one that did not answer says nothing about that.
    if (isUnanswered(error)) throw error;
  }
  return await Promise.all(
    transactions.map((hash) =>
      client.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    ),
  );
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
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const once = new Map(sorted.map((log) => [`${log.blockHash} ${log.logIndex}`, log]));
  return [...once.values()];
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
