import type { Keccak256 } from '../../../engine/core/digest.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { setIndexerSchema } from '../../../engine/db/heads.ts';
import { replay } from '../../../engine/settlement/replay.ts';
import { Dice } from '../dice.ts';
import { SimulationFailure } from '../failure.ts';
import { HonestActors, Stage } from './actors.ts';
import { type Call, VirtualChain } from './chain.ts';
import { ChainView } from './chain-view.ts';
import { VirtualChecks } from './checks.ts';
import { ChainFold } from './fold.ts';
import { HostileMerchant } from './hostile.ts';
import { VirtualIndexer } from './indexer.ts';
import { VirtualSettlement } from './settlement.ts';

const SCHEMA = 'indexer_virtual';

/** Honest campaigns that a history begins with, has at most, and that take sales at a time. */
const FIRST_CAMPAIGNS = 12;
const MAX_CAMPAIGNS = 150;
const MAX_ACTIVE = 30;
/** Campaigns of the hostile merchant, at most. */
const MAX_HOSTILE = 150;

/** Cycles of indexer, feeder and workers in which everything must be settled. */
const MAX_CYCLES = 48;

/** Blocks that no reorg replaces are at least this far below the highest there ever was. */
const DEEPEST_REORG = 29;

/** A chain, its actors, the indexer and settlement, and the checks: all that a fault may touch. */
export class Scene {
  readonly chain: VirtualChain;
  readonly view: ChainView;
  readonly indexer: VirtualIndexer;
  readonly settlement: VirtualSettlement;
  readonly fold: ChainFold;
  readonly checks: VirtualChecks;
  /** The faults' own numbers: they change nothing of what the actors do. */
  readonly dice: Dice;
  readonly hostile: HostileMerchant;
  readonly #honest: HonestActors;
  readonly #stage: Stage;
  workers = 2;
  steps = 0;

