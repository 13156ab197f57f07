import { bytesToHex, keccak256, numberToHex, type PublicClient } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { ask } from '../../chain/answer.ts';
import { fieldsOf } from '../../compare.ts';
import { BundleImpossibleError, BundleUnavailableError } from './errors.ts';
import { type ReceiptsTrie, receiptsTrie } from './receipts-trie.ts';
import { encodeHeader, encodeReceipt, RpcShapeError } from './rlp-of-rpc.ts';
import { stateSyncHash } from './state-sync.ts';

/** Headers, or receipts, that are requested concurrently. */
const MAX_CONCURRENT_READS = 50;
/** Largest number of transactions of a block whose receipts are requested one by one. */
const MAX_RECEIPTS = 5_000;

/** A block as the RPC returned it. */
export interface RpcBlock {
  /** RLP; hashes to the block's hash. */
  readonly header: Hex;
  readonly hash: Hex;
  readonly number: bigint;
  readonly receiptsRoot: Hex;
  readonly transactions: readonly Hex[];
}

/**
 * Reads a block by its hash.
 * @throws {BundleUnavailableError} if the RPC does not have it.
 * @throws {BundleImpossibleError} if the returned header does not hash to the block's hash.
 */
export async function readBlock(client: PublicClient, hash: Hex): Promise<RpcBlock> {
  const question = client.request({ method: 'eth_getBlockByHash', params: [hash, false] });
  return blockOf(await answerTo(`Block ${hash}`, question));
}

/** Reads the headers of all blocks between two heights, both included, in ascending order. */
export async function readHeadersBetween(
  client: PublicClient,
  from: bigint,
  to: bigint,
): Promise<RpcBlock[]> {
  const blocks: RpcBlock[] = [];
  for (let start = from; start <= to; start += BigInt(MAX_CONCURRENT_READS)) {
    const end =
      start + BigInt(MAX_CONCURRENT_READS) - 1n < to
        ? start + BigInt(MAX_CONCURRENT_READS) - 1n
        : to;
    const questions: Promise<unknown>[] = [];
    for (let number = start; number <= end; number += 1n) {
      const params: [Hex, false] = [numberToHex(number), false];
      const question = client.request({ method: 'eth_getBlockByNumber', params });
      questions.push(answerTo(`Block ${number}`, question));
    }
    for (const answer of await Promise.all(questions)) blocks.push(blockOf(answer));
  }
  return blocks;
}

/**
 * Reads the receipts of a block in one request, or one by one if the RPC cannot, and builds their trie.
 * @throws {BundleImpossibleError} if its root is not the block's.
 */
export async function readReceiptsTrie(
  client: PublicClient,
  block: RpcBlock,
): Promise<ReceiptsTrie> {
  const { number, receiptsRoot } = block;
  const receipts = await readReceipts(client, block);
  const encoded = receipts.map((receipt) => shaped(() => encodeReceipt(receipt)));
  const trie = await receiptsTrie(encoded);
  if (trie.root === receiptsRoot) return trie;
  // Nodes add receipts that the trie lacks: Polygon's that of a state sync (before PIP-74), others those of no transaction.
  const isLastExtra = receipts.at(-1)?.transactionHash === stateSyncHash(block);
  const own = new Set<unknown>(block.transactions);
  const isOwn = (_: unknown, i: number) => own.has(receipts[i]?.transactionHash);
  for (const fewer of [isLastExtra ? encoded.slice(0, -1) : encoded, encoded.filter(isOwn)]) {
    if (fewer.length === encoded.length) continue;
    const shorter = await receiptsTrie(fewer);
    if (shorter.root === receiptsRoot) return shorter;
  }
  throw new BundleImpossibleError(
    `The receipts of block ${number} have the root ${trie.root}, but the header says ${receiptsRoot}: this chain encodes receipts otherwise than Ethereum, or the RPC gave wrong ones.`,
  );
}

type Receipt = Readonly<Record<string, unknown>>;

async function readReceipts(client: PublicClient, block: RpcBlock): Promise<Receipt[]> {
  const all = await ask(
    '',
    client.request<BlockReceipts>({
      method: 'eth_getBlockReceipts',
      params: [block.hash],
    }),
  );
  const receipts = (all.ok && Array.isArray(all.value) ? all.value : []).map(
    (receipt) => fieldsOf(receipt) ?? {},
  );
  const found = new Set(receipts.map(({ transactionHash }) => transactionHash));
  const isThere = (hash: Hex) => found.has(hash) || hash === stateSyncHash(block);
  if (block.transactions.every(isThere)) return receipts;
  return (await oneByOne(client, block)).map((receipt) => fieldsOf(receipt) ?? {});
}

/** Type of `eth_getBlockReceipts`, which viem lacks. */
interface BlockReceipts {
  readonly Method: 'eth_getBlockReceipts';
  readonly Parameters: [Hex];
  readonly ReturnType: unknown;
}

async function oneByOne(
  client: PublicClient,
  { hash, transactions }: RpcBlock,
): Promise<unknown[]> {
  if (transactions.length > MAX_RECEIPTS) {
    throw new BundleImpossibleError(
      `Block ${hash} has ${transactions.length} transactions, and the RPC cannot return their receipts in one response; at most ${MAX_RECEIPTS} are requested one by one.`,
    );
  }
  const receipts: unknown[] = [];
  for (let i = 0; i < transactions.length; i += MAX_CONCURRENT_READS) {
    const questions = transactions
      .slice(i, i + MAX_CONCURRENT_READS)
      .map((transaction) =>
        answerTo(
          `The receipt of transaction ${transaction}`,
          client.request({ method: 'eth_getTransactionReceipt', params: [transaction] }),
        ),
      );
    receipts.push(...(await Promise.all(questions)));
  }
  return receipts;
}

function blockOf(answer: unknown): RpcBlock {
  const fields = fieldsOf(answer) ?? {};
  const { hash, number, receiptsRoot, transactions } = fields;
  if (!isHash(hash) || !isHash(receiptsRoot)) {
    throw new BundleUnavailableError('The RPC gave a block without its hashes.');
  }
  const header = shaped(() => bytesToHex(encodeHeader(fields)));
  if (keccak256(header) !== hash) {
    throw new BundleImpossibleError(
      `The header of block ${Number(number)} hashes to ${keccak256(header)}, but the RPC says ${hash}: this chain’s headers have other fields than Ethereum’s, which a bundle cannot hold, or the RPC does not return them as they are.`,
    );
  }
  const list: readonly unknown[] = Array.isArray(transactions) ? transactions : [];
  return {
    header,
    hash,
    number: BigInt(String(number)),
    receiptsRoot,
    transactions: list.filter(isHash),
  };
}

/** Encodes an answer. @throws {BundleUnavailableError} if it lacks a field. */
function shaped<T>(encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof RpcShapeError)) throw error;
    throw new BundleUnavailableError(`No bundle can be made of it: ${error.message}.`);
  }
}

/**
 * Waits for an answer of the RPC; `what` names the question in the error.
 * @throws {BundleUnavailableError} if there is no answer; the message holds no URL.
 */
export async function answerTo<T>(what: string, question: Promise<T>): Promise<T> {
  const answer = await ask(what, question);
  if (!answer.ok) throw new BundleUnavailableError(answer.reason);
  if (answer.value === null) throw new BundleUnavailableError(`${what} is not known to the RPC.`);
  return answer.value;
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value);
}
