import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { amount, as, id, integer, rowCodec, small, text } from '../../engine/db/row.ts';
import { copyRows } from '../../engine/db/write/copy-rows.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { account, randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleCampaign } from '../support/settle-jobs.ts';

/** Statements of one batch at most, begin and commit included: one more for each table that is copied. */
const MAX_STATEMENTS = 27;
/** Statements of a batch that is too short to be copied. */
const MAX_SHORT_STATEMENTS = 19;
/** More, where clocks are due. */
const CLOCK_STATEMENTS = 7;

/** Indexes that lead directly to the wanted rows, for tables that grow. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  sale: ['sale_pkey', 'sale_due_in_campaign'],
  sale_level: ['sale_level_pkey', 'sale_level_recipient'],
  node: ['node_pkey', 'node_seq'],
  bucket: ['bucket_pkey', 'bucket_account'],
  journal: ['journal_pkey', 'journal_name'],
  account_sum: ['account_sum_pkey'],
};

const attestation = rowCodec({
  campaignId: id,
  saleId: id,
  seq: integer,
  signer: text,
  nonce: amount,
});
const arrays = rowCodec({ id: small, numbers: as<number[]>(), texts: as<string[]>() });

/** The column with which a scan's condition names few rows, and not all of a campaign. */
const CONDITIONS: Readonly<Record<string, string>> = {
  sale_pkey: 'sale_id',
  sale_due_in_campaign: 'hold_until',
  sale_level_pkey: 'sale_id',
};

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'TID Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The parts of a plan that read a table; what ends at the first row (`max`, `min`) is cheap anyway. */
function scansOf(plan: PlanNode): readonly PlanNode[] {
  if (plan['Node Type'] === 'Limit') return [];
  const below = (plan.Plans ?? []).flatMap(scansOf);
  return plan['Node Type'].endsWith('Scan') ? [plan, ...below] : below;
}

