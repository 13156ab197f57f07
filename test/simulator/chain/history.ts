import { BaseError, decodeErrorResult, type Hex, isHex } from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Dice, type NonEmpty } from '../dice.ts';
import { SimulationFailure } from '../failure.ts';
import type { Call } from './call.ts';
import * as campaigns from './campaigns.ts';
import { CALL_GAS, Chronicle, requestOf } from './chronicle.ts';
import * as credits from './credits.ts';
import { invalid } from './invalid.ts';
import type { Market } from './market.ts';
import * as sales from './sales.ts';
import { Sight, trustModes } from './sight.ts';

/** How often each move comes, in relation to the others. */
const MOVES: NonEmpty<{ readonly weight: number; readonly move: sales.Move }> = [
  { weight: 30, move: sales.sell },
  { weight: 13, move: campaigns.join },
  { weight: 10, move: sales.finalize },
  { weight: 7, move: sales.refund },
  { weight: 6, move: campaigns.claimRewards },
  { weight: 3, move: campaigns.claimProceeds },
  { weight: 5, move: sales.reverse },
  { weight: 4, move: campaigns.fund },
  { weight: 2, move: campaigns.setVariantPrice },
  { weight: 2, move: campaigns.schedulePolicy },
  { weight: 2, move: campaigns.pause },
  { weight: 3, move: campaigns.resume },
  { weight: 1.6, move: campaigns.end },
  { weight: 2, move: campaigns.allowDistributor },
  { weight: 2, move: campaigns.allowAttester },
  { weight: 1, move: campaigns.raiseCapacity },
  { weight: 4, move: campaigns.withdrawSurplus },
  { weight: 2.5, move: campaigns.create },
  { weight: 4, move: credits.block },
  { weight: 4, move: credits.withdraw },
  { weight: 10, move: invalid },
];

/** Counts of a function's calls by outcome. */
export interface CallCount {
  taken: number;
  /** Sensible calls that the contract refused, because the state had moved on. */
  refused: number;
  /** Calls that it had to refuse, and did. */
  invalid: number;
}

/** The protocol's history that a seed decides, played call by call on the chain. */
export class History {
  readonly chronicle: Chronicle;
  readonly sight: Sight;
  readonly counts = new Map<string, CallCount>();
  readonly #dice: Dice;
  #step = 0;

