import type { ChainBlock } from '../chain/chain.ts';
import type { RelayedOutcome, RelayerChain } from '../chain/relayer.ts';
import type { Hex } from '../core/events.ts';
import { budgetRefusal, type GasBudget, type OrderRefusal } from '../core/signed-order.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import {
  budgetOf,
  gasSpending,
  type RelayedTransaction,
  relayedTransactions,
  saveRelayed,
  saveReport,
  storeRelayed,
} from '../db/commerce/relayer.ts';
import {
  isOneSignature,
  markTried,
  moveOrder,
  type OrderMove,
  openOrders,
  readOrders,
  type SignedOrder,
} from '../db/commerce/signed-orders.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads } from '../db/heads.ts';
import { withLock } from '../db/with-lock.ts';

/** Database, chain and limits of the relayer. */
export interface RelayOptions {
  readonly pool: Pool;
  readonly chain: RelayerChain;
  /** Gas units of one transaction. */
  readonly maxGas: bigint;
  /** Highest price of a unit of gas, wei; above it the relayer waits. */
  readonly maxFeePerGas: bigint;
  /** Wei of a day (UTC): of a merchant unless the operator set another one, and in all. */
  readonly budget: GasBudget;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Called if an RPC failed for one order, or did not take a transaction. */
  readonly onFailure?: (error: unknown) => void;
}

/** Outcome of one poll of the relayer. */
export type RelayResult =
  /** A transaction was signed and stored, and the RPC was given it. */
  | { readonly outcome: 'sent'; readonly intentId: string; readonly hash: Hex }
  /** Nothing can be sent now. */
  | { readonly outcome: 'idle' }
  /** A transaction is in no block yet, or another relayer of this deployment is running. */
  | { readonly outcome: 'waiting' }
  /** Gas costs more than allowed, wei per unit. */
  | { readonly outcome: 'too-expensive'; readonly feePerGas: bigint }
  /** The account cannot pay for the next transaction. */
  | { readonly outcome: 'empty'; readonly balance: bigint };

/** Open orders that one poll examines, and waiting ones that it tries to send. */
const MAX_EXAMINED = 100;
const MAX_TRIED = 10;
/** Margin over the estimate, which is as of the newest block. */
const GAS_MARGIN_PERCENT = 120n;
/** How much more a transaction offers than the one that it replaces; nodes want 10 % at least. */
const REPLACEMENT_PERCENT = 115n;
/** Milliseconds that a transaction may wait for a block before it is replaced, and after which its nonce counts as lost. */
const REPLACE_MS = 60_000;
const LOST_MS = 60_000;
/** Seconds before its deadline in which an order is not sent any more: its block would come too late. */
const DEADLINE_MARGIN = 10;
/** Transactions of one order. */
const MAX_ATTEMPTS = 10;

/**
 * Sends the orders that buyers signed, one transaction at a time (docs/operate/run.md#relayer). Safe to run twice and by
 * several processes: one at a time holds the lock, and a transaction is stored before it is sent.
 */
export async function relayOrders(options: RelayOptions): Promise<RelayResult> {
  const result = await withLock(options.pool, advisoryLocks.relayer, () => relayLocked(options));
  return result ?? { outcome: 'waiting' };
}

async function relayLocked(options: RelayOptions): Promise<RelayResult> {
  const { pool, chain, clock } = options;
  const orders = await openOrders(pool, MAX_EXAMINED);
  const ids = orders.map(({ intentId }) => intentId);
  const before = await relayedTransactions(pool, ids);
  if (orders.length === 0 && before.length === 0) return { outcome: 'idle' };
  const head = await chain.head();
  for (const one of before) await observe(options, one);
  const transactions = await relayedTransactions(pool, ids);
  const finalized = (await readHeads(pool))?.finalizedNumber ?? null;
  for (const order of orders) {
    const own = transactions.filter(({ intentId }) => intentId === order.intentId);
    const recorded = await chain.isRecorded(order);
    const move = moveOf(order, { head, recorded, transactions: own, finalized });
    if (move !== null) await moveOrder(pool, order, move, new Date(clock()));
  }
  await markTried(pool, ids, new Date(clock()));
  return await sendNext(options, head, await readOrders(pool, ids));
}

