import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closePool,
  isClosing,
  openPool,
  type Pool,
  type Sql,
  withSession,
} from '../../engine/db/connection.ts';
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts';

/** Sequences of statements whose sessions are ended, in all. */
const SEQUENCES = Number(process.env.ENDED_SEQUENCES ?? 240);

/** Sequences that use one pool concurrently, and its connections. */
const CALLERS = 8;
const CONNECTIONS = 4;

/** Statements of a sequence. */
const STATEMENTS = 6;

/** Milliseconds after which a statement counts as unanswered. */
const UNANSWERED_MS = 20_000;

let server: TlsPostgres;
let door: Awaited<ReturnType<typeof openDoor>>;

beforeAll(async () => {
  server = await startTlsPostgres();
  door = await openDoor(Number(new URL(server.url).port));
});

afterAll(async () => {
  door.close();
  await server.remove();
});

/** Passes connections on to the server, and can cut those that are open. */
async function openDoor(target: number) {
  const open = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      socket.once('close', () => {
        open.delete(near);
        near.destroy();
        far.destroy();
      });
    }
    open.add(near);
    near.pipe(far).pipe(near);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    cut: () => {
      for (const [i, near] of [...open].entries()) {
        if (i % 2 === 0) near.resetAndDestroy();
        else near.destroy();
      }
    },
    close: () => listener.close(),
  };
}

/** Where the statements of a sequence run. */
const places: Record<string, (pool: Pool, statement: Statement) => Promise<unknown>> = {
  'in a pool': async (pool, statement) => {
    for (let n = 0; n < STATEMENTS; n += 1) await statement(pool, n);
  },
  'in a transaction': async (pool, statement) => {
    await pool.begin(async (sql) => {
      for (let n = 0; n < STATEMENTS; n += 1) await statement(sql, n);
    });
  },
  'in a session': async (pool, statement) => {
    await withSession(pool, async (sql) => {
      for (let n = 0; n < STATEMENTS; n += 1) await statement(sql, n);
    });
  },
  'in COPY': async (pool) => {
    await pool.begin(async (sql) => {
      await sql`create temporary table copied (n int, filler text) on commit drop`;
      const sink = await sql`copy copied from stdin`.writable();
      const done = finished(sink);
      done.catch(() => {});
      for (let n = 0; n < 200 && !sink.destroyed; n += 1) {
        const isFull = !sink.write(`${n}\t${'x'.repeat(2_000)}\n`);
        if (isFull) await Promise.race([once(sink, 'drain'), done]);
        if (n % 50 === 0) await sleep(1);
      }
      sink.end();
      await done;
      let bytes = 0;
      for await (const chunk of await sql`copy copied to stdout`.readable()) bytes += chunk.length;
      for await (const rows of sql`select * from copied`.cursor(20)) bytes += rows.length;
      return bytes;
    });
  },
};

type Statement = (sql: Sql, n: number) => PromiseLike<unknown>;

const statements: readonly Statement[] = [
  (sql, n) => sql`select ${n}::int, pg_sleep(0.001)`,
  (sql) => sql`select 1`,
  (sql) => sql.unsafe('select 1; select 2'),
  (sql, n) => sql`select ${'x'.repeat(3_000)}::text, ${n}::int`,
];

/** What ends the sessions of a pool. */
const ends: Record<string, (name: string) => Promise<unknown>> = {
  pg_terminate_backend: async (name) => {
    const other = openPool(server.url, { max: 1 });
    try {
      await other`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`;
    } finally {
      await closePool(other);
    }
  },
  'a cut socket': async () => door.cut(),
  'a restart of the server': async () => await server.restart(),
};

/** How a sequence ended: `answered`, `ended` with its session, `unanswered`, or with another error. */
async function outcomeOf(sequence: Promise<unknown>): Promise<unknown> {
  const waiting = new AbortController();
  const outcome = await Promise.race([
    sequence.then(
      () => 'answered',
      (error: unknown) => (isClosing(error) || isAway(error) ? 'ended' : error),
    ),
    sleep(UNANSWERED_MS, 'unanswered', { signal: waiting.signal }),
  ]);
  waiting.abort();
  return outcome;
}

/** True for what a server that restarts answers, or a socket that was cut while it connects. */
function isAway(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(57P0|ECONN|CONNECT)/.test(code);
}

/** Runs as many sequences as one pool serves, and ends their sessions meanwhile. @returns how they ended. */
async function endSequences(place: string, end: string, tls: boolean): Promise<unknown[]> {
  const run = places[place];
  const url = new URL(server.urlWith(`sslmode=${tls ? 'require' : 'disable'}`));
  url.port = String(door.port);
  const name = `sequences ${place}`;
  const pool = openPool(url.href, { max: CONNECTIONS, applicationName: name });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => pool`select pg_sleep(0.01)`));
  const outcomes: Promise<unknown>[] = [];
  const endSoon = sleep(Math.random() * 8).then(() => ends[end]?.(name));
  for (let i = 0; i < CALLERS; i += 1) {
    const statement: Statement = (sql, n) =>
      (statements[(i + n) % statements.length] as Statement)(sql, n);
    outcomes.push(outcomeOf(run?.(pool, statement) ?? Promise.reject(new Error(place))));
    await sleep(1);
  }
  await endSoon;
  const found = await Promise.all(outcomes);
  // Also the first statements after the end are answered, if not the first.
  const next = async () => await outcomeOf(Promise.resolve(pool`select 1`));
  for (let n = 0; n < 3; n += 1) found.push(await next());
  await closePool(pool, 0);
  return found;
}

const kinds = Object.keys(places).flatMap((place) =>
  Object.keys(ends).flatMap((end) => [true, false].map((tls) => [place, end, tls] as const)),
);
const ROUNDS = Math.ceil(SEQUENCES / CALLERS / kinds.length);

describe('statements whose sessions end', () => {
  it.each(kinds)('get an answer %s, ended by %s, with TLS: %s', async (place, end, tls) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = await endSequences(place, end, tls);
      expect(outcomes.filter((one) => one !== 'answered' && one !== 'ended')).toEqual([]);
    }
  });
});