describe('the write path of settlement', () => {
  let database: TestDatabase;
  let fixture: SettleFixture;
  const statements: string[] = [];
  /** Texts of the statements of short batches. */
  const sent = new Set<string>();
  let counted: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = await SettleFixture.open(database.url);
    counted = openPool(database.url, {
      max: 1,
      onStatement: (query) => statements.push(query),
    });
  });

  afterAll(async () => {
    await counted.end();
    await fixture.pool.end();
    await database.drop();
  });

  it('takes as many statements for a long batch as for a short one, and announces the last', async () => {
    const facts = randomHistory({ seed: 5, steps: 2_400, campaigns: 1 });
    await fixture.index(facts, { finalized: facts.at(-1)?.blockNumber ?? 0 });
    // The first look settles some and notes all of it as checked.
    await fixture.settleOnce(100);
    const short: number[] = [];
    for (let batch = 0; batch < 10; batch += 1) {
      statements.length = 0;
      const options = { pool: counted, chain: fixture.chain, keccak256: keccak, batchSize: 20 };
      expect((await settleCampaign(options, '1')).events).toBe(20);
      expect(statements.filter((text) => text.startsWith('copy'))).toEqual([]);
      short.push(statements.length);
      for (const text of statements) sent.add(text);
    }
    expect(Math.max(...short)).toBeLessThanOrEqual(MAX_SHORT_STATEMENTS);
    const counts: number[] = [];
    for (const batchSize of [200, 400, 800]) {
      statements.length = 0;
      const options = { pool: counted, chain: fixture.chain, keccak256: keccak, batchSize };
      const { events } = await settleCampaign(options, '1');
      expect(events).toBe(batchSize);
      counts.push(statements.length);
      expect(statements.filter((text) => text.includes('pg_notify'))).toEqual([]);
      expect(statements.filter((text) => /copy "ledger"\."journal"/.test(text))).toHaveLength(1);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_STATEMENTS);
    statements.length = 0;
    const all = { pool: counted, chain: fixture.chain, keccak256: keccak, batchSize: 10_000 };
    expect((await settleCampaign(all, '1')).outcome).toBe('folded');
    expect(statements.length).toBeLessThanOrEqual(MAX_STATEMENTS);
    expect(statements.filter((text) => text.includes('pg_notify'))).toHaveLength(1);
  });

  it('takes no more statements for several campaigns than for one', async () => {
    const several = await createTestDatabase();
    const other = await SettleFixture.open(several.url);
    const pool = openPool(several.url, {
      max: 1,
      onStatement: (query) => statements.push(query),
    });
    try {
      const facts = randomHistory({ seed: 9, steps: 1_200, campaigns: 8 });
      // Not within a block: to index the rest of it would replace what was indexed of it before.
      const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
      await other.index(
        facts.filter(({ blockNumber }) => blockNumber < middle),
        { finalized: middle - 1 },
      );
      await other.settle();
      await other.index(facts.filter(({ blockNumber }) => blockNumber >= middle));
      // Notes the rest as checked, and moves the settled block past the ends of holds.
      await other.tick();
      await pool`update ledger.head set settled_timestamp = ${facts.at(-1)?.timestamp ?? 0}`;
      const ids = Array.from({ length: 8 }, (_, i) => String(i + 1));
      const options = { pool, chain: other.chain, keccak256: keccak };
      let moved = 0;
      for (const batchSize of [8, 24, 240, 2_000]) {
        statements.length = 0;
        const settled = await settleCampaigns({ ...options, batchSize }, ids);
        expect(settled.filter(({ events }) => events > 0).length).toBeGreaterThan(4);
        expect(statements.length).toBeLessThanOrEqual(MAX_STATEMENTS + CLOCK_STATEMENTS);
        expect(statements.filter((text) => text.includes('pg_notify')).length).toBeLessThan(2);
        moved += statements.filter((text) =>
          /update ledger.cursor c set clock =/.test(text),
        ).length;
        for (const text of statements) sent.add(text);
      }
      expect(moved).toBeGreaterThan(0);
    } finally {
      await pool.end();
      await other.pool.end();
      await several.drop();
    }
  });

  it('records all campaigns of a batch that are below the settled block in one statement', async () => {
    const late = await createTestDatabase();
    const other = await SettleFixture.open(late.url);
    const pool = openPool(late.url, {
      max: 1,
      onStatement: (query) => statements.push(query),
    });
    try {
      const facts = randomHistory({ seed: 62, steps: 300, campaigns: 8 });
      await other.index(facts);
      await other.tick();
      const last = facts.at(-1);
      await pool`
        update ledger.head set settled_number = ${last?.blockNumber ?? 0},
          settled_hash = ${last?.blockHash ?? ''}, settled_timestamp = ${last?.timestamp ?? 0}`;
      const ids = Array.from({ length: 8 }, (_, i) => String(i + 1));
      statements.length = 0;
      const options = { pool, chain: other.chain, keccak256: keccak, batchSize: 10_000 };
      await settleCampaigns(options, ids);
      // The connection refuses a statement that comes while rows are copied.
      expect(statements.filter((text) => text.includes('ledger.stale_publication'))).toHaveLength(
        1,
      );
      const rows = await pool`
        select campaign_id, after_seq from ledger.stale_publication order by campaign_id`;
      expect([...rows]).toEqual(ids.map((id) => ({ campaign_id: id, after_seq: '0' })));
    } finally {
      await pool.end();
      await other.pool.end();
      await late.drop();
    }
  });

  it('looks rows up by their whole key, also by plans made while the ledger was empty', async () => {
    const empty = await createTestDatabase();
    const { pool } = await SettleFixture.open(empty.url);
    try {
      const probed = new Set<string>();
      for (const text of sent) {
        if (!/^\s*(select|with|update)/.test(text)) continue;
        const plan = await pool.begin(async (sql) => {
          await sql`select set_config('enable_seqscan', 'off', true)`;
          const [row] = await sql.unsafe(`explain (generic_plan, format json) ${text}`);
          return row?.['QUERY PLAN'][0].Plan;
        });
        for (const scan of scansOf(plan)) {
          const table = scan['Relation Name'] ?? '';
          if (!(table in INDEXES) || scan['Node Type'] === 'Tid Scan') continue;
          const index = scan['Index Name'] ?? scan['Node Type'];
          expect(INDEXES[table], `${table} by ${index} of ${text}`).toContain(index);
          expect(scan['Index Cond'], `${index} of ${text}`).toContain(CONDITIONS[index] ?? '');
          probed.add(table);
        }
      }
      expect([...probed].sort()).toEqual(Object.keys(INDEXES).sort());
    } finally {
      await pool.end();
      await empty.drop();
    }
  });

  it('copies any text as it is', async () => {
    const texts = ['a\tb', 'a\nb\r', 'C:\\path\\N', '\\N', '\\.', 'ä€𝄞', '"quoted"', ''];
    const rows = texts.map((signer, i) => ({
      campaignId: '77',
      saleId: `${i}`,
      seq: i,
      signer,
      nonce: 2n ** 255n + BigInt(i),
    }));
    await fixture.pool.begin((sql) => copyRows(sql, 'attestation', attestation, rows));
    const read = await fixture.pool<{ signer: string; nonce: string }[]>`
      select signer, nonce from ledger.attestation where campaign_id = 77 order by sale_id`;
    expect(read.map(({ signer }) => signer)).toEqual(texts);
    expect(read.map(({ nonce }) => nonce)).toEqual(rows.map(({ nonce }) => nonce.toString()));
  });

  it('copies arrays as they are', async () => {
    await fixture.pool`
      create table ledger.arrays (id int, numbers integer[] not null, texts text[] not null)`;
    const lists = [
      [],
      ['', 'NULL', 'a,b', '{}', '{"x"}'],
      ['"quoted"', 'C:\\path\\N', '\\', 'a\tb\nc\r', 'ä€𝄞', ' '],
    ];
    const rows = lists.map((texts, id) => ({ id, numbers: [4_000, -1, 0].slice(0, id), texts }));
    await fixture.pool.begin((sql) => copyRows(sql, 'arrays', arrays, rows));
    const read = await fixture.pool`select id, numbers, texts from ledger.arrays order by id`;
    expect([...read]).toEqual(rows);
    await fixture.pool`drop table ledger.arrays`;
  });

  it('fails with the server’s own code if a row cannot be added, and continues afterwards', async () => {
    const row = { campaignId: '78', saleId: '1', seq: 1, signer: account(1), nonce: 1n };
    const copy = (table: string, ...rows: (typeof row)[]) =>
      counted.begin((sql) => copyRows(sql, table, attestation, rows));
    const twice = copy('attestation', row, row);
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    const bad = copy('attestation', { ...row, saleId: 'one' });
    await expect(bad).rejects.toMatchObject({ code: '22P02' });
    const nowhere = copy('no_such_table', row);
    await expect(nowhere).rejects.toMatchObject({ code: '42P01' });
    const many = Array.from({ length: 20_000 }, (_, i) => ({ ...row, saleId: `${i}` }));
    const early = copy('attestation', row, row, ...many);
    await expect(early).rejects.toMatchObject({ code: '23505' });
    await copy('attestation', row);
    const read = await counted`select 1 from ledger.attestation where campaign_id = 78`;
    expect(read).toHaveLength(1);
  });

  it('adds every row that is made while others are sent, and none if one cannot be made', async () => {
    const row = { campaignId: '79', seq: 1, signer: account(1), nonce: 1n };
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ ...row, saleId: `${i}` }));
    function* failing() {
      yield* rows;
      throw new Error('a row cannot be made');
    }
    const failed = counted.begin((sql) => copyRows(sql, 'attestation', attestation, failing()));
    await expect(failed).rejects.toThrow('a row cannot be made');
    const count = () => counted`
      select count(distinct sale_id)::int as rows from ledger.attestation where campaign_id = 79`;
    expect([...(await count())]).toEqual([{ rows: 0 }]);
    await counted.begin((sql) => copyRows(sql, 'attestation', attestation, rows));
    expect([...(await count())]).toEqual([{ rows: 20_000 }]);
  });
});
