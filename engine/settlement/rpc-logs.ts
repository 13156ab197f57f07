import {
  BaseError,
  HttpRequestError,
  numberToHex,
  type PublicClient,
  type RpcLog,
  TimeoutError,
} from 'viem';
import type { Hex } from '../core/events.ts';
import { bloomMayHold } from './bloom.ts';
import type { ChainLog, ProvenBlock } from './chain.ts';

/** The logs that are asked for. */
export interface LogFilter {
  /** Lower case. */
  readonly contractAddress: Hex;
  /** First topics of the events that the indexer keeps. */
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
): Promise<readonly ChainLog[]> {
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
 * A block with the contract's logs, by its header and, where the bloom says that there may be some,
 * its receipts: an RPC keeps those elsewhere than what `eth_getLogs` looks in.
 * @returns `null` above the head.
 * @throws where the receipts are not all there, or of another block.
 */
export async function getProvenBlock(
  client: PublicClient,
  filter: LogFilter,
  number: number,
): Promise<ProvenBlock | null> {
  const block = await client.request({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(number), false],
  });
  if (block === null) return null;
  const { hash, parentHash, logsBloom } = block;
  if (hash === null || logsBloom === null) {
    throw new Error(`the RPC answered a pending block where block ${number} was asked for`);
  }
  const mayHave =
    bloomMayHold(logsBloom, filter.contractAddress) &&
    [...filter.eventSelectors].some((selector) => bloomMayHold(logsBloom, selector));
  const transactions = block.transactions.map((one) => (typeof one === 'string' ? one : one.hash));
  const receipts = mayHave ? await getReceipts(client, hash, transactions) : [];
  return {
    number: Number(block.number),
    hash,
    parentHash,
    timestamp: Number(block.timestamp),
    logs: logsOfContract(
      receipts.flatMap(({ logs }) => logs),
      filter,
    ),
  };
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
  // Each was just seen not to be null.
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
    // Not every RPC knows the method. One that did not answer has not said so.
    if (isUnanswered(error)) throw error;
  }
  return await Promise.all(
    transactions.map((hash) =>
      client.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    ),
  );
}

/** Those that the indexer keeps, in order, each once: an RPC may repeat or shuffle them. */
function logsOfContract(logs: readonly RpcLog[], filter: LogFilter): readonly ChainLog[] {
  const sorted = logs
    .filter(
      ({ address, topics, removed }) =>
        removed !== true &&
        address.toLowerCase() === filter.contractAddress &&
        topics[0] !== undefined &&
        filter.eventSelectors.has(topics[0]),
    )
    .map(chainLog)
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const once = new Map(sorted.map((log) => [`${log.blockHash} ${log.logIndex}`, log]));
  return [...once.values()];
}

function chainLog(log: RpcLog): ChainLog {
  const { blockNumber, blockHash, transactionHash, transactionIndex, logIndex } = log;
  if (
    blockNumber === null ||
    blockHash === null ||
    transactionHash === null ||
    transactionIndex === null ||
    logIndex === null
  ) {
    throw new Error('the RPC answered a pending log where mined ones were asked for');
  }
  return {
    blockNumber: Number(blockNumber),
    blockHash,
    transactionHash,
    transactionIndex: Number(transactionIndex),
    logIndex: Number(logIndex),
  };
}

/** Whether an error says nothing but that the RPC gave no answer just now. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const cause = error.walk((one) => one instanceof HttpRequestError || one instanceof TimeoutError);
  return cause !== null;
}