/** Stores the outcome of a transaction, also if it left its block again. */
async function observe(
  { pool, chain, clock }: RelayOptions,
  transaction: RelayedTransaction,
): Promise<void> {
  const { hash, status, sender, nonce, sentAt } = transaction;
  const outcome = await chain.outcome(hash);
  if (outcome !== null) {
    if (hasChanged(transaction, outcome)) {
      const next = outcome.reverted ? 'reverted' : 'included';
      await saveRelayed(pool, transaction, { status: next, cost: outcome.cost });
    }
    return;
  }
  if (status === 'replaced' || status === 'dropped') return;
  if ((await chain.minedNonce(sender)) <= nonce) {
    // A reorg removed it: it waits again.
    if (status !== 'pending')
      await saveRelayed(pool, transaction, { status: 'pending', cost: null });
  } else if (clock() - sentAt.getTime() > LOST_MS) {
    await saveRelayed(pool, transaction, { status: 'dropped', cost: 0n });
  }
}

function hasChanged({ status, cost }: RelayedTransaction, outcome: RelayedOutcome): boolean {
  return status !== (outcome.reverted ? 'reverted' : 'included') || cost !== outcome.cost;
}

/** Facts that decide the next state of an order. */
interface OrderFacts {
  readonly head: ChainBlock;
  /** True if the newest block has its sale, from any sender. */
  readonly recorded: boolean;
  readonly transactions: readonly RelayedTransaction[];
  /** Newest final block; `null` if it is not known. */
  readonly finalized: number | null;
}

/** The next state of an order; `null` if it stays as it is. */
function moveOf(
  { state, deadline, recordedBlock }: SignedOrder,
  { head, recorded, transactions, finalized }: OrderFacts,
): OrderMove | null {
  if (recorded) {
    const since = recordedBlock ?? head.number;
    const closes = finalized !== null && finalized >= since;
    if (state === 'recorded' && !closes) return null;
    return { state: 'recorded', recordedBlock: since, closes };
  }
  const has = (status: RelayedTransaction['status']) =>
    transactions.some((one) => one.status === status);
  const isLate = head.timestamp > deadline;
  // The node that was asked about the sale may be a block behind the one that has the receipt.
  if (has('included')) return null;
  if (has('pending') && !isLate) return state === 'sent' ? null : { state: 'sent' };
  if (has('reverted')) return { state: 'refused', reason: 'REVERTED', closes: true };
  if (isLate) return { state: 'expired', closes: true };
  return state === 'waiting' ? null : { state: 'waiting' };
}

/** Sends the transaction that waits again, replaces it if it waits for long, or sends the next order. */
async function sendNext(
  options: RelayOptions,
  head: ChainBlock,
  orders: readonly SignedOrder[],
): Promise<RelayResult> {
  const { pool, chain, clock } = options;
  const own = (await relayedTransactions(pool, [])).filter(
    ({ sender }) => sender === chain.address,
  );
  // The first nonce blocks all later ones, and of that the newest attempt.
  const [pending] = own;
  const waiting = orders.filter(({ state }) => state === 'waiting');
  if (pending === undefined) return await sendFirst(options, head, waiting, null);
  if (pending.signed !== null && !(await chain.isKnown(pending.hash))) {
    await broadcast(options, pending.signed);
  }
  if (clock() - pending.sentAt.getTime() < REPLACE_MS) return { outcome: 'waiting' };
  if ((await chain.minedNonce(chain.address)) > pending.nonce) return { outcome: 'waiting' };
  const same = orders.filter(
    ({ intentId, state }) => intentId === pending.intentId && state === 'sent',
  );
  return await sendFirst(options, head, [...same, ...waiting], pending);
}

/**
 * Sends the first order that can be sent.
 * @param replaced transaction whose nonce it takes.
 */
async function sendFirst(
  options: RelayOptions,
  head: ChainBlock,
  orders: readonly SignedOrder[],
  replaced: RelayedTransaction | null,
): Promise<RelayResult> {
  const { pool, clock, onFailure } = options;
  for (const order of orders.slice(0, MAX_TRIED)) {
    if (order.deadline - head.timestamp < DEADLINE_MARGIN) continue;
    try {
      const result = await send(options, order, replaced);
      if (result !== null) return result;
    } catch (error) {
      // One order for which the RPC fails must not block the others.
      onFailure?.(error);
    }
    await markTried(pool, [order.intentId], new Date(clock()));
  }
  return { outcome: replaced === null ? 'idle' : 'waiting' };
}

