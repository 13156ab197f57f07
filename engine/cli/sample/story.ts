import { maxUint256 } from 'viem';
import type { Actor, Cast } from './cast.ts';
import type { Random } from './random.ts';
import type { Call, PlannedBlock, Step } from './steps.ts';
import { baseUnits, type TokenKey } from './tokens.ts';

export const DAY_SECONDS = 86_400;

type CommerceCall<C = Call> = C extends { kind: 'commerce' } ? Omit<C, 'kind'> : never;

/** What an account is given when it first needs a token: whole tokens, more than it can spend. */
const FORTUNE = '1000000';

/** The blocks of a plan while it is written, and what all campaigns share: clock, ids, choices. */
export class Story {
  readonly blocks: PlannedBlock[] = [];
  /** Ids given last; the contract counts them over all campaigns. */
  readonly last = { campaign: 0n, node: 0n, sale: 0n, order: 0 };
  #steps: Step[] = [];
  #now: number;
  readonly #equipped = new Set<string>();

  constructor(
    readonly cast: Cast,
    readonly random: Random,
    readonly startTimestamp: number,
  ) {
    this.#now = startTimestamp;
  }

  /** Unix seconds of the block that is being written. */
  get now(): number {
    return this.#now;
  }

  /** Unix seconds of a day of the sample, 0 being its start. */
  timeOf(day: number): number {
    return this.startTimestamp + Math.round(day * DAY_SECONDS);
  }

  /** Writes one block: all that `write` does happens in it. A block of nothing is left out. */
  block(timestamp: number, write: () => void): void {
    this.#now = timestamp;
    write();
    if (this.#steps.length > 0) this.blocks.push({ timestamp, steps: this.#steps });
    this.#steps = [];
  }

  step(by: Actor, what: string, call: Call): void {
    this.#steps.push({ by, what, call });
  }

  commerce(by: Actor, what: string, call: CommerceCall): void {
    this.step(by, what, { kind: 'commerce', ...call });
  }

  /** Gives an account tokens and lets the contract take them, where it has not been done. */
  equip(actor: Actor, tokenKey: TokenKey): void {
    const id = `${tokenKey} ${actor.name}`;
    if (this.#equipped.has(id)) return;
    this.#equipped.add(id);
    const { address, symbol } = this.cast.tokens[tokenKey];
    const amount = baseUnits(tokenKey, FORTUNE);
    this.step(this.cast.deployer, `mints ${FORTUNE} ${symbol} for ${actor.name}`, {
      kind: 'token',
      address,
      functionName: 'mint',
      args: [actor.address, amount],
    });
    this.step(actor, `lets the contract take its ${symbol}`, {
      kind: 'token',
      address,
      functionName: 'approve',
      args: [this.cast.contractAddress, maxUint256],
    });
  }
}
