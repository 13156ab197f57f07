import { bytesToHex, keccak256, numberToHex, type PublicClient } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { ask } from '../../chain/answer.ts';
import { fieldsOf } from '../../compare.ts';
import { BundleImpossibleError, BundleUnavailableError } from './errors.ts';
import { encodeHeader, encodeReceipt, RpcShapeError } from './rlp-of-rpc.ts';

/** Headers asked for together. */
const TOGETHER = 50;
/** Transactions of a block whose receipts are asked for one by one, at most. */
const RECEIPTS_MOST = 5_000;

/** A block as the RPC has it. */
export interface RpcBlock {
  /** RLP; hashes to the block's hash. */
  readonly header: Hex;
  readonly hash: Hex;
  readonly receiptsRoot: Hex;
  readonly transactions: readonly Hex[];
}

/**
 * @throws {BundleUnavailableError} where the RPC does not have it.
 * @throws {BundleImpossibleError} where the header that it gives does not hash to the block.
 */
export async function readBlock(client: PublicClient, hash: Hex): Promise<RpcBlock> {
  const question = client.request({ method: 'eth_getBlockByHash', params: [hash, false] });
  return blockOf(await answerTo(`Block ${hash}`, question));
}

/** The headers of all blocks between two heights, both included, by rising number. */
export async function readHeadersBetween(
  client: PublicClient,
  from: bigint,
  to: bigint,
): Promise<RpcBlock[]> {
  const blocks: RpcBlock[] = [];
  for (let start = from; start <= to; start += BigInt(TOGETHER)) {
    const end = start + BigInt(TOGETHER) - 1n < to ? start + BigInt(TOGETHER) - 1n : to;
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

/** All receipts of a block, encoded, in order: at once, or one by one where the RPC cannot. */
export async function readReceipts(client: PublicClient, block: RpcBlock): Promise<Uint8Array[]> {
  const all = await ask(
    '',
    client.request<BlockReceipts>({
      method: 'eth_getBlockReceipts',
      params: [block.hash],
    }),
  );
  const receipts = all.ok && Array.isArray(all.value) ? all.value : await oneByOne(client, block);
  return receipts.map((receipt) => encoded(() => encodeReceipt(fieldsOf(receipt) ?? {})));
}

/** viem types `eth_getBlockReceipts` nowhere. */
interface BlockReceipts {
  readonly Method: 'eth_getBlockReceipts';
  readonly Parameters: [Hex];
  readonly ReturnType: unknown;
}

async function oneByOne(
  client: PublicClient,
  { hash, transactions }: RpcBlock,
): Promise<unknown[]> {
  if (transactions.length > RECEIPTS_MOST) {
    throw new BundleImpossibleError(
      `Block ${hash} has ${transactions.length} transactions, and the RPC does not give their receipts at once; ${RECEIPTS_MOST} are asked for one by one at most.`,
    );
  }
  const receipts: unknown[] = [];
  for (let i = 0; i < transactions.length; i += TOGETHER) {
    const questions = transactions
      .slice(i, i + TOGETHER)
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
  const header = encoded(() => bytesToHex(encodeHeader(fields)));
  if (keccak256(header) !== hash) {
    throw new BundleImpossibleError(
      `The header of block ${Number(number)} hashes to ${keccak256(header)}, but the RPC says ${hash}: this chain’s headers have other fields than Ethereum’s, and a bundle cannot hold them.`,
    );
  }
  const list: readonly unknown[] = Array.isArray(transactions) ? transactions : [];
  return { header, hash, receiptsRoot, transactions: list.filter(isHash) };
}

/** @throws {BundleUnavailableError} where an answer lacks what it should have. */
function encoded<T>(encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof RpcShapeError)) throw error;
    throw new BundleUnavailableError(`No bundle can be made of it: ${error.message}.`);
  }
}

/** @throws {BundleUnavailableError} where there is none; it holds no URL. */
export async function answerTo<T>(what: string, question: Promise<T>): Promise<T> {
  const answer = await ask(what, question);
  if (!answer.ok) throw new BundleUnavailableError(answer.reason);
  if (answer.value === null) throw new BundleUnavailableError(`${what} is not known to the RPC.`);
  return answer.value;
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value);
}
