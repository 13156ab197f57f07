import { maxUint256 } from 'viem';
import type { Actor, Actors } from './actors.ts';
import type {
  PlannedBlock,
  PlannedTransaction,
  TransactionContent,
} from './planned-transaction.ts';
import type { Random } from './random.ts';
import { baseUnits, type TokenKey } from './tokens.ts';

/** Id of a local chain (EIP-155): that of an anvil. */
const LOCAL_CHAIN_ID = 31_337;

/** Seconds of a day. */
export const DAY_SECONDS = 86_400;

type CommerceCall<C = TransactionContent> = C extends { kind: 'commerce' }
  ? Omit<C, 'kind'>
  : never;

/** Whole tokens that an account gets when it first needs a token: more than it can spend. */
const INITIAL_BALANCE = '1000000';

/** The blocks planned so far, and what all campaigns share: clock, ids and random numbers. */
export class Timeline {
  readonly blocks: PlannedBlock[] = [];
  /** Newest ids; the contract counts them over all campaigns. */
  readonly last = { campaign: 0n, node: 0n, sale: 0n, order: 0 };
  #transactions: PlannedTransaction[] = [];
  #now: number;
  readonly #equipped = new Set<string>();

  constructor(
    readonly actors: Actors,
    readonly random: Random,
    readonly startTimestamp: number,
    /** Chain that it will run on, which the metadata of campaigns names. */
    readonly chainId = LOCAL_CHAIN_ID,
  ) {
    this.#now = startTimestamp;
  }

  /** Unix seconds of the current block. */
  get now(): number {
    return this.#now;
  }

  /** Unix seconds of a day of the sample; day 0 is its start. */
  timeOf(day: number): number {
    return this.startTimestamp + Math.round(day * DAY_SECONDS);
  }

  /** Plans one block with the transactions that `write` adds. An empty block is left out. */
  block(timestamp: number, write: () => void): void {
    this.#now = timestamp;
    write();
    if (this.#transactions.length > 0)
      this.blocks.push({ timestamp, transactions: this.#transactions });
    this.#transactions = [];
  }

  /** Adds a transaction to the current block. */
  add(by: Actor, what: string, content: TransactionContent): void {
    this.#transactions.push({ by, what, content });
  }

  /** Adds a call of the contract to the current block. */
  call(by: Actor, what: string, call: CommerceCall): void {
    this.add(by, what, { kind: 'commerce', ...call });
  }

  /** Gives an account tokens and an allowance for the contract, once per token. */
  equip(actor: Actor, tokenKey: TokenKey): void {
    const id = `${tokenKey} ${actor.name}`;
    if (this.#equipped.has(id)) return;
    this.#equipped.add(id);
    const { address, symbol } = this.actors.tokens[tokenKey];
    const amount = baseUnits(tokenKey, INITIAL_BALANCE);
    this.add(this.actors.deployer, `mints ${INITIAL_BALANCE} ${symbol} for ${actor.name}`, {
      kind: 'token',
      address,
      functionName: 'mint',
      args: [actor.address, amount],
    });
    this.add(actor, `lets the contract take its ${symbol}`, {
      kind: 'token',
      address,
      functionName: 'approve',
      args: [this.actors.contractAddress, maxUint256],
    });
  }
}