  constructor(
    readonly market: Market,
    seed: number,
  ) {
    this.#dice = new Dice(seed, 'history');
    this.chronicle = new Chronicle(market);
    this.sight = new Sight(market, this.#dice);
  }

  /** How many steps were played. */
  get steps(): number {
    return this.#step;
  }

  /** Campaigns of every trust mode, funded, and with somebody in them: what all else happens in. */
  async begin(): Promise<void> {
    const modes = [...Object.values(trustModes), trustModes.native, trustModes.merchantAttested];
    // One takes sales on the chain in the blocklist token, so that payments are refused early.
    const tokens = modes.map((_, i) => (i === 3 ? { token: this.market.blocklistToken } : {}));
    for (const [i, mode] of modes.entries()) {
      await this.#send(await campaigns.createCampaign(this.sight, mode, tokens[i]));
    }
    for (let id = 1n; id <= modes.length; id += 1n) {
      for (const call of await campaigns.opening(this.sight, id)) await this.#send(call);
    }
  }

  async play(steps: number): Promise<void> {
    for (let i = 0; i < steps; i += 1) await this.step();
    await this.chronicle.reached();
  }

  /** One step: the clock goes on, or a call, or several in one block. */
  async step(): Promise<void> {
    this.#step += 1;
    if (this.#dice.chance(7)) return await this.#goOn();
    const calls: Call[] = [];
    const wanted = this.#dice.chance(12) ? this.#dice.between(2, 5) : 1;
    for (let i = 0; i < wanted; i += 1) {
      const { move } = this.#dice.weighted(MOVES);
      const call = await move(this.sight, this.#step * 10 + i);
      if (call !== undefined) calls.push(call);
    }
    const [only] = calls;
    if (only !== undefined && calls.length === 1) await this.#send(only);
    else if (only !== undefined) await this.#sendTogether(calls);
  }

  /** Sends calls that somebody else made, a block for each; the contract may refuse them. */
  async send(calls: readonly Call[]): Promise<void> {
    this.#step += calls.length;
    for (const call of calls) await this.#send(call);
  }

  /** A sensible sale, for a reorg to put into its new blocks. */
  async anySale(): Promise<Call | undefined> {
    this.#step += 1;
    return await sales.sell(this.sight, this.#step * 10);
  }

  /** Moves the chain's clock: over holds as a rule, now and then over days. */
  async #goOn(): Promise<void> {
    const seconds = this.#dice.pick([20, 61, 61, 61, 130, 130, 700, 700, 4_000, 90_000]);
    const timestamp = (await this.sight.now()) + BigInt(seconds);
    await this.market.chain.client.setNextBlockTimestamp({ timestamp });
    await this.market.chain.client.mine({ blocks: 1 });
  }

  async #send(call: Call): Promise<void> {
    const expected = call.mustRevert === undefined ? undefined : await this.#refusal(call);
    await this.#count(call, await this.#submit(call));
    if (expected === undefined || call.mustRevert === 'any' || expected === call.mustRevert) return;
    throw new SimulationFailure(
      `${call.functionName} should revert with ${call.mustRevert}, and reverts with ${expected}`,
    );
  }

  /** Several calls in one block. */
  async #sendTogether(calls: readonly Call[]): Promise<void> {
    const { client } = this.market.chain;
    await client.setAutomine(false);
    const sent: { call: Call; hash: Hex }[] = [];
    try {
      for (const call of calls) sent.push({ call, hash: await this.#submit(call) });
      await client.mine({ blocks: 1 });
    } finally {
      await client.setAutomine(true);
    }
    for (const { call, hash } of sent) await this.#count(call, hash);
  }

  async #submit(call: Call): Promise<Hex> {
    const { chain } = this.market;
    return await chain.client.sendTransaction({
      account: call.from,
      to: call.to ?? chain.contract,
      data: call.data,
      gas: CALL_GAS,
    });
  }

  async #count(call: Call, hash: Hex): Promise<void> {
    const receipt = await waitFor(() => this.market.chain.client.getTransactionReceipt({ hash }), {
      what: `the receipt of ${hash}`,
      interval: 2,
    });
    const count = this.counts.get(call.functionName) ?? { taken: 0, refused: 0, invalid: 0 };
    this.counts.set(call.functionName, count);
    const taken = receipt.status === 'success';
    if (taken && call.mustRevert !== undefined) {
      throw new SimulationFailure(`${call.functionName} should revert, and did not (${hash})`);
    }
    if (taken) count.taken += 1;
    else if (call.mustRevert === undefined) count.refused += 1;
    else count.invalid += 1;
    if (taken) {
      this.chronicle.record(Number(receipt.blockNumber), requestOf(this.market, call));
    }
  }

  /** The name of the custom error that a call would revert with now. */
  async #refusal(call: Call): Promise<string> {
    const { chain } = this.market;
    try {
      await chain.client.call({ account: call.from, to: chain.contract, data: call.data });
      return 'nothing';
    } catch (error) {
      const data = error instanceof BaseError ? revertData(error) : undefined;
      if (data === undefined) throw error;
      return decodeErrorResult({ abi: referralCommerceAbi, data }).errorName;
    }
  }
}

/** Revert data of a call, which the node's error carries. */
function revertData(error: BaseError): Hex | undefined {
  let data: Hex | undefined;
  error.walk((cause) => {
    if (cause instanceof Error && 'data' in cause && isHex(cause.data)) data = cause.data;
    return data !== undefined;
  });
  return data;
}
