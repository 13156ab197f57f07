import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refoldCampaigns } from '../../engine/cli/reindex/refold.ts';
import type { Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { readHeads, setIndexerSchema } from '../../engine/db/heads.ts';
import { compareFacts } from '../../engine/db/indexer/compare-facts.ts';
import {
  changeGeneration,
  readGeneration,
  readIndexerHead,
  withReindexLock,
} from '../../engine/db/indexer/generation.ts';
import { checkFacts } from '../../engine/settlement/check-facts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { IndexerTable } from '../support/indexer-table.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const OLD = 'indexer_test';
const NEW = 'indexer_again';
const CHANGE = { from: { schema: OLD, generation: 0 }, to: { schema: NEW, generation: 1 } };

let database: TestDatabase;
let fixture: SettleFixture;
let facts: Fact[];
let lastBlock: number;

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 47, steps: 300, campaigns: 3 });
  lastBlock = facts.at(-1)?.blockNumber ?? 0;
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

/** Wrong facts of the old indexer: one share is wrong, and the newest event of a campaign is another. */
function wrongFacts(): { wrong: Fact[]; altered: Fact; moved: Fact } {
  const moved = facts.findLast(({ campaignId }) => campaignId !== facts.at(-1)?.campaignId);
  const altered = facts.find(
    (fact) =>
      fact.name === 'SaleRecorded' &&
      fact.campaignId !== moved?.campaignId &&
      fact.args.shares.length > 0,
  );
  if (moved === undefined || altered?.name !== 'SaleRecorded') {
    throw new Error('the history has such events');
  }
  const shares = altered.args.shares.map((share, i) => (i === 0 ? share + 7n : share));
  const logIndex = moved.logIndex + 500;
  const id = `${moved.id.slice(0, -16)}${String(logIndex).padStart(16, '0')}`;
  const wrong = facts.map((fact) => {
    if (fact === altered) return { ...altered, args: { ...altered.args, shares } };
    return fact === moved ? { ...moved, id, logIndex } : fact;
  });
  return { wrong, altered, moved };
}

/** Adds a second indexer with the true facts, all final and compared with the chain. */
async function indexAgain(): Promise<void> {
  const table = new IndexerTable(fixture.pool, NEW);
  await table.create();
  await table.insert(facts);
  const last = { number: lastBlock, timestamp: facts.at(-1)?.timestamp ?? 0 };
  await table.setHead(last, last);
  fixture.chain.follow(facts);
  const { pool, chain } = fixture;
  const indexer = await readIndexerHead(pool, NEW);
  const found = await checkFacts({ pool, chain, schema: NEW }, await chain.head(), indexer);
  expect(found).toMatchObject({ checked: { number: lastBlock }, mismatch: null });
}

describe('a reindex', () => {
  it('compares old and new events one by one, and folds again what was already settled', async () => {
    const { pool } = fixture;
    const { wrong, altered, moved } = wrongFacts();
    await fixture.index(wrong, { finalized: lastBlock });
    await fixture.settle();
    await indexAgain();
    const comparison = await compareFacts(pool, { old: OLD, new: NEW }, lastBlock);
    expect(comparison).toMatchObject({ facts: facts.length, differences: 3 });
    expect(comparison.first.map(({ old, new: fresh }) => [old !== null, fresh !== null])).toEqual([
      [true, true],
      [false, true],
      [true, false],
    ]);
    expect(comparison.first[0]).toMatchObject({ eventId: altered.id, old: { name: altered.name } });
    const byCampaign = (a: Fact, b: Fact) => Number(BigInt(a.campaignId) - BigInt(b.campaignId));
    expect([...comparison.folded]).toEqual(
      [altered, moved]
        .sort(byCampaign)
        .map(({ campaignId, blockNumber: fromBlock }) => ({ campaignId, fromBlock })),
    );

    const settled = (await readHeads(pool))?.settled;
    const stopped = await changeGeneration(pool, CHANGE);
    expect(stopped).toEqual([moved.campaignId]);
    expect(await readHeads(pool)).toMatchObject({ indexerSchema: NEW, settled });
    const options = { pool, keccak256: keccak, onProgress: () => {} };
    const refolded = await refoldCampaigns(options, NEW, comparison, stopped ?? []);
    expect(refolded.map(({ outcome }) => outcome)).toEqual(['repaired', 'repaired']);
    await fixture.settle();
    expect(await pool`select 1 from ledger.cursor where stopped_at is not null`).toHaveLength(0);
    expect(await auditLedger(pool)).toEqual([]);
    expect(await ledgerThatDiffers()).toEqual([]);
    expect((await readHeads(pool))?.settled).toEqual(settled);
  });

  it('switches once, and an older start does not switch back', async () => {
    const { pool } = fixture;
    await fixture.index(facts, { finalized: lastBlock });
    await fixture.settle();
    await indexAgain();
    const before = await dumpLedger(pool);
    expect(await compareFacts(pool, { old: OLD, new: NEW }, lastBlock)).toEqual({
      facts: facts.length,
      differences: 0,
      first: [],
      folded: [],
    });
    expect(await changeGeneration(pool, CHANGE)).toEqual([]);
    expect(await changeGeneration(pool, CHANGE)).toBeUndefined();
    await setIndexerSchema(pool, OLD, 0);
    expect((await readHeads(pool))?.indexerSchema).toBe(NEW);
    expect(await readGeneration(pool)).toBe(1);
    await fixture.settle();
    expect(differences(await dumpLedger(pool), before)).toEqual([]);
  });

  it('runs in one process at a time', async () => {
    const { pool } = fixture;
    const other = await withReindexLock(pool, () => withReindexLock(pool, async () => 'made'));
    expect(other).toBeUndefined();
    expect(await withReindexLock(pool, async () => 'made')).toBe('made');
  });
});

/** Tables in which the ledger differs from a fresh run over the true events. */
async function ledgerThatDiffers(): Promise<string[]> {
  const other = await createTestDatabase();
  const fresh = await SettleFixture.open(other.url);
  await fresh.index(facts, { finalized: lastBlock });
  await fresh.settle();
  const dump = await dumpLedger(fresh.pool);
  await fresh.pool.end();
  await other.drop();
  return differences(await dumpLedger(fixture.pool), dump);
}
