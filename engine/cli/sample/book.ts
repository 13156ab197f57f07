import type { Address, Hex } from 'viem';
import { policyAt } from '../../core/campaign.ts';
import { type SplitPolicy, shareAfterRefund, splitReward } from '../../core/split.ts';
import type { Actor } from './cast.ts';

/** A policy version as far as a plan needs it. */
export interface BookPolicy extends SplitPolicy {
  readonly version: number;
  /** Unix seconds. */
  readonly effectiveAt: number;
  readonly holdSeconds: number;
}

export interface BookNode {
  readonly id: bigint;
  readonly owner: Actor;
  readonly parent: BookNode | null;
  /** 1 for a root. */
  readonly depth: number;
}

interface BookLevel {
  readonly owner: Actor;
  /** Base units, before refunds. */
  readonly share: bigint;
  /** How often its owner had claimed when it vested. */
  claimsAtVesting: number;
}

export interface BookSale {
  readonly id: bigint;
  readonly buyer: Address;
  readonly orderKey: Hex;
  readonly amount: bigint;
  readonly holdUntil: number;
  readonly levels: readonly BookLevel[];
  refunded: bigint;
  state: 'pending' | 'refunded' | 'finalized' | 'reversed';
}

interface Earnings {
  readonly owner: Actor;
  claimable: bigint;
  claims: number;
}

/**
 * What a plan knows of a campaign's money, so that it only plans what the contract allows: who can
 * claim, what can be reversed, what is left to withdraw. All amounts base units.
 */
export class CampaignBook {
  readonly policies: BookPolicy[] = [];
  readonly nodes: BookNode[] = [];
  readonly sales: BookSale[] = [];
  readonly prices = new Map<string, bigint>();
  available = 0n;
  proceedsClaimable = 0n;
  #liability = 0n;
  readonly #native: boolean;
  readonly #earnings = new Map<string, Earnings>();

  constructor(native: boolean) {
    this.#native = native;
  }

  policyAt(timestamp: number): BookPolicy {
    const policy = policyAt(this.policies, timestamp);
    if (policy === undefined) throw new Error(`No policy was in effect at ${timestamp}.`);
    return policy;
  }

  record(
    order: Pick<BookSale, 'id' | 'buyer' | 'orderKey' | 'amount'>,
    node: BookNode | null,
    timestamp: number,
  ): BookSale {
    const { id, buyer, orderKey, amount } = order;
    const policy = this.policyAt(timestamp);
    const owners = new Map<string, Actor>();
    for (let at = node; at !== null; at = at.parent) owners.set(String(at.id), at.owner);
    const path = [...owners.keys()];
    const { available } = this;
    const split = splitReward({ amount, liability: this.#liability, available, path, policy });
    const levels = split.shares.flatMap(({ nodeId, amount: share }) => {
      const owner = owners.get(nodeId);
      return owner === undefined ? [] : [{ owner, share, claimsAtVesting: 0 }];
    });
    this.#move(split.reserved);
    const holdUntil = timestamp + policy.holdSeconds;
    const sale: BookSale = {
      ...{ id, buyer, orderKey, amount, holdUntil, levels },
      refunded: 0n,
      state: 'pending',
    };
    this.sales.push(sale);
    return sale;
  }

  refund(sale: BookSale, amount: bigint): void {
    const before = sum(sale.levels.map((level) => held(sale, level)));
    sale.refunded += amount;
    if (sale.refunded === sale.amount) sale.state = 'refunded';
    this.#move(sum(sale.levels.map((level) => held(sale, level))) - before);
  }

  finalize(sale: BookSale): void {
    sale.state = 'finalized';
    for (const level of sale.levels) {
      const earnings = this.#earningsOf(level.owner);
      earnings.claimable += held(sale, level);
      level.claimsAtVesting = earnings.claims;
    }
    if (this.#native) this.proceedsClaimable += sale.amount - sale.refunded;
  }

  /** Whoever has something to claim, in the order of their first reward. */
  claimants(): Actor[] {
    return [...this.#earnings.values()]
      .filter(({ claimable }) => claimable > 0n)
      .map(({ owner }) => owner);
  }

  claim(owner: Actor): void {
    const earnings = this.#earningsOf(owner);
    earnings.claimable = 0n;
    earnings.claims += 1;
  }

  /** The newest finalized sale with several recipients, none of whom has claimed since. */
  reversible(): BookSale | undefined {
    return this.sales.findLast((sale) => {
      const recipients = new Set(sale.levels.map(({ owner }) => owner.address));
      return (
        sale.state === 'finalized' &&
        recipients.size === sale.levels.length &&
        recipients.size > 1 &&
        sale.levels.every((level) => held(sale, level) > 0n && this.#isUnclaimed(level))
      );
    });
  }

  reverse(sale: BookSale): void {
    sale.state = 'reversed';
    for (const level of sale.levels.filter((each) => this.#isUnclaimed(each))) {
      const amount = held(sale, level);
      this.#earningsOf(level.owner).claimable -= amount;
      this.#move(-amount);
    }
  }

  #isUnclaimed({ owner, claimsAtVesting }: BookLevel): boolean {
    return this.#earningsOf(owner).claims === claimsAtVesting;
  }

  /** Moves base units from what is nobody's to what is owed; back where below zero. */
  #move(amount: bigint): void {
    this.available -= amount;
    this.#liability += amount;
  }

  #earningsOf(owner: Actor): Earnings {
    const known = this.#earnings.get(owner.address);
    if (known !== undefined) return known;
    const earnings: Earnings = { owner, claimable: 0n, claims: 0 };
    this.#earnings.set(owner.address, earnings);
    return earnings;
  }
}

function held(sale: BookSale, { share }: BookLevel): bigint {
  return shareAfterRefund(share, sale.amount, sale.refunded);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
