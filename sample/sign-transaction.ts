import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseGwei,
} from 'viem';
import { signTransaction } from 'viem/accounts';
import { referralCommerceAbi, referralCommerceBytecode } from '../abis/referralCommerce.ts';
import { testTokenAbi, testTokenBytecode } from '../abis/testToken.ts';
import type { PlannedTransaction, TransactionContent } from './planned-transaction.ts';
import { signTyped } from './typed-data.ts';

/** Chain and contract that a transaction is signed for. */
export interface Target {
  readonly chainId: number;
  readonly contractAddress: Address;
}

/** Position of a transaction among those of its sender and of its block. */
export interface TransactionPosition {
  readonly nonce: number;
  /** Number of transactions after it in the block. */
  readonly after: number;
}

const FEE = parseGwei('20');
const TIP = parseGwei('1');
/** Gas for all other calls. */
const GAS = 1_000_000n;
const DEPLOYMENT_GAS = 12_000_000n;
const GAS_PER_FINALIZED_SALE = 400_000n;

/**
 * Signs a planned transaction. Gas is fixed, so that the same plan gives the same bytes. Each
 * transaction of a block pays one wei less than the previous one, because anvil orders by fee.
 */
export async function signPlanned(
  step: PlannedTransaction,
  target: Target,
  position: TransactionPosition,
): Promise<Hex> {
  const { to, data } = await contentOf(step.content, target);
  return signTransaction({
    privateKey: step.by.privateKey,
    transaction: {
      type: 'eip1559',
      chainId: target.chainId,
      nonce: position.nonce,
      gas: gasOf(step.content),
      maxFeePerGas: FEE + BigInt(position.after),
      maxPriorityFeePerGas: TIP,
      data,
      ...(to === null ? {} : { to }),
    },
  });
}

async function contentOf(
  call: TransactionContent,
  target: Target,
): Promise<{ to: Address | null; data: Hex }> {
  switch (call.kind) {
    case 'deployCommerce':
      return { to: null, data: referralCommerceBytecode };
    case 'deployToken':
      return { to: null, data: deployTokenData(call.token) };
    case 'token':
      return { to: call.address, data: dataOf(testTokenAbi, call.functionName, call.args) };
    case 'commerce':
      return { to: target.contractAddress, data: await commerceData(call, target) };
  }
}

function deployTokenData(token: { name: string; symbol: string; decimals: number }): Hex {
  const { name, symbol, decimals } = token;
  return encodeDeployData({
    abi: testTokenAbi,
    bytecode: testTokenBytecode,
    args: [name, symbol, decimals],
  });
}

async function commerceData(
  { functionName, args, signing }: Extract<TransactionContent, { kind: 'commerce' }>,
  target: Target,
): Promise<Hex> {
  if (signing === undefined) return dataOf(referralCommerceAbi, functionName, args);
  const signature = await signTyped(signing.by, target, signing.message);
  return dataOf(referralCommerceAbi, functionName, [...args.slice(0, -1), signature]);
}

function dataOf(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}

function gasOf(call: TransactionContent): bigint {
  if (call.kind === 'deployCommerce' || call.kind === 'deployToken') return DEPLOYMENT_GAS;
  if (call.kind === 'commerce' && call.functionName === 'finalize') {
    return GAS + GAS_PER_FINALIZED_SALE * BigInt(call.args[0].length);
  }
  return GAS;
}
