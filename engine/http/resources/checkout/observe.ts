import { erc20Abi, type PublicClient } from 'viem';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import { atPendingBlock } from '../../../chain/blocks.ts';
import { nullIfNotFound } from '../../../chain/errors.ts';
import { isReplacementPending, type SentFacts, sentStatus } from '../../../core/checkout.ts';
import type { Address } from '../../../core/events.ts';
import type { SentTransaction } from '../../../db/commerce/intents.ts';
import type { OrderRef } from '../../../db/read/sales/by-order.ts';
import type { AppDeps } from '../../deps.ts';
import { lowerAddress } from '../../input/address.ts';
import { READ_GAS, strangerCalls } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';

type ChainDeps = Pick<AppDeps, 'client' | 'deployment' | 'clock'>;

/** State of an order and its attached transactions on the chain. */
export interface Observation {
  /** True in the pending block too, if the node has one, so that unreported purchases count. */
  readonly orderKeyUsed: boolean;
  readonly sent: readonly SentTransaction[];
  readonly replacementPending: boolean;
}

/**
 * Reads an order from the chain. Nonces are read before transactions, so that one that is included in between
 * is seen; the order key is read last, so that the effect of an included transaction is seen with it.
 * @returns `null` if the chain did not answer in time.
 */
export async function observe(
  deps: ChainDeps,
  order: OrderRef,
  sent: readonly SentTransaction[],
): Promise<Observation | null> {
  return await orNull(async () => {
    const { client } = deps;
    const nonces = await noncesOf(client, sent);
    const observed = await Promise.all(sent.map((one) => observeOne(deps, nonces, one)));
    return {
      orderKeyUsed: await isOrderKeyUsed(deps, order),
      sent: observed.map(({ transaction }) => transaction),
      replacementPending: observed.some(({ replacing }) => replacing),
    };
  });
}

/** True if the contract has a sale of that order; `null` if the chain did not answer. */
export async function readOrderKeyUsed(deps: ChainDeps, order: OrderRef): Promise<boolean | null> {
  return await orNull(() => isOrderKeyUsed(deps, order));
}

/** Reads the pending block, or the newest one if the node has no pending block. */
async function isOrderKeyUsed(
  { client, deployment }: ChainDeps,
  { campaignId, buyer, orderKey }: OrderRef,
): Promise<boolean> {
  const call = {
    address: deployment.contractAddress,
    abi: referralCommerceAbi,
    functionName: 'saleIdOf',
    args: [BigInt(campaignId), buyer, orderKey],
  } as const;
  const saleId = await atPendingBlock((blockTag) => client.readContract({ ...call, blockTag }));
  return saleId !== 0;
}

/** Next nonce of each sender in the newest block, and after its pending transactions. */
type Nonces = ReadonlyMap<Address, Pick<SentFacts, 'nextNonce' | 'nextPendingNonce'>>;

async function noncesOf(client: PublicClient, sent: readonly SentTransaction[]): Promise<Nonces> {
  const senders = new Set(sent.flatMap(({ origin }) => (origin === null ? [] : [origin.sender])));
  const entries = [...senders].map(async (address) => {
    const [nextNonce, nextPendingNonce] = await Promise.all([
      client.getTransactionCount({ address, blockTag: 'latest' }),
      client.getTransactionCount({ address, blockTag: 'pending' }),
    ]);
    return [address, { nextNonce, nextPendingNonce }] as const;
  });
  return new Map(await Promise.all(entries));
}

async function observeOne(
  { client, clock }: ChainDeps,
  nonces: Nonces,
  sent: SentTransaction,
): Promise<{ transaction: SentTransaction; replacing: boolean }> {
  const [found, receipt] = await Promise.all([
    nullIfNotFound(client.getTransaction({ hash: sent.hash })),
    nullIfNotFound(client.getTransactionReceipt({ hash: sent.hash })),
  ]);
  const origin = found ? { sender: lowerAddress(found.from), nonce: found.nonce } : sent.origin;
  const counts = (origin && nonces.get(origin.sender)) ?? { nextNonce: 0, nextPendingNonce: 0 };
  const facts: SentFacts = {
    outcome: receipt?.status ?? null,
    known: found !== null,
    nonce: origin?.nonce ?? null,
    ...counts,
    ageSeconds: (clock() - sent.attachedAt.getTime()) / 1_000,
  };
  const transaction = { ...sent, origin, status: sentStatus(facts) };
  return { transaction, replacing: isReplacementPending(facts) };
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  return await withTimeout(read(), CHAIN_ANSWER_MS).catch(() => null);
}

/**
 * Allowance of a token that the buyer gave the contract, base units; `null` if the chain did not answer, or the
 * token: it is a stranger's code, so its call has bounds of its own.
 */
export async function readAllowance(
  { deployment, ...chain }: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment'>,
  { token, buyer }: { readonly token: Address; readonly buyer: Address },
): Promise<bigint | null> {
  const { client } = strangerCalls(chain, {
    ...{ deadlineMs: CHAIN_ANSWER_MS, maxRequests: 1, maxGas: READ_GAS },
  });
  return await orNull(() =>
    client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [buyer, deployment.contractAddress],
    }),
  );
}
