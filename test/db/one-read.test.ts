import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { setIndexerSchema, writeHeads } from '../../engine/db/heads.ts';
import { limitTo } from '../../engine/db/planner.ts';
import { jsonRows, type OneRead, readIn, readOne } from '../../engine/db/read/one-read.ts';
import { NotSettledError, readLedger } from '../../engine/db/read/snapshot.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const settled = { number: 7, hash: `0x${'7a'.repeat(32)}`, timestamp: 1_700_000_007 } as const;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Numbers from the highest down, next to the block that they are as of. */
const countdown: OneRead<{ n: string; at: string; clock: string }, string[]> = {
  select: (sql, at) => sql`
    select n::bigint as n, ${at.number}::bigint as at, ${at.timestamp}::bigint as clock
    from generate_series(1, 50) n order by n desc ${limitTo(sql, 3)}`,
  answer: (rows) => rows.map(({ n, at, clock }) => `${n} at ${at}, ${clock}`),
};

const nothing: OneRead<{ n: string }, number> = {
  select: (sql) => sql`select 1::bigint as n where false`,
  answer: (rows) => rows.length,
};

describe('a read of one statement', () => {
  it('reports that nothing is settled yet', async () => {
    await expect(readOne(pool, countdown)).rejects.toThrow(NotSettledError);
    await setIndexerSchema(pool, 'indexer_1');
    await expect(readOne(pool, countdown)).rejects.toThrow(NotSettledError);
  });

  it('a read of one statement is as of the settled block, in its order, and the same in a transaction', async () => {
    const heads = { indexerReady: true, chainNumber: 9, chainTimestamp: 1_700_000_009 };
    const final = { safeNumber: 6, finalizedNumber: null };
    await writeHeads(pool, { ...heads, ...final, indexedNumber: 8, settled });
    const { head, value } = await readOne(pool, countdown);
    expect(head).toEqual({ ...settled, ...final, rollingBack: false, stopped: [] });
    expect(value).toEqual(['50', '49', '48'].map((n) => `${n} at 7, 1700000007`));
    const within = await readLedger(pool, (snapshot) => readIn(snapshot, countdown));
    expect(within).toEqual(value);
  });

  it('returns the head, and an empty result, if the select finds no row', async () => {
    const { head, value } = await readOne(pool, nothing);
    expect({ number: head.number, value }).toEqual({ number: 7, value: 0 });
  });

  it('takes no limit that is none', () => {
    for (const rows of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => limitTo(pool, rows)).toThrow(RangeError);
    }
  });
});

it('rows in a row keep integers that no number of JavaScript can', async () => {
  const wide = 2n ** 63n - 1n;
  const rows = pool`
    select * from (values (2, ${String(wide)}::bigint, null::numeric), (1, 0::bigint, 1e30::numeric))
    as row (place, id, amount)`;
  const codec = { kinds: { place: 'is', id: 'text', amount: 'text' } } as const;
  const [found] = await pool`select ${jsonRows(pool, rows, codec, 'each.place')} as all,
    ${jsonRows(pool, pool`${rows} where false`, codec, 'each.place')} as none`;
  expect(found).toEqual({
    all: [
      { place: 1, id: '0', amount: String(10n ** 30n) },
      { place: 2, id: String(wide), amount: null },
    ],
    none: [],
  });
});
