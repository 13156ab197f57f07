import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import type { Chain } from '../../engine/settlement/chain.ts';
import { followSettled } from '../../engine/settlement/feeder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { SettleBench } from '../support/settle-bench.ts';
import { PushedJobs } from '../support/settle-jobs.ts';

let database: TestDatabase;
let bench: SettleBench;
let facts: Fact[];

beforeEach(async () => {
  database = await createTestDatabase();
  bench = await SettleBench.open(database.url);
  facts = randomHistory({ seed: 23, steps: 120, campaigns: 2 });
  await bench.index(facts);
});

afterEach(async () => {
  await bench?.pool.end();
  await database?.drop();
});

async function follow(chain: Chain = bench.chain): Promise<readonly string[]> {
  const { pool } = bench;
  const queue = new PushedJobs();
  const onChainError = (error: unknown) => {
    throw error;
  };
  await followSettled({ pool, chain, queue, onChainError });
  return queue.campaignIds;
}

async function settledNumber(): Promise<number> {
  return (await readHeads(bench.pool))?.settled?.number ?? -1;
}

describe('following what was settled', () => {
  it('moves the settled block to the checked head, and asks the chain nothing', async () => {
    const last = facts.at(-1)?.blockNumber ?? 0;
    await bench.settleOnce(1_000);
    expect(await settledNumber()).toBeLessThan(last);
    const silent = async () => {
      throw new Error('the chain was asked');
    };
    const { chainId, startBlock, provenDepth } = bench.chain;
    await follow({
      ...{ chainId, startBlock, provenDepth },
      ...{ head: silent, blockAt: silent, finality: silent, logsOf: silent, provenBlocks: silent },
    });
    expect(await settledNumber()).toBe(last);
  });

  it('queues what came while a batch was under way, as far as it is checked', async () => {
    await bench.settleOnce(20);
    expect([...(await follow())].sort()).toEqual(['1', '2']);
    await bench.settle();
    expect(await follow()).toEqual([]);
    const last = facts.at(-1);
    if (last === undefined) throw new Error('the history has facts');
    await bench.table.insert([
      { ...last, id: `${'9'.repeat(10)}${last.id.slice(10)}`, blockNumber: last.blockNumber + 1 },
    ]);
    expect(await follow()).toEqual([]);
  });

  it('stops before the first fact that is not folded', async () => {
    await bench.settleOnce(20);
    await follow();
    const [row] = await bench.pool<{ first: string }[]>`
      select min(f.block_number) as first from indexer_test.chain_event f
      join ledger.cursor c on c.campaign_id = f.campaign_id and f.id > c.event_id`;
    expect(await settledNumber()).toBe(Number(row?.first) - 1);
  });

  it('never passes the checked head, and takes nothing back', async () => {
    await bench.settle();
    const before = await settledNumber();
    const head = { number: before + 5, timestamp: 4_000_000_000 };
    await bench.table.setHead(head);
    bench.chain.setHead(head.number, head.timestamp);
    await follow();
    expect(await settledNumber()).toBe(before);

    await bench.table.setHead({ number: before - 3, timestamp: 1 });
    await follow();
    expect(await settledNumber()).toBe(before);
  });
});
