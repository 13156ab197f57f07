import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseGwei,
} from 'viem';
import { signTransaction } from 'viem/accounts';
import { referralCommerceAbi, referralCommerceBytecode } from '../../../abis/referralCommerce.ts';
import { testTokenAbi, testTokenBytecode } from '../../../abis/testToken.ts';
import type { Call, Step } from './steps.ts';
import { signTyped } from './typed-data.ts';

/** The chain and the contract that a step's transaction is for. */
export interface Target {
  readonly chainId: number;
  readonly contractAddress: Address;
}

/** Where a transaction stands among its sender's, and among its block's. */
export interface Place {
  readonly nonce: number;
  /** How many of the block come after it. */
  readonly after: number;
}

const FEE = parseGwei('20');
const TIP = parseGwei('1');
/** More than any call but those below needs. */
const GAS = 1_000_000n;
const DEPLOYMENT_GAS = 12_000_000n;
const GAS_PER_FINALIZED_SALE = 400_000n;

/**
 * Signs a step's transaction. Gas is set by hand, so that the same step gives the same bytes. Each
 * transaction of a block pays one wei less than the one before it: anvil puts them in that order,
 * however they arrive.
 */
export async function signStep(step: Step, target: Target, place: Place): Promise<Hex> {
  const { to, data } = await contentOf(step.call, target);
  return signTransaction({
    privateKey: step.by.privateKey,
    transaction: {
      type: 'eip1559',
      chainId: target.chainId,
      nonce: place.nonce,
      gas: gasOf(step.call),
      maxFeePerGas: FEE + BigInt(place.after),
      maxPriorityFeePerGas: TIP,
      data,
      ...(to === null ? {} : { to }),
    },
  });
}

async function contentOf(call: Call, target: Target): Promise<{ to: Address | null; data: Hex }> {
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
  { functionName, args, signing }: Extract<Call, { kind: 'commerce' }>,
  target: Target,
): Promise<Hex> {
  if (signing === undefined) return dataOf(referralCommerceAbi, functionName, args);
  const signature = await signTyped(signing.by, target, signing.message);
  return dataOf(referralCommerceAbi, functionName, [...args.slice(0, -1), signature]);
}

function dataOf(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}

function gasOf(call: Call): bigint {
  if (call.kind === 'deployCommerce' || call.kind === 'deployToken') return DEPLOYMENT_GAS;
  if (call.kind === 'commerce' && call.functionName === 'finalize') {
    return GAS + GAS_PER_FINALIZED_SALE * BigInt(call.args[0].length);
  }
  return GAS;
}
