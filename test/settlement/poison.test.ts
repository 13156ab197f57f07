import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { startWorker } from '../../engine/settlement/worker.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { keccak } from '../support/ledger.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const INNOCENT = '1';
const POISONED = '2';

const fixtures = new SettleFixtures();
let fixture: SettleFixture;

beforeEach(async () => {
  fixture = await fixtures.open();
});
afterEach(() => fixtures.close());

/** Two campaigns with a sale each; the poisoned one's is in the same blocks as the innocent one's. */
function twoCampaigns(poisoned = POISONED): HistoryBuilder {
  const history = new HistoryBuilder();
  for (const [i, id] of [INNOCENT, poisoned].entries()) {
    history.create(id);
    history.schedule(id);
    history.fund(id, 10_000_000n);
    history.join(id, String(i + 1));
  }
  history.nextBlock();
  history.sell(INNOCENT, '1', { nodeId: '1', pool: 100_000n, shares: [100_000n] });
  history.sell(poisoned, '2', { nodeId: '2', pool: 100_000n, shares: [100_000n] });
  history.nextBlock(700);
  history.fund(INNOCENT, 1n);
  return history;
}

/** Ticks and settles as a worker does, except that errors are collected, until nothing is queued. */
async function settleAround(maxRounds = 30): Promise<string[]> {
  const { pool, chain } = fixture;
  const options = { pool, chain, keccak256: keccak, batchSize: 1_000 };
  const errors: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const queue = await fixture.tick();
    if (queue.jobs.length === 0) return errors;
    for (const job of queue.jobs) {
      try {
        await settleCampaigns(options, job);
        continue;
      } catch (error) {
        if (job.length === 1) errors.push(String(error));
      }
      if (job.length === 1) continue;
      for (const id of job) {
        await settleCampaigns(options, [id]).catch((error) => errors.push(String(error)));
      }
    }
  }
  return errors;
}

async function stopped(): Promise<{ campaignId: string; reason: string }[]> {
  return await fixture.pool`
    select campaign_id::text as "campaignId", stopped_reason as reason from ledger.cursor
    where stopped_at is not null order by campaign_id`;
}

async function foldedEvents(campaignId: string): Promise<number> {
  const [row] = await fixture.pool<{ n: number }[]>`
    select count(*)::int as n from ledger.journal where campaign_id = ${campaignId}`;
  return row?.n ?? 0;
}

async function settledNumber(): Promise<number | undefined> {
  return (await readHeads(fixture.pool))?.settled?.number;
}

async function expectInnocentSettled(history: HistoryBuilder): Promise<void> {
  const own = history.facts.filter(({ campaignId }) => campaignId === INNOCENT);
  expect(await foldedEvents(INNOCENT)).toBe(own.length);
  expect(await settledNumber()).toBe(history.block);
}

/** Replaces what the indexer has of one fact's arguments, as text: JSON that our own types could not write. */
async function poisonArgs(fact: Fact, change: (args: string) => string): Promise<void> {
  const { pool, table } = fixture;
  const events = pool`${pool(table.schema)}.chain_event`;
  const [row] = await pool<{ args: string }[]>`
    select args::text as args from ${events} where ${table.is(fact)}`;
  const changed = change(row?.args ?? '');
  expect(changed).not.toBe(row?.args);
  await pool`update ${events} set args = ${changed}::text::json where ${table.is(fact)}`;
}

function factOf(history: HistoryBuilder, name: Fact['name'], campaignId = POISONED): Fact {
  const found = history.facts.find((fact) => fact.name === name && fact.campaignId === campaignId);
  if (found === undefined) throw new Error(`the history has a ${name}`);
  return found;
}

/** A trigger that fails, as data of the campaign might make a statement fail. */
async function failOn(table: string, when: string, sqlstate: string): Promise<void> {
  const row = when === 'delete' ? 'old' : 'new';
  await fixture.pool.unsafe(`
    create function fail_on_purpose() returns trigger language plpgsql as $$
    begin
      if ${row}.campaign_id = ${POISONED} then
        raise exception 'on purpose' using errcode = '${sqlstate}';
      end if;
      return ${row};
    end $$;
    create trigger fail_on_purpose before ${when} on ledger.${table}
    for each row execute function fail_on_purpose();`);
}

async function mend(table: string): Promise<void> {
  await fixture.pool.unsafe(`drop trigger fail_on_purpose on ledger.${table};
    drop function fail_on_purpose();`);
}

