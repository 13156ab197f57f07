import type { Chain, ChainBlock, LogLocation, ProvenBlock } from '../../engine/chain/chain.ts';
import { parseEventId } from '../../engine/core/event-id.ts';
import type { Fact, Hex } from '../../engine/core/events.ts';
import { shortPathModes, trustModes } from '../../engine/core/events.ts';
import type { Fragment, Sql } from '../../engine/db/connection.ts';
import { hash } from './history.ts';

/**
 * The indexer's tables as Ponder 0.17.7 makes them, for tests that need a history no chain would
 * give on demand, or a moment of its crash recovery. The end-to-end tests run the real indexer.
 */
export class IndexerTable {
  constructor(
    readonly pool: Sql,
    readonly schema: string,
    readonly chainId = 31_337,
  ) {}

  async create(): Promise<void> {
    const { pool, schema } = this;
    await pool`create schema ${pool(schema)}`;
    await pool`
      create table ${pool(schema)}.chain_event (
        block_number bigint not null, block_timestamp bigint not null,
        transaction_index integer not null, log_index integer not null,
        campaign_id numeric(78, 0) not null, block_hash text not null, transaction_hash text not null,
        name text not null, args json not null, calldata_end text,
        primary key (campaign_id, block_number, log_index)
      )`;
    await pool`create table ${pool(schema)}._ponder_meta (key text primary key, value jsonb not null)`;
    await pool`
      create table ${pool(schema)}._ponder_checkpoint (
        chain_name text primary key, chain_id bigint not null, safe_checkpoint varchar(75) not null,
        latest_checkpoint varchar(75) not null, finalized_checkpoint varchar(75) not null
      )`;
    await pool`insert into ${pool(schema)}._ponder_meta values ('app', '{"is_ready": 1}')`;
    await this.setHead({ number: 0, timestamp: 0 });
  }

  /** Gives the table the columns that it had in a version before, and Ponder's event id in its key. */
  async keyByEventId(): Promise<void> {
    const { pool, schema } = this;
    await pool`
      alter table ${pool(schema)}.chain_event add column id text not null,
        drop constraint chain_event_pkey, drop column transaction_index, add primary key (campaign_id, id)`;
  }

  async insert(facts: readonly Fact[]): Promise<void> {
    const { pool, schema } = this;
    for (let i = 0; i < facts.length; i += 1_000) {
      const rows = facts.slice(i, i + 1_000).map(rowOf);
      await pool`
        insert into ${pool(schema)}.chain_event
        select * from json_populate_recordset(
          null::${pool(schema)}.chain_event, ${JSON.stringify(rows)}::text::json
        )`;
    }
  }

  async remove(facts: readonly Fact[]): Promise<void> {
    const { pool, schema } = this;
    for (const fact of facts)
      await pool`delete from ${pool(schema)}.chain_event where ${this.is(fact)}`;
  }

  /** A condition for the row of a fact. */
  is({ campaignId, blockNumber, logIndex }: Fact): Fragment {
    return this.pool`
      campaign_id = ${campaignId} and block_number = ${blockNumber} and log_index = ${logIndex}`;
  }

  async removeFrom(blockNumber: number): Promise<void> {
    const { pool, schema } = this;
    await pool`delete from ${pool(schema)}.chain_event where block_number >= ${blockNumber}`;
  }

  async setReady(ready: boolean): Promise<void> {
    const { pool, schema } = this;
    await pool`
      update ${pool(schema)}._ponder_meta
      set value = jsonb_set(value, '{is_ready}', to_jsonb(${ready ? 1 : 0}::int))`;
  }

  async setHead(
    head: { number: number; timestamp: number },
    finalized: { number: number; timestamp: number } = { number: 0, timestamp: 0 },
  ): Promise<void> {
    const { pool, schema } = this;
    const [latest, final] = [this.#checkpoint(head), this.#checkpoint(finalized)];
    await pool`
      insert into ${pool(schema)}._ponder_checkpoint
      values ('chain', ${this.chainId}, ${final}, ${latest}, ${final})
      on conflict (chain_name) do update set latest_checkpoint = excluded.latest_checkpoint,
        safe_checkpoint = excluded.safe_checkpoint,
        finalized_checkpoint = excluded.finalized_checkpoint`;
  }

  #checkpoint({ number, timestamp }: { number: number; timestamp: number }): string {
    const time = String(timestamp).padStart(10, '0');
    const [chain, block] = [this.chainId, number].map((value) => String(value).padStart(16, '0'));
    return `${time}${chain}${block}${'9'.repeat(33)}`;
  }
}

