import type { Fact } from '../../../engine/core/events.ts';
import type { Pool, Sql } from '../../../engine/db/connection.ts';
import { IndexerTable } from '../../support/indexer-table.ts';
import { commonBlock, type VirtualBlock } from './chain.ts';

/** Ponder's finality on chain 31337: it moves to head − 30 when the head is 60 above it. */
const FINALITY_BLOCKS = 30;

/**
 * The indexer's tables as Ponder writes them while it follows, reverts, crashes and recovers
 * (docs/how-it-works/architecture.md#where-data-lives). It may follow a fork that the chain has left.
 */
export class VirtualIndexer {
  readonly table: IndexerTable;
  /** The blocks that it has indexed, from the genesis on. */
  #own: VirtualBlock[] = [];
  #finalized = 0;
  /** Rows written differently from what the chain said, by event id: poisoned ones. */
  readonly altered = new Map<string, Fact>();

  constructor(
    readonly pool: Pool,
    readonly schema: string,
  ) {
    this.table = new IndexerTable(pool, schema);
  }

  get head(): number {
    return this.#own.length - 1;
  }

  /** Follows a chain up to a block, as the running indexer does. */
  async follow(blocks: readonly VirtualBlock[], to = blocks.length - 1): Promise<void> {
    const target = blocks.slice(0, to + 1);
    const common = this.#own.length === 0 ? -1 : commonBlock(this.#own, target);
    if (common < this.#own.length - 1) await this.#revert(common);
    await this.#extend(target);
  }

  /**
   * Comes back after it ended without warning. Its unfinalized rows vanish, while it still names its
   * last block; then it indexes up to the new finalized block, then up to the head.
   * @param between called after each of these stages: settlement goes on meanwhile.
   */
  async restart(blocks: readonly VirtualBlock[], between: () => Promise<void>): Promise<void> {
    await this.pool.begin(async (sql) => {
      await this.#tableIn(sql).removeFrom(this.#finalized + 1);
      await this.#tableIn(sql).setReady(false);
    });
    await between();
    this.#own = this.#own.slice(0, this.#finalized + 1);
    const finalized = Math.max(this.#finalized, blocks.length - 1 - FINALITY_BLOCKS);
    this.#finalized = finalized;
    await this.#extend(blocks.slice(0, finalized + 1));
    await between();
    await this.table.setReady(true);
    await between();
    await this.#extend(blocks);
  }

  /** Writes altered rows as the chain said them. */
  async heal(): Promise<void> {
    const right = this.#own.flatMap(({ facts }) => facts).filter(({ id }) => this.altered.has(id));
    this.altered.clear();
    await this.pool.begin(async (sql) => {
      await this.#tableIn(sql).remove(right);
      await this.#tableIn(sql).insert(right);
    });
  }

  async #revert(common: number): Promise<void> {
    const head = this.#own[common];
    if (head === undefined || common < this.#finalized) {
      throw new Error(`the indexer cannot revert to block ${common}: ${this.#finalized} is final`);
    }
    this.#own = this.#own.slice(0, common + 1);
    await this.pool.begin(async (sql) => {
      await this.#tableIn(sql).removeFrom(common + 1);
      await this.#tableIn(sql).setHead(head, this.#final());
    });
  }

  async #extend(blocks: readonly VirtualBlock[]): Promise<void> {
    const added = blocks.slice(this.#own.length);
    const head = added.at(-1);
    if (head === undefined) return;
    this.#own.push(...added);
    if (head.number >= this.#finalized + 2 * FINALITY_BLOCKS) {
      this.#finalized = head.number - FINALITY_BLOCKS;
    }
    const facts = added.flatMap((block) => block.facts);
    await this.pool.begin(async (sql) => {
      await this.#tableIn(sql).insert(facts.map((fact) => this.altered.get(fact.id) ?? fact));
      await this.#tableIn(sql).setHead(head, this.#final());
    });
  }

  #final(): VirtualBlock {
    const block = this.#own[this.#finalized] ?? this.#own[0];
    if (block === undefined) throw new Error('nothing is indexed');
    return block;
  }

  #tableIn(sql: Sql): IndexerTable {
    return new IndexerTable(sql, this.schema);
  }
}
