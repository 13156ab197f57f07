import type { Fact, Hex } from '../../engine/core/events.ts';
import { shortPathModes, trustModes } from '../../engine/core/events.ts';
import type { Pool } from '../../engine/db/connection.ts';
import type { Chain, ChainBlock } from '../../engine/settlement/chain.ts';
import { hash } from './history.ts';

/**
 * The indexer's tables as Ponder 0.16.10 makes them, for tests that need a history no chain would
 * give on demand, or a moment of its crash recovery. The end-to-end tests run the real indexer.
 */
export class IndexerTable {
  constructor(
    readonly pool: Pool,
    readonly schema: string,
  ) {}

  async create(): Promise<void> {
    const { pool, schema } = this;
    await pool`create schema ${pool(schema)}`;
    await pool`
      create table ${pool(schema)}.chain_event (
        campaign_id numeric(78, 0) not null, id text not null, block_number bigint not null,
        block_hash text not null, block_timestamp bigint not null, transaction_hash text not null,
        log_index integer not null, name text not null, args json not null,
        primary key (campaign_id, id)
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
    const [latest, final] = [checkpoint(head), checkpoint(finalized)];
    await pool`
      insert into ${pool(schema)}._ponder_checkpoint
      values ('chain', 31337, ${final}, ${latest}, ${final})
      on conflict (chain_name) do update set latest_checkpoint = excluded.latest_checkpoint,
        safe_checkpoint = excluded.safe_checkpoint,
        finalized_checkpoint = excluded.finalized_checkpoint`;
  }
}

/** A chain that a test moves by hand, where the indexer's table is one, too. */
export class FakeChain implements Chain {
  readonly chainId = 31_337;
  #head: ChainBlock = { number: 0, hash: hash('block 0'), timestamp: 0 };
  readonly #hashes = new Map<number, Hex>();

  /** Makes the blocks of these facts the canonical ones from their first on. */
  follow(facts: readonly Fact[]): void {
    const first = facts[0]?.blockNumber ?? 0;
    for (const number of [...this.#hashes.keys()]) if (number >= first) this.#hashes.delete(number);
    for (const fact of facts) this.#hashes.set(fact.blockNumber, fact.blockHash);
    const last = facts.at(-1);
    if (last === undefined) return;
    this.#head = { number: last.blockNumber, hash: last.blockHash, timestamp: last.timestamp };
  }

  /** Makes a block without events the head, up or down; the blocks above it are gone. */
  setHead(number: number, timestamp: number, blockHash = hash(`block ${number}`)): void {
    for (const known of [...this.#hashes.keys()]) if (known > number) this.#hashes.delete(known);
    this.#hashes.set(number, blockHash);
    this.#head = { number, timestamp, hash: blockHash };
  }

  head = async (): Promise<ChainBlock> => this.#head;

  blockAt = async (number: number): Promise<ChainBlock | null> => {
    if (number > this.#head.number) return null;
    const blockHash = this.#hashes.get(number) ?? hash(`block ${number}`);
    return { number, hash: blockHash, timestamp: this.#head.timestamp };
  };

  finality: Chain['finality'] = async () => ({ safe: null, finalized: null });
}

function checkpoint({ number, timestamp }: { number: number; timestamp: number }): string {
  const time = String(timestamp).padStart(10, '0');
  const block = String(number).padStart(16, '0');
  return `${time}${'0'.repeat(11)}31337${block}${'9'.repeat(33)}`;
}

function rowOf(fact: Fact): object {
  return {
    campaign_id: fact.campaignId,
    id: fact.id,
    block_number: fact.blockNumber,
    block_hash: fact.blockHash,
    block_timestamp: fact.timestamp,
    transaction_hash: fact.transactionHash,
    log_index: fact.logIndex,
    name: fact.name,
    args: indexed(fact.args),
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
