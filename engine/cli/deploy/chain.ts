import {
  BaseError,
  formatEther,
  type Hex,
  HttpRequestError,
  type PublicClient,
  TimeoutError,
} from 'viem';
import { rpcClient } from '../../chain/client.ts';
import { failureOf, nullIfNotFound } from '../../chain/errors.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { CREATE2_PROXY, creationCode, deterministicCall } from './build.ts';
import type { Signer, Unsigned } from './signer.ts';

/** The chain behind an RPC. */
export interface TargetChain {
  readonly client: PublicClient;
  readonly chainId: number;
}

/** Transaction of a deployment, and its maximum cost. */
export interface Plan {
  readonly transaction: Unsigned;
  /** In the chain's smallest unit, of the account that pays. */
  readonly balance: bigint;
  /** Gas limit × maximum fee, in the chain's smallest unit. */
  readonly maxCost: bigint;
}

/** A mined deployment. */
export interface Mined {
  readonly blockNumber: bigint;
  readonly gasUsed: bigint;
  readonly success: boolean;
}

/** Percentage that is added to the estimated gas. */
const GAS_MARGIN_PERCENT = 10n;

/** Milliseconds between two polls for a receipt. */
const POLL_MS = 1_000;

/** Milliseconds until a transaction must have its confirmations. */
const CONFIRMATION_TIMEOUT_MS = 15 * 60_000;

/**
 * Calls an RPC, and turns its errors into sentences that name its host only: its URL may contain a key.
 * @throws {CommandError} `unavailable` if it does not respond, `failed` if it returns an error.
 */
export async function withChain<T>(
  rpcUrl: string,
  work: (chain: TargetChain) => Promise<T>,
): Promise<T> {
  const client = rpcClient([rpcUrl]);
  try {
    return await work({ client, chainId: await client.getChainId() });
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const { host } = new URL(rpcUrl);
    const unreachable = error.walk(
      (cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError,
    );
    const reason = (error.details || error.shortMessage).replaceAll(rpcUrl, host);
    throw new CommandError(
      unreachable === null
        ? `The RPC ${host} returned an error: ${reason}`
        : `The RPC ${host} did not respond: ${reason}`,
      unreachable === null ? exitCodes.failed : exitCodes.unavailable,
    );
  }
}

/**
 * Prepares the transaction of a deployment.
 * @param salt deploys through the deployment proxy; `undefined` sends the code itself.
 */
export async function planDeployment(
  { client, chainId }: TargetChain,
  account: Hex,
  salt: Hex | undefined,
): Promise<Plan> {
  const to = salt === undefined ? undefined : CREATE2_PROXY;
  const data = salt === undefined ? creationCode : deterministicCall(salt);
  const [estimated, fees, nonce, balance] = await Promise.all([
    client.estimateGas({ account, data, ...(to === undefined ? {} : { to }) }),
    feesOf(client),
    client.getTransactionCount({ address: account, blockTag: 'pending' }),
    client.getBalance({ address: account }),
  ]);
  const gas = (estimated * (100n + GAS_MARGIN_PERCENT)) / 100n;
  const fee = 'gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas;
  return {
    transaction: { chainId, nonce, to, data, gas, fees },
    balance,
    maxCost: gas * fee,
  };
}

/** Fees as the chain has them: of EIP-1559 if its blocks have a base fee, else a gas price. */
async function feesOf(client: PublicClient): Promise<Unsigned['fees']> {
  const { baseFeePerGas } = await client.getBlock();
  if (baseFeePerGas === null) return { gasPrice: await client.getGasPrice() };
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** Signs and sends a transaction. @returns its hash. */
export async function send(
  { client }: TargetChain,
  signer: Signer,
  transaction: Unsigned,
): Promise<Hex> {
  const signed = await signer.sign(transaction);
  if ('sent' in signed) return signed.sent;
  return await client.sendRawTransaction({ serializedTransaction: signed.raw });
}

/**
 * Waits until a transaction has its confirmations; 1 is the block that contains it. A transaction that a
 * reorg moves is followed to its new block.
 * @throws {CommandError} if that takes more than 15 minutes.
 */
export async function untilMined(
  { client }: TargetChain,
  hash: Hex,
  confirmations: number,
): Promise<Mined> {
  const deadline = Date.now() + CONFIRMATION_TIMEOUT_MS;
  let refusal: string | undefined;
  while (Date.now() < deadline) {
    try {
      const [receipt, head] = await Promise.all([
        // Without a receipt it is in no block yet, or this node of the RPC does not have the block.
        nullIfNotFound(client.getTransactionReceipt({ hash })),
        client.getBlockNumber({ cacheTime: 0 }),
      ]);
      refusal = undefined;
      if (receipt && head - receipt.blockNumber + 1n >= BigInt(confirmations)) {
        const { blockNumber, gasUsed, status } = receipt;
        return { blockNumber, gasUsed, success: status === 'success' };
      }
    } catch (error) {
      // It was sent: a refusal says nothing about it, and must not end the command.
      refusal = failureOf(error);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const why = refusal === undefined ? '' : ` The RPC ${refusal}.`;
  throw new CommandError(
    `Transaction ${hash} did not get ${confirmations} confirmation(s) in 15 minutes.${why} It may still be mined: look at it before you deploy again.`,
    exitCodes.unavailable,
  );
}

/**
 * Code of an address, as of a block or the newest one; `undefined` if it has none.
 * @throws if the RPC does not say: `null` is no code and no absence.
 */
export async function codeAt(
  { client }: TargetChain,
  address: Hex,
  blockNumber?: bigint,
): Promise<Hex | undefined> {
  const code = await client.getCode({
    address,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
  if (code === null) throw new BaseError('It did not say what code the address has.');
  return code;
}

/**
 * First block in which an address has code, by binary search.
 * @returns `undefined` if the RPC has no history that goes back so far.
 */
export async function deploymentBlock(
  chain: TargetChain,
  address: Hex,
): Promise<bigint | undefined> {
  let [without, withCode] = [-1n, await chain.client.getBlockNumber({ cacheTime: 0 })];
  try {
    while (withCode - without > 1n) {
      const blockNumber = (without + withCode) / 2n;
      const code = await codeAt(chain, address, blockNumber);
      if (code === undefined) without = blockNumber;
      else withCode = blockNumber;
    }
    return withCode;
  } catch {
    return undefined;
  }
}

/** An amount of the chain's coin for people. */
export function coins(amount: bigint): string {
  return `${formatEther(amount)} of the chain's coin`;
}
