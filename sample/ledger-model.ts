import type { Address, Hex } from 'viem';
import { sum } from '../engine/core/amounts.ts';
import { policyAt } from '../engine/core/campaign.ts';
import { type SplitPolicy, shareAfterRefund, splitReward } from '../engine/core/split.ts';
import type { Actor } from './actors.ts';

/** The fields of a policy version that a plan needs. */
export interface ModelPolicy extends SplitPolicy {
  readonly version: number;
  /** Unix seconds. */
  readonly effectiveAt: number;
  readonly holdSeconds: number;
}

export interface ModelNode {
  readonly id: bigint;
  readonly owner: Actor;
  readonly parent: ModelNode | null;
  /** 1 for a root. */
  readonly depth: number;
}

interface ModelLevel {
  readonly owner: Actor;
  /** Base units, before refunds. */
  readonly share: bigint;
  /** Number of claims of its owner when it vested. */
  claimsAtVesting: number;
}

export interface ModelSale {
  readonly id: bigint;
  readonly buyer: Address;
  readonly orderKey: Hex;
  readonly amount: bigint;
  readonly holdUntil: number;
  readonly levels: readonly ModelLevel[];
  refunded: bigint;
  state: 'pending' | 'refunded' | 'finalized' | 'reversed';
}

interface Earnings {
  readonly owner: Actor;
  claimable: bigint;
  claims: number;
}

/**
 * A campaign's money as the plan expects it, so that it only plans what the contract allows: who can
 * claim, what can be reversed, what is left to withdraw. Split and refunds are those of
 * `engine/core/split.ts`. All amounts are base units.
 */
export class LedgerModel {
  readonly policies: ModelPolicy[] = [];
  readonly nodes: ModelNode[] = [];
  readonly sales: ModelSale[] = [];
  readonly prices = new Map<string, bigint>();
  available = 0n;
  proceedsClaimable = 0n;
  #liability = 0n;
  readonly #native: boolean;
  readonly #earnings = new Map<string, Earnings>();

  constructor(native: boolean) {
    this.#native = native;
  }

  policyAt(timestamp: number): ModelPolicy {
    const policy = policyAt(this.policies, timestamp);
    if (policy === undefined) throw new Error(`No policy was in effect at ${timestamp}.`);
    return policy;
  }

  record(
    order: Pick<ModelSale, 'id' | 'buyer' | 'orderKey' | 'amount'>,
    node: ModelNode | null,
    timestamp: number,
  ): ModelSale {
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
    const sale: ModelSale = {
      ...{ id, buyer, orderKey, amount, holdUntil, levels },
      refunded: 0n,
      state: 'pending',
    };
    this.sales.push(sale);
    return sale;
  }

  refund(sale: ModelSale, amount: bigint): void {
    const before = sum(sale.levels.map((level) => held(sale, level)));
    sale.refunded += amount;
    if (sale.refunded === sale.amount) sale.state = 'refunded';
    this.#move(sum(sale.levels.map((level) => held(sale, level))) - before);
  }

  finalize(sale: ModelSale): void {
    sale.state = 'finalized';
    for (const level of sale.levels) {
      const earnings = this.#earningsOf(level.owner);
      earnings.claimable += held(sale, level);
      level.claimsAtVesting = earnings.claims;
    }
    if (this.#native) this.proceedsClaimable += sale.amount - sale.refunded;
  }

  /** Accounts with claimable rewards, in the order of their first reward. */
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
  reversible(): ModelSale | undefined {
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

  reverse(sale: ModelSale): void {
    sale.state = 'reversed';
    for (const level of sale.levels.filter((each) => this.#isUnclaimed(each))) {
      const amount = held(sale, level);
      this.#earningsOf(level.owner).claimable -= amount;
      this.#move(-amount);
    }
  }

  #isUnclaimed({ owner, claimsAtVesting }: ModelLevel): boolean {
    return this.#earningsOf(owner).claims === claimsAtVesting;
  }

  /** Moves base units from `available` to the liability; back if negative. */
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

function held(sale: ModelSale, { share }: ModelLevel): bigint {
  return shareAfterRefund(share, sale.amount, sale.refunded);
}