const randomHex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

/** One poisoned fact of each kind: which event, what becomes of its arguments, and what the reason says. */
const poisons: {
  kind: string;
  name: Fact['name'];
  change: (args: string) => string;
  reason: RegExp;
}[] = [
  {
    kind: 'an amount longer than PostgreSQL can store',
    name: 'CampaignFunded',
    change: (args) => args.replace('10000000', '9'.repeat(140_000)),
    reason: /overflow.*22003/,
  },
  {
    kind: 'an id above what the keys hold',
    name: 'NodeJoined',
    change: (args) => args.replace(/"nodeId":\s*"2"/, `"nodeId":"${2n ** 63n}"`),
    reason: /22003/,
  },
  {
    kind: 'an integer above what its column holds',
    name: 'PolicyScheduled',
    change: (args) => args.replace(/"holdSeconds":\s*600/, '"holdSeconds":4294967296'),
    reason: /22003/,
  },
  {
    kind: 'text with U+0000',
    name: 'CampaignCreated',
    change: (args) => args.replace('Test Dollar', 'Test\\u0000Dollar'),
    reason: /22P05|22021/,
  },
  {
    kind: 'text with half of a surrogate pair',
    name: 'PolicyScheduled',
    change: (args) => args.replace('No spam', '\\ud800'),
    reason: /22P02|22P05|22021/,
  },
  {
    kind: 'a hash too long for its index',
    name: 'CampaignCreated',
    change: (args) => args.replace(/"skuHash":\s*"0x[0-9a-f]+"/, `"skuHash":"${randomHex(9_000)}"`),
    reason: /54000/,
  },
  {
    kind: 'a missing argument',
    name: 'SaleRecorded',
    change: (args) => args.replace('"buyer"', '"seller"'),
    reason: /buyer: expected text/,
  },
  {
    kind: 'an argument of another type',
    name: 'SaleRecorded',
    change: (args) => args.replace(/"shares":\s*\[[^\]]*\]/, '"shares":{"length":9e15}'),
    reason: /shares: expected a list/,
  },
  {
    kind: 'a time after the year 9999',
    name: 'SaleRecorded',
    change: (args) => args.replace(/"holdUntil":\s*\d+/, '"holdUntil":253402300800'),
    reason: /holdUntil: expected a time/,
  },
  {
    kind: 'arguments that are a list',
    name: 'CampaignFunded',
    change: () => '[]',
    reason: /account: expected text/,
  },
  {
    kind: 'arguments that are null',
    name: 'CampaignFunded',
    change: () => 'null',
    reason: /expected an object/,
  },
];

describe('a campaign whose fact cannot be settled', () => {
  it.each(poisons)(
    'stops the campaign because of $kind, with the reason, and settles the other',
    async ({ name, change, reason }) => {
      const history = twoCampaigns();
      await fixture.index(history.facts);
      await poisonArgs(factOf(history, name), change);
      await settleAround();
      await expectInnocentSettled(history);
      expect(await stopped()).toEqual([
        { campaignId: POISONED, reason: expect.stringMatching(reason) },
      ]);
    },
  );

  it('stops the campaign of an unknown event, and settles the other', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    const { pool, table } = fixture;
    await pool`
      update ${pool(table.schema)}.chain_event set name = 'Rug'
      where ${table.is(factOf(history, 'NodeJoined'))}`;
    await settleAround();
    await expectInnocentSettled(history);
    expect(await stopped()).toMatchObject([
      { campaignId: POISONED, reason: 'unknown event "Rug"' },
    ]);
  });

  it('settles the other campaign if two sales of one have the same id', async () => {
    const history = twoCampaigns();
    const again = factOf(history, 'SaleRecorded');
    history.add(POISONED, { name: 'SaleRecorded', args: again.args } as Fact<'SaleRecorded'>);
    await fixture.index(history.facts);
    await settleAround();
    await expectInnocentSettled(history);
  });

  it('continues after its fact was corrected and an operator replayed it', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    const poisoned = factOf(history, 'NodeJoined');
    await poisonArgs(poisoned, (args) =>
      args.replace(/"nodeId":\s*"2"/, `"nodeId":"${2n ** 63n}"`),
    );
    await settleAround();
    expect(await stopped()).toHaveLength(1);
    const { pool } = fixture;
    const again = () =>
      replay({
        pool,
        keccak256: keccak,
        fromBlock: 0,
        campaignId: POISONED,
        shadow: false,
        batchSize: 100,
        onProgress: () => {},
      });
    // Not mended: the replay says why, and the campaign stays stopped.
    expect((await again()).campaigns).toMatchObject([
      { outcome: 'failed', reason: expect.stringMatching(/22003/), started: false },
    ]);
    expect(await stopped()).toHaveLength(1);

    await poisonArgs(poisoned, (args) => args.replace(String(2n ** 63n), '2'));
    expect((await again()).campaigns).toMatchObject([{ started: true }]);
    // What comes after is settled as ever.
    history.nextBlock();
    history.fund(POISONED, 5n);
    await fixture.table.insert(history.facts.slice(-1));
    await fixture.table.setHead({ number: history.block, timestamp: history.time });
    fixture.chain.follow(history.facts);
    expect(await settleAround()).toEqual([]);
    expect(await stopped()).toEqual([]);
    const own = history.facts.filter(({ campaignId }) => campaignId === POISONED);
    expect(await foldedEvents(POISONED)).toBe(own.length);
    expect(await settledNumber()).toBe(history.block);
  });
});

