import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import {
  closePool,
  connectionLosses,
  isClosing,
  openPool,
  type Pool,
  type Sql,
  withSession,
} from '../../engine/db/connection.ts';
import { listen } from '../../engine/db/notify.ts';
import { waitFor } from '../support/wait-for.ts';

let pool: Pool | undefined;
let door: Server | undefined;

beforeEach(() => {
  [pool, door] = [undefined, undefined];
});

afterEach(async () => {
  vi.restoreAllMocks();
  await pool?.end({ timeout: 1 });
  door?.close();
});

/** Passes what comes at a port of its own on to the server of the tests. */
async function openDoor(port: number): Promise<Server> {
  const { hostname, port: target } = new URL(inject('serverUrl'));
  const server = createServer((near) => {
    const far = connect(Number(target), hostname);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it('sends each statement immediately', async () => {
  const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
  pool = openPool(inject('serverUrl'), { max: 1 });
  expect(await pool`select 1 as one`).toEqual([{ one: 1 }]);
  expect(setNoDelay).toHaveBeenCalledExactlyOnceWith(true);
});

it('leaves no rows of a statement that failed after its first ones in the next answer', async () => {
  const own = openPool(inject('serverUrl'), { max: 1 });
  pool = own;
  const fail = () => own`select 6 / n as n from generate_series(3, 0, -1) n`;
  const byCursor = async () => {
    const rows = [];
    for await (const batch of own`select 7 as n`.cursor(5)) rows.push(...batch);
    return rows;
  };
  for (const read of [async () => [...(await own`select 7 as n`)], byCursor]) {
    await expect(fail()).rejects.toThrow('division by zero');
    expect(await read()).toEqual([{ n: 7 }]);
  }
  // Sent before it is known that the first one fails.
  const asked = [fail(), own`select 7 as n`, own`select 8 as n`];
  const [failed, ...others] = await Promise.allSettled(asked);
  expect(failed?.status).toBe('rejected');
  const found = others.map((one) => one.status === 'fulfilled' && [...one.value]);
  expect(found).toEqual([[{ n: 7 }], [{ n: 8 }]]);
});

it('reads times and bytes whatever the role has set for them', async () => {
  const server = openPool(inject('serverUrl'), { max: 1 });
  await server.unsafe(`drop role if exists odd_settings`);
  await server.unsafe(`create role odd_settings login superuser password 'odd'`);
  await server.unsafe(`alter role odd_settings set DateStyle = 'German'`);
  await server.unsafe(`alter role odd_settings set bytea_output = 'escape'`);
  const url = new URL(inject('serverUrl'));
  url.username = 'odd_settings';
  url.password = 'odd';
  pool = openPool(url.href, { max: 1 });
  const [row] = await pool<{ time: Date; bytes: string }[]>`
    select timestamptz '2026-11-25 12:00:00Z' as time, '\\x00ff41'::bytea as bytes`;
  expect(row).toEqual({
    time: new Date('2026-11-25T12:00:00Z'),
    bytes: '0x00ff41',
  });
  await pool.end();
  pool = undefined;
  await server.unsafe('drop role odd_settings');
  await server.end();
});

it('connects again after the server has ended a connection', async () => {
  const own = openPool(inject('serverUrl'), { max: 1 });
  pool = own;
  const [row] = await own<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const other = openPool(inject('serverUrl'), { max: 1 });
  await other`select pg_terminate_backend(${row?.pid ?? 0})`;
  await other.end();
  const [again] = await waitFor(() => own<{ pid: number }[]>`select pg_backend_pid() as pid`, {
    what: 'a new connection',
  });
  expect(again?.pid).not.toBe(row?.pid);
});

it('rejects a transaction if a statement failed that its work did not wait for', async () => {
  const own = openPool(inject('serverUrl'), { max: 1 });
  pool = own;
  const transaction = own.begin(async (sql) => {
    sql`select 1 / 0`.catch(() => {});
    return 'done';
  });
  await expect(transaction).rejects.toThrow('division by zero');
});

/** Ends a session, and waits until the server has none of that process any more. */
async function endSessionOf(sql: Sql): Promise<void> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pid = row?.pid ?? 0;
  const other = openPool(inject('serverUrl'), { max: 1 });
  try {
    await other`select pg_terminate_backend(${pid})`;
    const gone = async () =>
      (await other`select 1 from pg_stat_activity where pid = ${pid}`).length === 0;
    await waitFor(gone, { what: 'the end of the session' });
  } finally {
    await closePool(other);
  }
}

describe('a transaction whose connection the server ends', () => {
  beforeEach(() => {
    pool = openPool(inject('serverUrl'), { max: 1 });
  });

  it('rejects it, and serves the next one, if a statement was running', async () => {
    const own = pool as Pool;
    const transaction = own.begin(async (sql) => {
      const ended = endSessionOf(sql);
      await Promise.all([ended, sql`select pg_sleep(30)`]);
    });
    await expect(transaction).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    // postgres.js fails the next statement with the error of the ended session.
    const next = () => own.begin((sql) => sql`select 1 as one`).catch(() => undefined);
    expect(await waitFor(next, { what: 'the next transaction' })).toEqual([{ one: 1 }]);
  });

  it('runs no later statement of it in the session that follows', async () => {
    const own = pool as Pool;
    let proceed = () => {};
    const following = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let answer: (outcome: unknown) => void = () => {};
    const late = new Promise((resolve) => {
      answer = resolve;
    });
    const transaction = own.begin(async (sql) => {
      await endSessionOf(sql);
      await following;
      answer(await sql`select set_config('tributary.late', 'yes', false)`.catch(isClosing));
    });
    await expect(transaction).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await own`select 1 as one`).toEqual([{ one: 1 }]);
    proceed();
    expect(await late).toBe(true);
    const [row] = await own`select current_setting('tributary.late', true) as late`;
    expect(row).toEqual({ late: null });
  });
});

describe('connections of a pool', () => {
  it('compile no statement, whatever the default of the server is, and have the given settings', async () => {
    pool = openPool(inject('serverUrl'), { max: 1, settings: { work_mem: '7MB' } });
    const [row] = await pool`
      select setting as jit, source, current_setting('work_mem') as memory from pg_settings where name = 'jit'`;
    expect(row).toEqual({ jit: 'off', source: 'session', memory: '7MB' });
  });
});

describe('statements of a pool whose connections the server ends together', () => {
  const MAX = 4;

  const kinds: [string, (sql: Pool, n: number) => PromiseLike<unknown>][] = [
    ['with parameters', (sql, n) => sql`select ${n}::int`],
    ['without parameters', (sql) => sql`select 1`],
    ['of the simple protocol', (sql) => sql.unsafe('select 1')],
    ['of a transaction', (sql) => sql.begin((own) => own`select 1`)],
  ];

  /** How a statement ended, or that it has not. */
  async function outcomeOf(statement: PromiseLike<unknown>): Promise<unknown> {
    const waiting = new AbortController();
    const outcome = await Promise.race([
      statement.then(
        () => 'answered',
        (error: unknown) => (isClosing(error) ? 'closing' : error),
      ),
      sleep(20_000, 'lost', { signal: waiting.signal }),
    ]);
    waiting.abort();
    return outcome;
  }

  it.each(kinds)('end, and the next ones connect again: %s', async (_kind, send) => {
    const other = openPool(inject('serverUrl'), { max: 1 });
    for (let i = 0; i < 20; i += 1) {
      const own = openPool(inject('serverUrl'), { max: MAX });
      const sessions = Array.from(
        { length: MAX },
        () => own<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.01)`,
      );
      const pids = (await Promise.all(sessions)).map(([row]) => row?.pid ?? 0);
      await other`select pg_terminate_backend(pid) from unnest(${pids}::int[]) pid`;
      const callers = Array.from({ length: 2 * MAX }, async () => {
        const outcomes: unknown[] = [];
        for (let n = 0; n < 5; n += 1) outcomes.push(await outcomeOf(send(own, n)));
        return outcomes;
      });
      const outcomes = (await Promise.all(callers)).flat();
      expect(outcomes.filter((one) => one !== 'answered' && one !== 'closing')).toEqual([]);
      await closePool(own, 0);
    }
    await other.end();
  });
});

describe('a statement that is read in batches', () => {
  it('answers all rows, and lets the next statement run after it is left early', async () => {
    const own = openPool(inject('serverUrl'), { max: 1 });
    pool = own;
    for (const [rows, expected] of [
      [0, []],
      [4, [4]],
      [10, [5, 5]],
      [11, [5, 5, 1]],
    ] as const) {
      const sizes: number[] = [];
      const batches = own`select n from generate_series(1, ${rows}::int) n`.cursor(5);
      for await (const batch of batches) sizes.push(batch.length);
      expect(sizes).toEqual(expected);
    }
    for await (const [first] of own`select n from generate_series(1, 100) n`.cursor(5)) {
      expect(first).toEqual({ n: 1 });
      break;
    }
    expect(await own`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('a session of its own', () => {
  beforeEach(() => {
    pool = openPool(inject('serverUrl'), { max: 1 });
  });

  it('runs no statement in another session after the server has ended it, and ends promptly', async () => {
    const late: unknown[] = [];
    const started = performance.now();
    const work = withSession(pool as Pool, async (sql) => {
      await endSessionOf(sql);
      const write = async () => await sql`select set_config('tributary.late', 'yes', false)`;
      for (let i = 0; i < 3; i += 1) late.push(await write().catch(isClosing));
      return await sql`select 1`;
    });
    await expect(work).rejects.toSatisfy(isClosing);
    expect(late).toEqual([true, true, true]);
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it('sends no statement after one that failed with the session, while the socket is still open', async () => {
    const own = pool as Pool;
    for (let i = 0; i < 50; i += 1) {
      const results: unknown[] = [];
      const work = withSession(own, async (sql) => {
        const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
        await own`select pg_terminate_backend(${row?.pid ?? 0})`;
        for (let n = 0; n < 3; n += 1) {
          const statement = n === 1 ? sql.unsafe('select 1') : sql`select 1`;
          results.push(await statement.catch(isClosing));
        }
        return await sql`select 1`;
      });
      await expect(work).rejects.toSatisfy(isClosing);
      // The first may succeed before the signal arrives; what fails is the last that was sent.
      expect(results).not.toContain(false);
    }
  });

  it('ends promptly if a statement was running, and others go on', async () => {
    const started = performance.now();
    const work = withSession(pool as Pool, async (sql) => {
      await Promise.all([endSessionOf(sql), sql`select pg_sleep(30)`]);
    });
    await expect(work).rejects.toSatisfy(isClosing);
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(await pool?.unsafe('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('rejects its transaction if the server answered the commit with a rollback', async () => {
    await withSession(pool as Pool, async (session) => {
      const transaction = session.begin(async (sql) => {
        await sql`select 1 / 0`.catch(() => {});
        return 'stored';
      });
      await expect(transaction).rejects.toThrow('division by zero');
      expect(await session`select 1 as one`).toEqual([{ one: 1 }]);
    });
  });

  it('frees its locks and settings when it ends', async () => {
    const lock = 8_400_123;
    const own = pool as Pool;
    await withSession(own, async (sql) => {
      await sql`set statement_timeout = '7s'`;
      await sql`select pg_advisory_lock(${lock})`;
    });
    const locked = async () =>
      (await own<{ locked: boolean }[]>`select pg_try_advisory_lock(${lock}) as locked`)[0]?.locked;
    await waitFor(locked, { what: 'the lock' });
    const [row] = await own`show statement_timeout`;
    expect(row).not.toEqual({ statement_timeout: '7s' });
  });
});

it('says that no one listens, and works once somebody does', async () => {
  const port = await freePort();
  const url = new URL(inject('serverUrl'));
  url.port = String(port);
  url.hostname = '127.0.0.1';
  pool = openPool(url.href, { max: 2 });
  await expect(pool`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(pool.begin((sql) => sql`select 1`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  door = await openDoor(port);
  expect(await pool`select 1 as one`).toEqual([{ one: 1 }]);
  expect(await pool.begin((sql) => sql`select 2 as two`)).toEqual([{ two: 2 }]);
});

it('closes in time while a transaction is under way, which is cut', async () => {
  const own = openPool(inject('serverUrl'), { max: 1 });
  pool = openPool(inject('serverUrl'), { max: 1 });
  const sleeping = own.begin(async (sql) => await sql`select pg_sleep(600), 'of this test'`);
  const cut = expect(sleeping).rejects.toThrow('CONNECTION_DESTROYED');
  const asleep = async () =>
    (await pool?.unsafe(`select from pg_stat_activity where query ~ '^select pg_sleep.*of this'`))
      ?.length === 1;
  await waitFor(asleep, { what: 'the statement to run' });
  await closePool(own, 1);
  await cut;
});

it('closes connections that nothing uses, without counting them as lost, and opens them again', async () => {
  pool = openPool(inject('serverUrl'), { max: 3, idleMs: 50 });
  const other = openPool(inject('serverUrl'), { max: 1 });
  const pidOf = async (sql: Sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.05)`;
    return row?.pid;
  };
  const seen = new Set<number | undefined>();
  for (const connections of [3, 5]) {
    const pids = await Promise.all([1, 2, 3].map(() => pool?.begin(pidOf)));
    for (const pid of pids) seen.add(pid);
    // One of the first three is still there.
    expect(seen.size).toBe(connections);
    const openNow = async () =>
      (await other`select from pg_stat_activity where pid = any(${pids}::int[])`).length;
    await waitFor(async () => (await openNow()) === 1, { what: 'two connections to be closed' });
  }
  expect(connectionLosses(pool)).toBe(0);
  await closePool(other);
});

it('closes all connections that nothing uses if it keeps none', async () => {
  pool = openPool(inject('serverUrl'), { idleMs: 50, keep: 0 });
  const other = openPool(inject('serverUrl'), { max: 1 });
  const [before] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const isGone = async () =>
    (await other`select from pg_stat_activity where pid = ${before?.pid ?? 0}`).length === 0;
  await waitFor(isGone, { what: 'the connection to be closed' });
  const [after] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`;
  expect(after?.pid).not.toBe(before?.pid);
  expect(connectionLosses(pool)).toBe(0);
  await closePool(other);
});

it('sends statements on the connection that listens if they may share it, and it is free', async () => {
  pool = openPool(inject('serverUrl'), { keep: 0, idleMs: 50, sharesListener: true });
  const pidOf = async (sql: Sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  };
  const heard: string[] = [];
  const end = await listen(pool, 'shared_listener', (payload) => heard.push(payload));
  const listener = await pidOf(pool);
  const [same, other] = await Promise.all([pidOf(pool), pidOf(pool)]);
  expect(same).toBe(listener);
  expect(other).not.toBe(listener);
  // A transaction never runs there.
  expect(await pool.begin(pidOf)).not.toBe(listener);
  await pool`select pg_notify('shared_listener', 'one')`;
  await waitFor(async () => heard.length === 1, { what: 'the notification' });
  await end();
  expect(await pidOf(pool)).not.toBe(listener);
});

it('leaves a transaction alone that waits longer than idle connections stay open', async () => {
  pool = openPool(inject('serverUrl'), { idleMs: 20, keep: 0 });
  const rows = await pool.begin(async (sql) => {
    await pool?.unsafe('select 1');
    await sleep(120);
    return await sql`select 3 as three`;
  });
  expect(rows).toEqual([{ three: 3 }]);
});

it('lets short statements wait for its connection, and opens another one for those that wait longer', async () => {
  const pidOf = async (sql: Sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  };
  pool = openPool(inject('serverUrl'), { max: 3, growMs: 10_000 });
  const first = await pidOf(pool);
  const together = await Promise.all([1, 2, 3, 4].map(() => pool?.begin(pidOf)));
  expect(new Set(together)).toEqual(new Set([first]));
  const impatient = openPool(inject('serverUrl'), { max: 2, growMs: 20 });
  // Without a second connection, the transaction inside would wait for the outer one for ever.
  const [outer, inner] = await impatient.begin(async (sql) => [
    await pidOf(sql),
    await impatient.begin(pidOf),
  ]);
  expect(inner).not.toBe(outer);
  await closePool(impatient);
});