  constructor(
    readonly pool: Pool,
    readonly keccak256: Keccak256,
    readonly seed: number,
  ) {
    this.chain = new VirtualChain(seed);
    // Every second seed is a chain whose tags move; the others are like chain 31337.
    this.view = new ChainView(this.chain, seed % 2 === 0);
    // Two of three are read through the real client of RPCs.
    this.view.isOverRpc = seed % 3 !== 0;
    this.indexer = new VirtualIndexer(pool, SCHEMA);
    this.settlement = new VirtualSettlement(pool, this.view, keccak256);
    this.fold = new ChainFold(keccak256);
    this.checks = new VirtualChecks(pool, this.chain, this.fold);
    this.dice = new Dice(seed, 'faults');
    this.#stage = new Stage(this.chain, new Dice(seed, 'history'));
    this.#honest = new HonestActors(this.#stage);
    this.hostile = new HostileMerchant(this.#stage);
  }

  /** Makes the indexer's tables, and the first campaigns. */
  async open(): Promise<void> {
    await this.indexer.table.create();
    await setIndexerSchema(this.pool, SCHEMA);
    for (let i = 0; i < FIRST_CAMPAIGNS; i += 1) this.mine(this.#honest.opening());
    await this.settle();
  }

  /** Mines a block of these calls, a few seconds after the head. */
  mine(calls: readonly Call[], timestamp = this.#nextTime()): void {
    this.chain.mine(calls, timestamp);
    this.steps += calls.length;
  }

  /** Mines blocks until at least so many calls were sent. @param most calls of a block. */
  play(steps: number, most = 12): void {
    for (const end = this.steps + steps; this.steps < end; ) this.mine(this.#someCalls(most));
    this.follow();
  }

  /** Mines so many blocks of a few calls each. */
  playBlocks(blocks: number): void {
    for (let i = 0; i < blocks; i += 1) {
      this.mine(this.#stage.dice.chance(50) ? this.#someCalls(2) : []);
    }
    this.follow();
  }

  /** Lets the fold in memory follow the chain: before anything else can see it. */
  follow(): void {
    this.fold.follow(this.chain.blocks);
  }

  /** The depth of a reorg: it reaches no block that was final. */
  depth(most = DEEPEST_REORG): number {
    const { chain, dice } = this;
    const lowest = Math.max(1, chain.highest - DEEPEST_REORG);
    const deepest = Math.min(most, chain.head.number - lowest);
    return deepest <= 0 ? 0 : dice.between(1, deepest);
  }

  /** Takes away the newest blocks. @returns their calls, block by block. */
  rollBack(depth: number) {
    const removed = this.chain.rollBack(this.chain.head.number - depth);
    const lost = removed.flatMap(({ facts }) =>
      facts.flatMap((fact) => (fact.name === 'SaleRecorded' ? [Number(fact.args.saleId)] : [])),
    );
    this.checks.suspect(lost);
    return removed;
  }

  /** Something that the parts do on their own in between, whatever the dice say. */
  async pump(): Promise<void> {
    const { dice, chain, indexer } = this;
    const what = dice.below(10);
    if (what < 3) {
      const behind = chain.head.number - indexer.head;
      await indexer.follow(chain.blocks, chain.head.number - dice.below(Math.max(1, behind)));
    } else await this.pumpSettlement();
    if (dice.chance(10)) await this.passTime();
  }

  /** Something that the feeder or the workers do on their own. */
  async pumpSettlement(): Promise<void> {
    const { dice, settlement } = this;
    const what = dice.below(10);
    if (what < 5) await settlement.tick();
    else if (what < 8) await settlement.work(this.workers, dice.between(1, 6));
    else await settlement.advance();
    await this.checks.observe();
  }

  /** Whatever waits for seconds to pass has waited long enough. */
  async passTime(): Promise<void> {
    await this.pool`
      update ledger.cursor set missing_since = missing_since - interval '1 minute'
      where missing_since is not null`;
  }

  /**
   * Lets all parts go on undisturbed until everything is settled.
   * @throws {SimulationFailure} if it is not after many cycles.
   */
  async settle(): Promise<void> {
    this.view.fault = 'none';
    this.view.rpcs.mend();
    // An RPC may have said to wait so long.
    this.settlement.skippedMs += 300_000;
    this.follow();
    const errors = new Set<string>();
    for (let cycle = 1; cycle <= MAX_CYCLES; cycle += 1) {
      await this.indexer.follow(this.chain.blocks);
      await this.settlement.tick();
      await this.settlement.work(this.workers);
      await this.checks.observe();
      if (this.settlement.waiting === 0 && (await this.checks.atHead())) {
        this.checks.lied = false;
        return;
      }
      if (cycle % 4 === 0) await this.passTime();
      for (const error of this.settlement.takeErrors()) errors.add(error);
    }
    const why = [await this.checks.lagReason(), ...[...errors].slice(-3)];
    throw new SimulationFailure(`it does not settle: ${why.join('; ')}`);
  }

  /**
   * Corrects poisoned facts, as a reindex with a fixed indexer does, and folds their campaigns again
   * with `replay`, as an operator does.
   */
  async repair(): Promise<void> {
    const { pool, keccak256, checks, indexer } = this;
    await indexer.heal();
    for (const campaignId of checks.poisoned) {
      const options = { pool, keccak256, fromBlock: 0, campaignId, shadow: false };
      await replay({ ...options, batchSize: 2_000, onProgress: () => {} });
    }
    checks.poisoned.clear();
    await this.settle();
  }

  #someCalls(most: number): Call[] {
    const { dice } = this.#stage;
    const { campaigns } = this.chain.contract;
    const hostile = campaigns.filter((campaign) => campaign.hostile).length;
    if (dice.chance(4)) {
      const { all, active } = this.#stage.honestCampaigns();
      if (all < MAX_CAMPAIGNS && active < MAX_ACTIVE) return this.#honest.opening();
    }
    if (dice.chance(4) && hostile < MAX_HOSTILE) return this.hostile.attack();
    const calls: Call[] = [];
    for (let i = dice.between(1, most); i > 0; i -= 1) {
      const call = this.#honest.move();
      if (call !== undefined) calls.push(call);
    }
    return calls;
  }

  /** When the next block is mined: seconds later, now and then much later, or when it hurts. */
  #nextTime(): number {
    const { dice, now } = this.#stage;
    const wanted = this.hostile.wantedTimes;
    const due = wanted.findIndex((time) => time > now && time < now + 4_000);
    if (due >= 0 && dice.chance(30)) return wanted.splice(due, 1)[0] ?? now + 1;
    // The first second of a day (UTC), or the last: limits of attesters are by day.
    if (dice.chance(1)) return now - (now % 86_400) + 86_400 - dice.below(2);
    return now + (dice.chance(6) ? dice.pick([61, 130, 700, 4_000, 90_000]) : dice.between(1, 12));
  }
}
