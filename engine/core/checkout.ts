import type { CampaignState } from './campaign.ts';
import type { Hex, TrustMode } from './events.ts';

/** State of a checkout intent (docs/reference/api.md#checkout-and-disputes). */
export type IntentState =
  | 'created'
  | 'submitted'
  | 'confirmed'
  | 'failed'
  | 'expired'
  | 'cancelled';

/** Status of a transaction that the buyer attached. */
export type SentStatus = 'pending' | 'included' | 'reverted' | 'replaced' | 'dropped';

/** SKU that is bought, and the most that may be paid for it, in base units. */
export interface Order {
  readonly skuHash: Hex;
  readonly amount: bigint;
}

/** Seconds for which a transaction that the chain has never returned counts as pending. */
const UNSEEN_SECONDS = 180;

/** State of a transaction on the chain. */
export interface SentFacts {
  /** Outcome in its receipt; `null` if it is in no block. */
  readonly outcome: 'success' | 'reverted' | null;
  /** True if the chain has the transaction, in a block or waiting for one. */
  readonly known: boolean;
  /** Nonce of the transaction; `null` if the chain never returned it. */
  readonly nonce: number | null;
  /** Next nonce of its sender in the newest block, and after the transactions that wait for a block. */
  readonly nextNonce: number;
  readonly nextPendingNonce: number;
  /** Seconds since the transaction was attached. */
  readonly ageSeconds: number;
}

/**
 * Status of a transaction. If the chain no longer has it, it was replaced if another transaction has its
 * nonce, in a block or waiting for one; otherwise it was dropped.
 */
export function sentStatus(facts: SentFacts): SentStatus {
  if (facts.outcome !== null) return facts.outcome === 'success' ? 'included' : 'reverted';
  if (facts.known) return 'pending';
  if (facts.nonce === null) return facts.ageSeconds < UNSEEN_SECONDS ? 'pending' : 'dropped';
  const nonceUsed = Math.max(facts.nextNonce, facts.nextPendingNonce) > facts.nonce;
  return nonceUsed ? 'replaced' : 'dropped';
}

/**
 * True if another transaction with the same nonce waits for a block. It may be the same purchase with a
 * higher fee, so nothing may be paid meanwhile.
 */
export function isReplacementPending(facts: SentFacts): boolean {
  if (facts.outcome !== null || facts.known || facts.nonce === null) return false;
  return facts.nextNonce <= facts.nonce && facts.nonce < facts.nextPendingNonce;
}

/** Facts that decide the state of a checkout intent. */
export interface IntentFacts {
  readonly order: Order;
  /** Sale of that campaign, buyer and order key at the settled block; `null` if there is none. */
  readonly sale: Order | null;
  /**
   * True if the contract has a sale of that order key, in a block or waiting for one; `null` if the
   * chain did not answer: then `sent` is its previous answer.
   */
  readonly orderKeyUsed: boolean | null;
  /** Status of each attached transaction, newest first. */
  readonly sent: readonly SentStatus[];
  /** True if a transaction that replaces one of them waits for a block. */
  readonly replacementPending: boolean;
  /** True if the time to pay is over. */
  readonly late: boolean;
  /** True if the buyer gave it up. */
  readonly cancelled: boolean;
}

/** State of a checkout intent, and what may happen next. */
export interface IntentDecision {
  readonly state: IntentState;
  /** True if the buyer may be asked to pay: only if it is certain that nothing was paid. */
  readonly mayPay: boolean;
  /** Reason of a failure. */
  readonly failure: 'ORDER_KEY_SPENT' | 'REVERTED' | null;
}

/**
 * True if a sale is the one that was ordered: the same SKU for no more than was agreed. It may be less:
 * the price may have fallen, and a token may charge a fee on every transfer.
 */
export function fulfils(sale: Order, order: Order): boolean {
  return sale.skuHash === order.skuHash && sale.amount <= order.amount;
}

