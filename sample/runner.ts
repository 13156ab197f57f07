import {
  type Abi,
  decodeErrorResult,
  type Hex,
  hexToNumber,
  keccak256,
  numberToHex,
  parseEther,
} from 'viem';
import { referralCommerceAbi } from '../abis/referralCommerce.ts';
import { testTokenAbi } from '../abis/testToken.ts';
import type { PlannedBlock, PlannedTransaction } from './planned-transaction.ts';
import type { Rpc } from './rpc.ts';
import { signPlanned, type Target } from './sign-transaction.ts';

/** Thrown if a planned transaction was refused, left out or reverted. */
export class TransactionError extends Error {
  override readonly name = 'StepError';

  constructor(
    readonly transaction: PlannedTransaction,
    reason: string,
  ) {
    super(`${transaction.by.name} ${transaction.what}: ${reason}`);
  }
}

/** The fields of a mined block that the sample needs. */
export interface MinedBlock {
  readonly number: number;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[] }[];
}

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  readonly logs: MinedBlock['logs'];
}

const BALANCE = numberToHex(parseEther('1000'));

/** Gives every sender enough ether for its fees. */
export async function fundSenders(rpc: Rpc, blocks: readonly PlannedBlock[]): Promise<void> {
  const senders = new Set(
    blocks.flatMap(({ transactions }) => transactions.map(({ by }) => by.address)),
  );
  const answers = await rpc.batch(
    [...senders].map((address) => ({ method: 'anvil_setBalance', params: [address, BALANCE] })),
  );
  const failed = answers.find((answer) => 'error' in answer);
  if (failed && 'error' in failed) throw new Error(`anvil_setBalance: ${failed.error}`);
}

/**
 * Sends blocks one by one, each mined at its own time with exactly its transactions in their order.
 * The chain must not mine automatically meanwhile.
 *
 * @param onBlock receives each block after it was mined.
 * @throws {TransactionError} if a transaction is refused, left out or reverted.
 */
export async function runBlocks(
  rpc: Rpc,
  target: Target,
  blocks: readonly PlannedBlock[],
  onBlock: (block: MinedBlock) => void,
): Promise<void> {
  const nonces = new Map<string, number>();
  for (const block of blocks) onBlock(await runBlock(rpc, target, block, nonces));
}

async function runBlock(
  rpc: Rpc,
  target: Target,
  { timestamp, transactions }: PlannedBlock,
  nonces: Map<string, number>,
): Promise<MinedBlock> {
  const signed = await Promise.all(
    transactions.map((step, i) => {
      const nonce = nonces.get(step.by.address) ?? 0;
      nonces.set(step.by.address, nonce + 1);
      return signPlanned(step, target, { nonce, after: transactions.length - 1 - i });
    }),
  );
  const answers = await rpc.batch(
    signed.map((transaction) => ({ method: 'eth_sendRawTransaction', params: [transaction] })),
  );
  for (const [i, step] of transactions.entries()) {
    const answer = answers[i];
    if (answer && 'error' in answer)
      throw new TransactionError(step, `was refused (${answer.error}).`);
  }
  await rpc.request('evm_setNextBlockTimestamp', timestamp);
  await rpc.request('evm_mine');
  const receipts = (await rpc.request('eth_getBlockReceipts', 'latest')) as Receipt[];
  await check(
    rpc,
    transactions,
    signed.map((transaction) => keccak256(transaction)),
    receipts,
  );
  return {
    number: hexToNumber(receipts[0]?.blockNumber ?? '0x0'),
    logs: receipts.flatMap(({ logs }) => logs),
  };
}

async function check(
  rpc: Rpc,
  steps: readonly PlannedTransaction[],
  hashes: readonly Hex[],
  receipts: readonly Receipt[],
): Promise<void> {
  for (const [i, step] of steps.entries()) {
    const receipt = receipts[i];
    const hash = hashes[i];
    if (receipt === undefined || receipt.transactionHash !== hash) {
      throw new TransactionError(step, `is not transaction ${i} of its block, as planned.`);
    }
    if (receipt.status !== '0x1') {
      throw new TransactionError(
        step,
        `reverted with ${await revertReason(rpc, receipt.transactionHash)}.`,
      );
    }
  }
  const [last] = steps.slice(-1);
  if (last && receipts.length > steps.length) {
    throw new TransactionError(last, 'shares its block with transactions that were not planned.');
  }
}

/** The custom error of a reverted transaction, as Solidity would write it. */
export async function revertReason(rpc: Rpc, hash: Hex): Promise<string> {
  const tracer = { tracer: 'callTracer' };
  const trace = (await rpc.request('debug_traceTransaction', hash, tracer)) as {
    output?: Hex;
    error?: string;
  };
  if (!trace.output || trace.output === '0x') return trace.error ?? 'no reason';
  try {
    const abi: Abi = [...referralCommerceAbi, ...testTokenAbi];
    const { errorName, args = [] } = decodeErrorResult({ abi, data: trace.output });
    return `${errorName}(${args.join(', ')})`;
  } catch {
    return trace.output;
  }
}