describe('a campaign that was stopped, when the chain replaces the blocks that stopped it', () => {
  it('settles the campaign of the new blocks, because the id may belong to another one now', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    const poisoned = factOf(history, 'SaleRecorded');
    await poisonArgs(poisoned, (args) => args.replace('"pool"', '"pond"'));
    await settleAround();
    expect(await stopped()).toMatchObject([{ campaignId: POISONED }]);
    const fork = history.facts
      .filter(({ blockNumber }) => blockNumber >= poisoned.blockNumber)
      .map((fact) => ({ ...fact, blockHash: `0x${'ab'.repeat(32)}` as const }));
    await fixture.index(fork);
    await settleAround();
    expect(await stopped()).toEqual([]);
    const own = history.facts.filter(({ campaignId }) => campaignId === POISONED);
    expect(await foldedEvents(POISONED)).toBe(own.length);
    await expectInnocentSettled(history);
  });
});

describe('a campaign whose id the contract cannot have given', () => {
  it.each(['0', String(2n ** 63n), String(2n ** 256n - 1n)])(
    'refuses %s and names it, and settles the other campaign',
    async (id) => {
      const history = twoCampaigns(id);
      await fixture.index(history.facts);
      expect(await settleAround()).toEqual([]);
      await expectInnocentSettled(history);
      const refused = await fixture.pool<{ campaign_id: string }[]>`
        select campaign_id from ledger.refused_campaign`;
      expect([...refused]).toEqual([{ campaign_id: id }]);
    },
  );
});

