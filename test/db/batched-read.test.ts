import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cutConnections,
  isClosing,
  openPool,
  openSession,
  type Pool,
  sqlStateOf,
} from '../../engine/db/connection.ts';
import { setIndexerSchema, writeHeads } from '../../engine/db/heads.ts';
import { batched } from '../../engine/db/read/batched-read.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

const settled = { number: 7, hash: `0x${'7a'.repeat(32)}`, timestamp: 1_700_000_007 } as const;
const LOCK = 4_711;
const WAITING = { what: 'statements that wait for the lock' };
const DIVISION_BY_ZERO = '22012';

let database: TestDatabase;
let pool: Pool;
let sent: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 4, onStatement: (text) => sent.push(text) });
  sent = [];
  await setIndexerSchema(pool, 'indexer_1');
  const heads = { indexerReady: true, chainNumber: 9, chainTimestamp: 1_700_000_009 };
  const final = { safeNumber: 6, finalizedNumber: null };
  await writeHeads(pool, { ...heads, ...final, indexedNumber: 8, settled });
  await pool`create table version (n int)`;
  await pool`insert into version values (1)`;
});
beforeEach(() => {
  sent = [];
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface Row {
  readonly key: string;
  readonly hundredth: number;
  readonly version: number;
}

/** A row of each key but "none", which it divides by and, if it is negative, for which it waits for a lock. */
const read = batched<Row, string>({
  select: (sql, _at, { keys }) => sql`
    select key, 100 / key::int as hundredth, (select n from version) as version,
      case when key::int < 0 then pg_advisory_xact_lock_shared(${LOCK}) end
    from unnest(${keys}::text[]) key where key <> 'none'`,
  keyOf: ({ key }) => key,
  answer: (rows, head) => {
    const [row] = rows;
    if (row?.key === '13') throw new RangeError('unlucky');
    return row === undefined
      ? `nothing at ${head.number}`
      : `${row.hundredth} at ${head.number}, version ${row.version}, of ${rows.length}`;
  },
});

const value = async (key: string) => (await read(pool, key)).value;

/** Statements of the read that were sent. */
const reads = () => sent.filter((text) => text.includes('hundredth'));

/** Holds the lock during work, which learns if as many statements wait for it. */
async function withLock(
  work: (
    isWaiting: (statements: number) => Promise<boolean>,
    release: () => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const session = openSession(pool);
  const isWaiting = async (statements: number) => {
    const [row] = await session.sql<{ n: number }[]>`
      select count(*)::int as n from pg_locks
      where locktype = 'advisory' and not granted and objid = ${LOCK}
        and database = (select oid from pg_database where datname = current_database())`;
    return row?.n === statements;
  };
  try {
    await session.sql`select pg_advisory_lock(${LOCK})`;
    await work(isWaiting, () => session.close());
  } finally {
    await session.close();
  }
}

describe('a read that several requests send together', () => {
  it('returns to each request the rows of its key, by one statement for sixteen keys', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => String(i + 20));
    const found = await Promise.all([...keys, ...keys, 'none'].map(value));
    const expected = keys.map((key) => `${Math.trunc(100 / Number(key))} at 7, version 1, of 1`);
    expect(found).toEqual([...expected, ...expected, 'nothing at 7']);
    expect(reads()).toHaveLength(3);
  });

  it('returns to a request what was committed before it, also while the same key is being read', async () => {
    await withLock(async (isWaiting, release) => {
      const first = value('-1');
      await waitFor(() => isWaiting(1), WAITING);
      const second = value('-2');
      await waitFor(() => isWaiting(2), WAITING);
      await pool`update version set n = 2`;
      const later = [value('-1'), value('5')];
      await release();
      expect(await Promise.all([first, second])).toEqual([
        '-100 at 7, version 1, of 1',
        '-50 at 7, version 1, of 1',
      ]);
      expect(await Promise.all(later)).toEqual([
        '-100 at 7, version 2, of 1',
        '20 at 7, version 2, of 1',
      ]);
    });
    await pool`update version set n = 1`;
  });

  it('fails for the key alone that the server refuses', async () => {
    const [one, refused, other] = await Promise.allSettled(['1', '0', '2'].map(value));
    expect([one, other]).toEqual([
      { status: 'fulfilled', value: '100 at 7, version 1, of 1' },
      { status: 'fulfilled', value: '50 at 7, version 1, of 1' },
    ]);
    expect(refused?.status === 'rejected' && sqlStateOf(refused.reason)).toBe(DIVISION_BY_ZERO);
    expect(reads()).toHaveLength(4);
  });

  it('fails for the key alone whose rows have no meaning', async () => {
    const [one, unlucky] = await Promise.allSettled(['1', '13'].map(value));
    expect(one?.status).toBe('fulfilled');
    expect(unlucky).toEqual({ status: 'rejected', reason: new RangeError('unlucky') });
    expect(reads()).toHaveLength(1);
  });

  it('fails for all keys, and is not sent again, if the connection is lost', async () => {
    const lost = openPool(database.url, { max: 1, onStatement: (text) => sent.push(text) });
    await withLock(async (isWaiting) => {
      const reading = Promise.allSettled(['-1', '2', '3'].map((key) => read(lost, key)));
      await waitFor(() => isWaiting(1), WAITING);
      cutConnections(lost);
      for (const one of await reading) {
        expect(one.status === 'rejected' && isClosing(one.reason)).toBe(true);
      }
    });
    expect(reads()).toHaveLength(1);
    await lost.end({ timeout: 1 });
  });
});