/** Sends one order. @returns `null` if it is not sent, and another one may be. */
async function send(
  options: RelayOptions,
  order: SignedOrder,
  replaced: RelayedTransaction | null,
): Promise<RelayResult | null> {
  const { pool, chain, maxGas, maxFeePerGas, clock } = options;
  const now = new Date(clock());
  const refuse = async (reason: OrderRefusal | { revert: string }) => {
    const text = typeof reason === 'string' ? reason : reason.revert;
    // What was sent may still be recorded, so it is not refused: it expires.
    if (order.state === 'waiting') {
      await moveOrder(pool, order, { state: 'refused', reason: text, closes: true }, now);
    }
    return null;
  };
  if (!(await isOneSignature(pool, order))) return await refuse('NOT_SPONSORED');
  const earlier = (await relayedTransactions(pool, [order.intentId])).filter(
    ({ intentId }) => intentId === order.intentId,
  );
  if (earlier.length >= MAX_ATTEMPTS) return await refuse('TOO_MANY_ATTEMPTS');
  const estimate = await chain.estimate(order.data, maxGas);
  if (estimate === null) return await refuse('TOO_MUCH_GAS');
  if ('revert' in estimate) return await refuse(estimate);
  const fees = replacing(await chain.fees(), replaced);
  if (fees.maxFee > maxFeePerGas) return { outcome: 'too-expensive', feePerGas: fees.maxFee };
  const gas = withMargin(estimate.gas, maxGas);
  const cost = gas * fees.maxFee;
  const [spent, budget] = await Promise.all([
    gasSpending(pool, order.merchant, now),
    budgetOf(pool, order.merchant, {
      merchantBudget: options.budget.merchant,
      totalBudget: options.budget.total,
    }),
  ]);
  const refusal = budgetRefusal(spent, budget, cost);
  if (refusal !== null) return await refuse(refusal);
  const balance = await chain.balance();
  if (balance < cost) return { outcome: 'empty', balance };
  const nonce = replaced?.nonce ?? (await chain.minedNonce(chain.address));
  const { hash, signed } = await chain.sign({ data: order.data, gas, nonce, ...fees });
  const stored = await storeRelayed(pool, {
    ...{ order, hash, signed, nonce, sender: chain.address, ...fees, sentAt: now },
    gas: Number(gas),
    attempt: (replaced?.attempt ?? 0) + 1,
  });
  if (!stored) return { outcome: 'waiting' };
  await broadcast(options, signed);
  return { outcome: 'sent', intentId: order.intentId, hash };
}

/** Gives a stored transaction to the RPC. If it does not take it, the next poll tries again. */
async function broadcast({ chain, onFailure }: RelayOptions, signed: Hex): Promise<void> {
  await chain.broadcast(signed).catch((error: unknown) => onFailure?.(error));
}

/** Fees that a node accepts in place of those of another transaction. */
function replacing(
  fees: { readonly maxFee: bigint; readonly priorityFee: bigint },
  replaced: RelayedTransaction | null,
) {
  if (replaced === null) return fees;
  const more = (fee: bigint) => (fee * REPLACEMENT_PERCENT) / 100n + 1n;
  const priorityFee = larger(fees.priorityFee, more(replaced.priorityFee));
  return { maxFee: larger(larger(fees.maxFee, more(replaced.maxFee)), priorityFee), priorityFee };
}

function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}

function withMargin(gas: bigint, maxGas: bigint): bigint {
  const roomy = (gas * GAS_MARGIN_PERCENT) / 100n;
  return roomy < maxGas ? roomy : maxGas;
}

/** Reports what the relayer has and may spend, for the API, the alarms and the metrics. */
export async function reportRelayer(options: RelayOptions): Promise<void> {
  const { pool, chain, maxGas, maxFeePerGas, budget, clock } = options;
  const [balance, { maxFee }] = await Promise.all([chain.balance(), chain.fees()]);
  await saveReport(pool, {
    ...{ address: chain.address, seenAt: new Date(clock()), balance, feePerGas: maxFee },
    ...{ maxFeePerGas, maxGas: Number(maxGas) },
    ...{ merchantBudget: budget.merchant, totalBudget: budget.total },
  });
}