/** A chain that a test moves by hand, where the indexer's table is one, too. */
export class FakeChain implements Chain {
  readonly chainId = 31_337;
  readonly startBlock = 0;
  readonly provenDepth: number = 64;
  readonly restMs = 20_000;
  #head: ChainBlock = { number: 0, hash: hash('block 0'), timestamp: 0 };
  /** Blocks that a test named, by number, and what is in them. */
  readonly #blocks = new Map<number, ChainBlock & { readonly logs: LogLocation[] }>();

  /** Makes the blocks of these facts the canonical ones from their first on. */
  follow(facts: readonly Fact[]): void {
    const last = facts.at(-1);
    if (last === undefined) return;
    this.#discardFrom(facts[0]?.blockNumber ?? 0);
    for (const fact of facts) {
      const { blockNumber: number, blockHash, timestamp } = fact;
      const block = this.#blocks.get(number) ?? { number, hash: blockHash, timestamp, logs: [] };
      block.logs.push(logOf(fact));
      this.#blocks.set(number, block);
    }
    this.#head = { number: last.blockNumber, hash: last.blockHash, timestamp: last.timestamp };
  }

  /** Makes a block without events the head, up or down; the blocks above it are gone. */
  setHead(number: number, timestamp: number, blockHash?: Hex): void {
    this.#discardFrom(number + 1);
    const block = { ...this.#at(number), timestamp, ...(blockHash ? { hash: blockHash } : {}) };
    this.#blocks.set(number, { ...block, logs: this.#blocks.get(number)?.logs ?? [] });
    this.#head = block;
  }

  head = async (): Promise<ChainBlock> => this.#head;

  blockAt = async (number: number): Promise<ChainBlock | null> =>
    number > this.#head.number ? null : this.#at(number);

  finality: Chain['finality'] = async () => ({ safe: null, finalized: null });

  logsOf: Chain['logsOf'] = async (from, to) => ({
    to,
    logs: [...this.#blocks.values()]
      .filter(({ number }) => number >= from && number <= to && number <= this.#head.number)
      .sort((a, b) => a.number - b.number)
      .flatMap(({ logs }) => logs),
  });

  provenBlocks = async (from: number, to: number): Promise<readonly ProvenBlock[]> => {
    const last = Math.min(to, this.#head.number);
    return Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => ({
      ...this.#at(from + i),
      parentHash: this.#at(from + i - 1).hash,
      logs: this.#blocks.get(from + i)?.logs ?? [],
    }));
  };

  /** A block that no test named follows from the one before it that was. */
  #at(number: number): ChainBlock {
    const named = this.#blocks.get(number);
    if (named !== undefined) return { number, hash: named.hash, timestamp: named.timestamp };
    const below = Math.max(-1, ...[...this.#blocks.keys()].filter((known) => known < number));
    const before = this.#blocks.get(below);
    return {
      number,
      hash: hash(`block ${number} after ${before?.hash ?? 'the genesis'}`),
      timestamp: before?.timestamp ?? 0,
    };
  }

  #discardFrom(first: number): void {
    for (const number of [...this.#blocks.keys()]) if (number >= first) this.#blocks.delete(number);
  }
}

function logOf({ id, blockNumber, blockHash, transactionHash, logIndex }: Fact): LogLocation {
  const { transactionIndex } = parseEventId(id);
  return { blockNumber, blockHash, transactionHash, transactionIndex, logIndex };
}

function rowOf(fact: Fact): object {
  return {
    id: fact.id,
    campaign_id: fact.campaignId,
    block_number: fact.blockNumber,
    transaction_index: parseEventId(fact.id).transactionIndex,
    block_hash: fact.blockHash,
    block_timestamp: fact.timestamp,
    transaction_hash: fact.transactionHash,
    log_index: fact.logIndex,
    name: fact.name,
    args: indexed(fact.args),
    calldata_end: fact.calldataEnd ?? null,
  };
}

/** Arguments as `src/encode.ts` writes them: bigints as text, enums by ordinal. */
function indexed(args: object): unknown {
  return JSON.parse(
    JSON.stringify(args, (key, value: unknown) => {
      if (key === 'trustMode') return ordinalOf(trustModes, value);
      if (key === 'shortPathMode') return ordinalOf(shortPathModes, value);
      return typeof value === 'bigint' ? value.toString() : value;
    }),
  );
}

function ordinalOf(names: readonly string[], value: unknown): number {
  return names.indexOf(String(value));
}