/**
 * State of a checkout intent, decided only here. The order of the rules matters: a sale of the order key
 * outweighs every transaction, and a transaction that may still be included outweighs the buyer's
 * cancellation. That outweighs a transaction that failed, which outweighs the clock. A cancelled or expired
 * intent whose sale is settled later is still confirmed (docs/reference/api.md#checkout-and-disputes).
 */
export function intentState(facts: IntentFacts): IntentDecision {
  const { order, sale, orderKeyUsed, sent, late, cancelled } = facts;
  if (sale !== null) {
    return fulfils(sale, order) ? decided('confirmed') : failed('ORDER_KEY_SPENT', false);
  }
  if (orderKeyUsed || facts.replacementPending || sent.includes('pending')) {
    return decided('submitted');
  }
  if (cancelled) return decided('cancelled');
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

/** Reason why a campaign takes no sales now. */
export type SaleRefusal =
  | 'NOT_FUNDED'
  | 'PAUSED'
  | 'ENDED'
  | 'EXPIRED'
  | 'NOT_STARTED'
  | 'SOLD_OUT'
  | 'HIDDEN'
  | 'MERCHANT_CLOSED';

/** Facts that decide whether a campaign takes sales; times in unix seconds. */
export interface TakesSales {
  readonly state: CampaignState;
  readonly startsAt: number;
  /** Sales that were recorded, whatever became of them. */
  readonly sales: number;
  readonly saleCapacity: number;
  /** True if an operator hid the campaign. */
  readonly hidden: boolean;
  /** True if its merchant closed the profile. */
  readonly merchantClosed: boolean;
}

/**
 * Reasons why a campaign takes no sales; empty if it takes them. The contract's own reasons come first, in
 * the order in which it checks them (docs/reference/protocol.md#sales-and-their-split), then those of this service.
 * `inStatus` (engine/db/read/campaigns/filters.ts) computes the same in SQL; a test compares them.
 * @param clock unix seconds of the block read.
 */
export function saleRefusals(facts: TakesSales, clock: number): SaleRefusal[] {
  const { state } = facts;
  const refusals: (SaleRefusal | null)[] = [
    state === 'FUNDED_ACTIVE' ? null : state === 'CREATED_UNFUNDED' ? 'NOT_FUNDED' : state,
    clock < facts.startsAt ? 'NOT_STARTED' : null,
    facts.sales >= facts.saleCapacity ? 'SOLD_OUT' : null,
    facts.hidden ? 'HIDDEN' : null,
    facts.merchantClosed ? 'MERCHANT_CLOSED' : null,
  ];
  return refusals.filter((one) => one !== null);
}

/** Reason why a campaign's product cannot be bought through this service now. */
export type BuyRefusal = 'PAID_ELSEWHERE' | SaleRefusal;

/** Facts that decide whether a campaign's product can be bought. */
export interface Buyable extends TakesSales {
  readonly trustMode: TrustMode;
}

/**
 * Reasons why a product cannot be bought; empty if it can: the campaign is paid elsewhere, or takes no sales.
 * @param clock unix seconds of the block read.
 */
export function buyRefusals(facts: Buyable, clock: number): BuyRefusal[] {
  const elsewhere = facts.trustMode !== 'NATIVE_ONCHAIN';
  return [...(elsewhere ? (['PAID_ELSEWHERE'] as const) : []), ...saleRefusals(facts, clock)];
}

/** Largest amount that the contract can be asked for, base units. */
const MAX_AMOUNT = 2n ** 256n - 1n;

/**
 * Amount of a new intent, base units.
 * @param order the SKU that was chosen, and the most that the buyer agreed to pay.
 * @param sale the sale that the order key already has in the ledger; `null` if there is none.
 * @param spent true if the order key already has a sale, in the ledger or on the chain.
 * @param price current price of the SKU.
 */
export function intentAmount(
  order: Order,
  { sale, spent, price }: { sale: Order | null; spent: boolean; price: bigint },
): bigint {
  if (sale !== null && fulfils(sale, order)) return sale.amount;
  if (!spent) return price;
  return order.amount < MAX_AMOUNT ? order.amount : MAX_AMOUNT;
}
