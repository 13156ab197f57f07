import {
  type Abi,
  decodeErrorResult,
  type Hex,
  hexToNumber,
  keccak256,
  numberToHex,
  parseEther,
} from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { testTokenAbi } from '../../../abis/testToken.ts';
import type { Rpc } from './rpc.ts';
import type { PlannedBlock, Step } from './steps.ts';
import { signStep, type Target } from './transactions.ts';

/** A step whose transaction did not do what it was planned for. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(
    readonly step: Step,
    reason: string,
  ) {
    super(`${step.by.name} ${step.what}: ${reason}`);
  }
}

/** What a mined block holds, as far as the player needs it. */
export interface PlayedBlock {
  readonly number: number;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[] }[];
}

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  readonly logs: PlayedBlock['logs'];
}

const BALANCE = numberToHex(parseEther('1000'));

/** Gives everybody who sends something the ether to pay for it. */
export async function payIn(rpc: Rpc, blocks: readonly PlannedBlock[]): Promise<void> {
  const senders = new Set(blocks.flatMap(({ steps }) => steps.map(({ by }) => by.address)));
  const answers = await rpc.batch(
    [...senders].map((address) => ({ method: 'anvil_setBalance', params: [address, BALANCE] })),
  );
  const failed = answers.find((answer) => 'error' in answer);
  if (failed && 'error' in failed) throw new Error(`anvil_setBalance: ${failed.error}`);
}

/**
 * Sends blocks one after the other, each mined at its own time with exactly its steps in their
 * order. The chain must not mine by itself meanwhile.
 *
 * @param onBlock told each block once it is mined.
 * @throws StepError where a transaction is refused, left out or reverted.
 */
export async function playBlocks(
  rpc: Rpc,
  target: Target,
  blocks: readonly PlannedBlock[],
  onBlock: (block: PlayedBlock) => void,
): Promise<void> {
  const nonces = new Map<string, number>();
  for (const block of blocks) onBlock(await playBlock(rpc, target, block, nonces));
}

async function playBlock(
  rpc: Rpc,
  target: Target,
  { timestamp, steps }: PlannedBlock,
  nonces: Map<string, number>,
): Promise<PlayedBlock> {
  const signed = await Promise.all(
    steps.map((step, i) => {
      const nonce = nonces.get(step.by.address) ?? 0;
      nonces.set(step.by.address, nonce + 1);
      return signStep(step, target, { nonce, after: steps.length - 1 - i });
    }),
  );
  const answers = await rpc.batch(
    signed.map((transaction) => ({ method: 'eth_sendRawTransaction', params: [transaction] })),
  );
  for (const [i, step] of steps.entries()) {
    const answer = answers[i];
    if (answer && 'error' in answer) throw new StepError(step, `was refused (${answer.error}).`);
  }
  await rpc.request('evm_setNextBlockTimestamp', timestamp);
  await rpc.request('evm_mine');
  const receipts = (await rpc.request('eth_getBlockReceipts', 'latest')) as Receipt[];
  await check(
    rpc,
    steps,
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
  steps: readonly Step[],
  hashes: readonly Hex[],
  receipts: readonly Receipt[],
): Promise<void> {
  for (const [i, step] of steps.entries()) {
    const receipt = receipts[i];
    const hash = hashes[i];
    if (receipt === undefined || receipt.transactionHash !== hash) {
      throw new StepError(step, `is not transaction ${i} of its block, as it was planned.`);
    }
    if (receipt.status !== '0x1') {
      throw new StepError(step, `reverted with ${await reasonOf(rpc, receipt.transactionHash)}.`);
    }
  }
  const [last] = steps.slice(-1);
  if (last && receipts.length > steps.length) {
    throw new StepError(last, 'shares its block with transactions that nobody planned.');
  }
}

/** The custom error of a reverted transaction, as Solidity would write it. */
async function reasonOf(rpc: Rpc, hash: Hex): Promise<string> {
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
