import { afterEach, beforeEach, expect, it } from 'vitest';
import { withAttachedCodes } from '../../engine/core/calldata-suffix.ts';
import type { Fact } from '../../engine/core/events.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

let database: TestDatabase;
let fixture: SettleFixture;
/** Sales with codes, without codes, and of which it is not known, in turn. */
let facts: readonly Fact[];

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 8_021, steps: 60, campaigns: 2 }).map((fact) => {
    if (fact.name !== 'SaleRecorded') return fact;
    const turn = Number(fact.args.saleId) % 3;
    if (turn === 0) return fact;
    const codes = [`shop${fact.args.saleId}`];
    return { ...fact, calldataEnd: turn === 1 ? '0x' : withAttachedCodes('0x', codes) };
  });
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

/** What the ledger has of the calldata of each sale, by its id. */
async function stored(): Promise<ReadonlyMap<string, string | null>> {
  const rows = await fixture.pool<{ sale_id: string; calldata_end: string | null }[]>`
    select sale_id, calldata_end from ledger.sale order by sale_id`;
  return new Map(rows.map((row) => [row.sale_id, row.calldata_end]));
}

function expected(): ReadonlyMap<string, string | null> {
  const sales = facts.filter((fact) => fact.name === 'SaleRecorded');
  return new Map(sales.map(({ args, calldataEnd }) => [args.saleId, calldataEnd ?? null]));
}

function withoutCalldata(history: readonly Fact[]): Fact[] {
  return history.map(({ calldataEnd: _, ...fact }) => fact as Fact);
}

it('stores the end of the calldata of a sale, that it has no codes, or that this is not known', async () => {
  await fixture.index(facts);
  await fixture.settle(7);
  const found = await stored();
  expect(found).toEqual(expected());
  expect(new Set([...found.values()].map((end) => end?.length)).size).toBeGreaterThan(2);
});

it('settles the facts of an indexer of the release before, whose table lacks the column', async () => {
  const { pool, table } = fixture;
  await pool`alter table ${pool(table.schema)}.chain_event drop column calldata_end`;
  await fixture.index(facts);
  await fixture.settle();
  expect(await stored()).toEqual(new Map([...expected()].map(([saleId]) => [saleId, null])));
});

it('forgets the calldata of a sale that a reorg has replaced', async () => {
  await fixture.index(facts);
  await fixture.settle();
  const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
  const replaced = facts.map((fact) =>
    fact.blockNumber < middle || fact.name !== 'SaleRecorded'
      ? fact
      : { ...fact, blockHash: fact.transactionHash, calldataEnd: withAttachedCodes('0x', ['new']) },
  );
  const tail = replaced.filter(({ blockNumber }) => blockNumber >= middle);
  const moved = tail.map((fact) => ({ ...fact, blockHash: hashAfter(fact) }));
  facts = [...replaced.filter(({ blockNumber }) => blockNumber < middle), ...moved];
  await fixture.index(moved);
  await fixture.settle();
  expect(await stored()).toEqual(expected());
});

function hashAfter({ blockHash }: Fact): Fact['blockHash'] {
  return `0x${blockHash.slice(4)}ff`;
}

it.each([{ wrong: false }, { wrong: true }])(
  'remembers the calldata if a replay folds facts without it: %o',
  async ({ wrong }) => {
    const last = facts.findLast((fact) => fact.name === 'SaleRecorded');
    if (last?.name !== 'SaleRecorded') throw new Error('the history has sales');
    const args = { ...last.args, amount: last.args.amount + 1n };
    await fixture.index(
      wrong ? facts.map((fact) => (fact === last ? { ...last, args } : fact)) : facts,
    );
    await fixture.settle();
    const known = await stored();
    await fixture.index(withoutCalldata(facts));
    const { pool } = fixture;
    const options = { fromBlock: 0, shadow: false, batchSize: 50, onProgress: () => {} };
    const { campaigns } = await replay({ pool, keccak256: keccak, ...options });
    const outcomes = campaigns.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(wrong ? ['equal', 'repaired'] : ['equal', 'equal']);
    expect(await stored()).toEqual(known);
  },
);
