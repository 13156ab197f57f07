import {
  erc20Abi,
  type PublicClient,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import { isReplacementPending, type SentFacts, sentStatus } from '../../core/checkout.ts';
import type { Address } from '../../core/events.ts';
import type { SentTransaction } from '../../db/commerce/intents.ts';
import type { OrderRef } from '../../db/read/order-sale.ts';
import { lowerAddress } from '../address.ts';
import type { AppDeps } from '../deps.ts';
import { inTime } from '../in-time.ts';

type ChainDeps = Pick<AppDeps, 'client' | 'deployment' | 'clock'>;

/** Milliseconds that the chain has for it all. */
const ANSWER_MS = 5_000;

/** What the chain says of an order and of the transactions that were attached to it. */
export interface Observation {
  /** Of the pending block, so that a purchase that nobody told of counts too, where the node can. */
  readonly orderKeyUsed: boolean;
  readonly sent: readonly SentTransaction[];
  readonly replacementPending: boolean;
}

/**
 * Asks the chain. Nonces come before transactions, so that one that lands in between is seen; the
 * order key comes last, so that what an included transaction did is seen with it.
 * @returns `null` where the chain did not answer in time: then nothing is known.
 */
export async function observe(
  deps: ChainDeps,
  order: OrderRef,
  sent: readonly SentTransaction[],
): Promise<Observation | null> {
  return await orNull(async () => {
    const { client } = deps;
    const nonces = await noncesOf(client, sent);
    const seen = await Promise.all(sent.map((one) => look(deps, nonces, one)));
    return {
      orderKeyUsed: await isOrderKeyUsed(deps, order),
      sent: seen.map(({ transaction }) => transaction),
      replacementPending: seen.some(({ replacing }) => replacing),
    };
  });
}

/** Whether the contract has a sale of that order; `null` where the chain did not answer. */
export async function askOrderKeyUsed(deps: ChainDeps, order: OrderRef): Promise<boolean | null> {
  return await orNull(() => isOrderKeyUsed(deps, order));
}

/** A node that knows no pending block answers for the newest one. */
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
  const saleId = await client
    .readContract({ ...call, blockTag: 'pending' })
    .catch(() => client.readContract({ ...call, blockTag: 'latest' }));
  return saleId !== 0;
}

/** The next nonce of each sender in the newest block, and behind what waits. */
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

async function look(
  { client, clock }: ChainDeps,
  nonces: Nonces,
  sent: SentTransaction,
): Promise<{ transaction: SentTransaction; replacing: boolean }> {
  const [found, receipt] = await Promise.all([
    unlessUnknown(client.getTransaction({ hash: sent.hash })),
    unlessUnknown(client.getTransactionReceipt({ hash: sent.hash })),
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

/** `null` where the chain answers that it has no such transaction. */
async function unlessUnknown<T>(asked: Promise<T>): Promise<T | null> {
  return await asked.catch((error: unknown) => {
    const unknown =
      error instanceof TransactionNotFoundError || error instanceof TransactionReceiptNotFoundError;
    if (unknown) return null;
    throw error;
  });
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  return await inTime(ask(), ANSWER_MS).catch(() => null);
}

/** What the buyer let the contract take of a token, base units; `null` where nobody knows. */
export async function askAllowance(
  { client, deployment }: ChainDeps,
  { token, buyer }: { readonly token: Address; readonly buyer: Address },
): Promise<bigint | null> {
  return await orNull(() =>
    client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [buyer, deployment.contractAddress],
    }),
  );
}
