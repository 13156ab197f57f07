import type { Hex } from './events.ts';

export type IntentState = 'created' | 'submitted' | 'confirmed' | 'failed' | 'expired';

/** What became of a transaction that the buyer said was sent. */
export type SentStatus = 'pending' | 'included' | 'reverted' | 'replaced' | 'dropped';

/** What is bought, and for how much at most; base units. */
export interface Order {
  readonly skuHash: Hex;
  readonly amount: bigint;
}

/** Seconds for which a hash that the chain has never shown counts as on its way. */
const UNSEEN_SECONDS = 180;

/** What the chain says of a transaction. */
export interface SentFacts {
  /** Of its receipt; `null` where no block has it. */
  readonly outcome: 'success' | 'reverted' | null;
  /** Whether the chain knows it at all, in a block or waiting for one. */
  readonly known: boolean;
  /** Its nonce, where the chain ever showed it. */
  readonly nonce: number | null;
  /** The next nonce of its sender in the newest block, and behind what waits for a block. */
  readonly nextNonce: number;
  readonly nextPendingNonce: number;
  /** Since it was attached. */
  readonly ageSeconds: number;
}

/**
 * Where a transaction stands. One that the chain does not know any more was replaced where another
 * has its nonce, in a block or waiting for one, and dropped where none has.
 */
export function sentStatus(facts: SentFacts): SentStatus {
  if (facts.outcome !== null) return facts.outcome === 'success' ? 'included' : 'reverted';
  if (facts.known) return 'pending';
  if (facts.nonce === null) return facts.ageSeconds < UNSEEN_SECONDS ? 'pending' : 'dropped';
  const taken = Math.max(facts.nextNonce, facts.nextPendingNonce) > facts.nonce;
  return taken ? 'replaced' : 'dropped';
}

/**
 * Whether another transaction with its nonce waits for a block. It may be the same purchase with a
 * higher fee, so nothing may be paid meanwhile.
 */
export function isReplacementPending(facts: SentFacts): boolean {
  if (facts.outcome !== null || facts.known || facts.nonce === null) return false;
  return facts.nextNonce <= facts.nonce && facts.nonce < facts.nextPendingNonce;
}

/** All that decides about an intent. */
export interface IntentFacts {
  readonly order: Order;
  /** The sale of that campaign, buyer and order key at the settled block. */
  readonly sale: Order | null;
  /**
   * Whether the contract has a sale of that order key, in a block or waiting for one; `null` where
   * the chain did not answer: then `sent` is what it said before.
   */
  readonly orderKeyUsed: boolean | null;
  /** Transactions that were attached, newest first. */
  readonly sent: readonly SentStatus[];
  /** Whether a transaction waits for a block in the place of one of them. */
  readonly replacementPending: boolean;
  /** Whether the time to pay is over. */
  readonly late: boolean;
}

export interface IntentDecision {
  readonly state: IntentState;
  /** Whether the buyer may be asked to pay: only where it is certain that nothing was paid. */
  readonly mayPay: boolean;
  /** Why it failed. */
  readonly failure: 'ORDER_KEY_SPENT' | 'REVERTED' | null;
}

/**
 * Whether a sale is the one that was ordered: the same SKU for no more than was agreed. It may be
 * less: the price may have fallen, and a token may take a fee of every transfer.
 */
export function fulfils(sale: Order, order: Order): boolean {
  return sale.skuHash === order.skuHash && sale.amount <= order.amount;
}

/**
 * The state of a checkout intent, and the only place that decides it. The order of the rules matters:
 * a sale of the order key says more than any transaction, one that may still land more than one that
 * failed, and that more than the clock. An intent out of time whose sale shows up is confirmed all
 * the same. Source: design §7, and docs/api.md, «Checkout and disputes».
 */
export function intentState(facts: IntentFacts): IntentDecision {
  const { order, sale, orderKeyUsed, sent, late } = facts;
  if (sale !== null) {
    return fulfils(sale, order) ? decided('confirmed') : failed('ORDER_KEY_SPENT', false);
  }
  if (orderKeyUsed || facts.replacementPending || sent.includes('pending')) {
    return decided('submitted');
  }
  const mayPay = orderKeyUsed === false && !late;
  if (sent[0] === 'reverted') return failed('REVERTED', mayPay);
  return late ? decided('expired') : { ...decided('created'), mayPay };
}

function decided(state: IntentState): IntentDecision {
  return { state, mayPay: false, failure: null };
}

function failed(failure: IntentDecision['failure'], mayPay: boolean): IntentDecision {
  return { state: 'failed', mayPay, failure };
}