describe('a campaign whose rows make a statement fail', () => {
  const statements = [
    { what: 'writing a sale', table: 'sale', when: 'insert' },
    { what: 'adding sums by day', table: 'sale_day', when: 'insert' },
    { what: 'adding sums by account', table: 'account_sum', when: 'insert' },
    { what: 'writing a bucket', table: 'bucket', when: 'insert' },
  ];

  it.each(statements)(
    'stops the campaign if $what fails, and settles the other',
    async ({ table, when }) => {
      const history = twoCampaigns();
      await fixture.index(history.facts);
      await failOn(table, when, '22003');
      const errors = await settleAround();
      await expectInnocentSettled(history);
      expect(await stopped()).toEqual([
        {
          campaignId: POISONED,
          reason: 'its data cannot be settled, 3 times: on purpose (22003)',
        },
      ]);
      // The first error of the transaction, and not that it is aborted since.
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) expect(error).toContain('on purpose');
    },
  );

  it('stops the campaign if moving its clock fails, and settles the other', async () => {
    const history = twoCampaigns();
    const last = history.facts.length - 1;
    await fixture.index(history.facts.slice(0, last));
    await settleAround();
    await failOn('bucket', 'update', '22003');
    await fixture.table.insert(history.facts.slice(last));
    await fixture.table.setHead({ number: history.block, timestamp: history.time });
    fixture.chain.follow(history.facts);
    await settleAround();
    await expectInnocentSettled(history);
    expect(await stopped()).toMatchObject([{ campaignId: POISONED }]);
  });

  it('stops the campaign if rolling it back fails, and the other follows the new chain', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    await settleAround();
    await failOn('sale', 'delete', '23503');
    const [from] = history.facts.filter(({ name }) => name === 'SaleRecorded');
    const hash = `0x${'ab'.repeat(32)}` as const;
    const fork = history.facts
      .filter(({ blockNumber }) => blockNumber >= (from?.blockNumber ?? 0))
      .map((fact) => ({ ...fact, blockHash: hash }));
    await fixture.index(fork);
    await settleAround();
    expect(await stopped()).toMatchObject([{ campaignId: POISONED }]);
    expect(await settledNumber()).toBe(history.block);
    const [row] = await fixture.pool<{ n: number }[]>`
      select count(*)::int as n from ledger.journal
      where campaign_id = ${INNOCENT} and block_hash = ${hash}`;
    expect(row?.n).toBe(fork.filter(({ campaignId }) => campaignId === INNOCENT).length);
  });

  it.each(['40001', '40P01', '53100', '53200', '55P03', '57014', '57P01', '58030'])(
    'stops no campaign for the transient error %s, however often it occurs',
    async (sqlstate) => {
      const history = twoCampaigns();
      await fixture.index(history.facts);
      await failOn('sale', 'insert', sqlstate);
      const errors = await settleAround(25);
      expect(errors.length).toBeGreaterThan(20);
      expect(await stopped()).toEqual([]);
      expect(await foldedEvents(POISONED)).toBe(0);
      await mend('sale');
      expect(await settleAround()).toEqual([]);
      expect(await settledNumber()).toBe(history.block);
    },
  );

  it('stops a campaign for an unexplained error only if others are settled meanwhile', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    await settleAround();
    await failOn('journal', 'insert', 'XX000');
    const fund = async (campaignId: string) => {
      history.nextBlock();
      history.fund(campaignId, 2n);
      await fixture.table.insert(history.facts.slice(-1));
      await fixture.table.setHead({ number: history.block, timestamp: history.time });
      fixture.chain.follow(history.facts);
    };
    await fund(POISONED);
    expect((await settleAround(14)).length).toBeGreaterThan(11);
    expect(await stopped()).toEqual([]);
    await fund(INNOCENT);
    await settleAround(14);
    expect(await stopped()).toMatchObject([
      { campaignId: POISONED, reason: expect.stringContaining('on purpose (XX000)') },
    ]);
    await expectInnocentSettled(history);
  });

  it('resets the count of failures when a batch succeeds', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    await failOn('sale', 'insert', '22003');
    await settleAround(1);
    await settleAround(1);
    const failures = async () =>
      (await fixture.pool`select failures from ledger.cursor where campaign_id = ${POISONED}`)[0];
    expect(await failures()).toEqual({ failures: 2 });
    await mend('sale');
    expect(await settleAround()).toEqual([]);
    expect(await failures()).toEqual({ failures: 0 });
  });
});

describe('workers', () => {
  it('stops a poisoned campaign and settles the others, with several workers sharing the count', async () => {
    const history = twoCampaigns();
    await fixture.index(history.facts);
    await poisonArgs(factOf(history, 'NodeJoined'), (args) =>
      args.replace(/"nodeId":\s*"2"/, `"nodeId":"${2n ** 63n}"`),
    );
    const errors: string[] = [];
    const record = (fields: object) => {
      if ('err' in fields) errors.push(String(fields.err));
    };
    const databaseUrl = fixtures.urlOf(fixture);
    const queue = await openQueue({ redisUrl: undefined, databaseUrl, prefix: 'test' });
    const { pool, chain } = fixture;
    const options = {
      ...{ pool, chain, queue, keccak256: keccak, batchSize: 1_000, concurrency: 2, pollMs: 50 },
      log: { info: () => {}, warn: record, error: record },
      indexerChannel: 'no_indexer',
    };
    const workers = [await startWorker(options), await startWorker(options)];
    try {
      await waitFor(async () => (await settledNumber()) === history.block, {
        what: 'the settled block to pass the poisoned campaign',
      });
    } finally {
      for (const worker of workers) await worker.stop();
      await queue.close();
    }
    await expectInnocentSettled(history);
    expect(await stopped()).toMatchObject([{ campaignId: POISONED }]);
    expect(errors.some((error) => error.includes('out of range'))).toBe(true);
    expect(errors.filter((error) => error.includes('transaction is aborted'))).toEqual([]);
  });
});
