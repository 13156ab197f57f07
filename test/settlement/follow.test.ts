import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../engine/chain/chain.ts';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { advanceSettledBlock } from '../../engine/settlement/feeder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { PushedJobs } from '../support/settle-jobs.ts';

let database: TestDatabase;
let fixture: SettleFixture;
let facts: Fact[];

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 23, steps: 120, campaigns: 2 });
  await fixture.index(facts);
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

async function follow(chain: Chain = fixture.chain): Promise<readonly string[]> {
  const { pool } = fixture;
  const queue = new PushedJobs();
  const onChainError = (error: unknown) => {
    throw error;
  };
  await advanceSettledBlock({ pool, chain, queue, onChainError });
  return queue.campaignIds;
}

async function settledNumber(): Promise<number> {
  return (await readHeads(fixture.pool))?.settled?.number ?? -1;
}

describe('following what was settled', () => {
  it('moves the settled block to the checked head, and asks the chain nothing', async () => {
    const last = facts.at(-1)?.blockNumber ?? 0;
    await fixture.settleOnce(1_000);
    expect(await settledNumber()).toBeLessThan(last);
    const silent = async () => {
      throw new Error('the chain was asked');
    };
    const { chainId, startBlock, provenDepth, restMs } = fixture.chain;
    await follow({
      ...{ chainId, startBlock, provenDepth, restMs },
      ...{ head: silent, blockAt: silent, finality: silent, logsOf: silent, provenBlocks: silent },
    });
    expect(await settledNumber()).toBe(last);
  });

  it('queues checked facts that arrived during a batch', async () => {
    await fixture.settleOnce(20);
    expect([...(await follow())].sort()).toEqual(['1', '2']);
    await fixture.settle();
    expect(await follow()).toEqual([]);
    const last = facts.at(-1);
    if (last === undefined) throw new Error('the history has facts');
    await fixture.table.insert([
      { ...last, timestamp: 9_999_999_999, blockNumber: last.blockNumber + 1 },
    ]);
    expect(await follow()).toEqual([]);
  });

  it('stops before the first fact that is not folded', async () => {
    await fixture.settleOnce(20);
    await follow();
    const [row] = await fixture.pool<{ first: string }[]>`
      select min(f.block_number) as first from indexer_test.chain_event f
      join ledger.cursor c on c.campaign_id = f.campaign_id
        and (f.block_number, f.log_index) > (c.block_number, c.log_index)`;
    expect(await settledNumber()).toBe(Number(row?.first) - 1);
  });

  it('moves nothing before it is known which campaigns are behind', async () => {
    await fixture.tick();
    const before = await settledNumber();
    await fixture.pool`delete from ledger.behind`;
    await fixture.pool`update ledger.checked_head set behind_known = false`;
    await follow();
    expect(await settledNumber()).toBe(before);
  });

  it('stops at the checked head, and rolls nothing back', async () => {
    await fixture.settle();
    const before = await settledNumber();
    const head = { number: before + 5, timestamp: 4_000_000_000 };
    await fixture.table.setHead(head);
    fixture.chain.setHead(head.number, head.timestamp);
    await follow();
    expect(await settledNumber()).toBe(before);

    await fixture.table.setHead({ number: before - 3, timestamp: 1 });
    await follow();
    expect(await settledNumber()).toBe(before);
  });
});
