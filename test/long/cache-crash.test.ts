import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../engine/cli/stack/postgres.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { ResponseCache } from '../../engine/http/cache/response-cache.ts';
import type { MethodResult } from '../../engine/http/handler-types.ts';
import { waitFor } from '../support/wait-for.ts';

/** Tries until a crash has lost commits: the server may have written them down a moment before. */
const MAX_TRIES = 8;

describe('the response cache and a database that is lost', () => {
  let dataDir: string;
  let server: Postgres;
  let pool: Pool;
  let other: Pool;
  let cache: ResponseCache;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-cache-'));
    await chmod(dataDir, 0o755);
    server = await startPostgres({ dataDir });
    pool = openPool(server.url, { max: 3 });
    other = openPool(server.url, { max: 1 });
    await other`alter system set wal_writer_delay = '10s'`;
    await other`alter system set autovacuum = off`;
    await other`select pg_reload_conf()`;
    await other`create table counter (value int not null)`;
    await other`insert into counter values (0)`;
    cache = new ResponseCache({ pool });
  });
  afterEach(async () => {
    await Promise.all([closePool(pool, 1), closePool(other, 1)]);
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
  });

  const read = async (): Promise<MethodResult<number>> => {
    const [row] = await pool<{ value: number }[]>`select value from counter`;
    return { data: row?.value ?? Number.NaN };
  };
  const ask = async () => Number((await cache.response('counter', read)).data);

  /** Asks until an answer comes from the cache. */
  async function untilCached(): Promise<void> {
    const { cached } = cache.counts;
    const fromCache = async () => {
      await ask();
      return cache.counts.cached > cached;
    };
    await waitFor(fromCache, { what: 'an answer from the cache' });
  }

  const snapshotText = async () => {
    const [row] = await other<{ text: string }[]>`select pg_current_snapshot()::text as text`;
    return row?.text ?? '';
  };

  /** Ends the pool's idle connections, and waits until the pool has seen it. */
  async function terminateBackends(): Promise<void> {
    const pids = async () =>
      (
        await other<{ pid: number }[]>`
          select pid from pg_stat_activity where backend_type = 'client backend'
            and pid <> pg_backend_pid() and state = 'idle'`
      ).map(({ pid }) => pid);
    const before = await pids();
    expect(before.length).toBeGreaterThan(0);
    for (const pid of before) await other`select pg_terminate_backend(${pid}, 5000)`;
    const { computed } = cache.counts;
    const computedAgain = async () => {
      await cache.response('another', read);
      return cache.counts.computed > computed;
    };
    await waitFor(computedAgain, { what: 'the pool to have a connection again' });
  }

  it('computes a response again after a connection was ended, though nothing was written', async () => {
    await untilCached();
    const [text, { computed }] = [await snapshotText(), cache.counts];
    await terminateBackends();
    expect(await snapshotText()).toBe(text);
    const between = cache.counts.computed;
    expect(between).toBeGreaterThan(computed);
    await ask();
    expect(cache.counts.computed).toBe(between + 1);
  });

  it('refuses to cache a response that was computed across the loss of a connection', async () => {
    await untilCached();
    const [hasRead, finished] = [deferred(), deferred()];
    const computing = cache.response('slow', async () => {
      const answer = await read();
      hasRead.resolve();
      await finished.promise;
      return answer;
    });
    await hasRead.promise;
    await terminateBackends();
    finished.resolve();
    await computing;
    await cache.response('another', read);
    const { computed } = cache.counts;
    await cache.response('slow', read);
    expect(cache.counts.computed).toBe(computed + 1);
  });

  it('serves no rows that a crash has undone, although the snapshot has the same name', async () => {
    for (let tries = 1; ; tries += 1) {
      if (await losesCommits()) return;
      if (tries === MAX_TRIES) throw new Error('No crash gave a transaction number twice.');
    }
  });

  /** @returns true if the name of a snapshot came again after a crash, and the answer was right. */
  async function losesCommits(): Promise<boolean> {
    await other`update counter set value = 0`;
    await other`checkpoint`;
    await other`set synchronous_commit = off`;
    for (const value of [1, 2, 3]) await other`update counter set value = ${value}`;
    await untilCached();
    expect(await ask()).toBe(3);
    const before = await snapshotText();
    await server.stop('immediate');
    server = await startPostgres({ dataDir, port: server.port });
    await waitFor(async () => (await other`select 1`).length === 1, { what: 'the server' });
    let last = 3;
    for (let value = 10; value <= 60 && (await snapshotText()) !== before; value += 10) {
      await other`update counter set value = ${value}`;
      last = value;
    }
    const again = (await snapshotText()) === before && last !== 3;
    const answer = await waitFor(ask, { what: 'an answer after the crash' });
    if (again) expect(answer).toBe(last);
    return again;
  }

  it('stores nothing on a standby, where the name of a snapshot proves nothing', async () => {
    await server.stop();
    await writeFile(join(dataDir, 'postgres', 'data', 'standby.signal'), '');
    server = await startPostgres({ dataDir, port: server.port });
    const standby = async () =>
      (await other<{ yes: boolean }[]>`select pg_is_in_recovery() as yes`)[0]?.yes === true;
    await waitFor(standby, { what: 'the standby to answer' });
    await waitFor(ask, { what: 'the first response' });
    for (let i = 0; i < 5; i += 1) expect(await ask()).toBe(0);
    expect(cache.counts).toMatchObject({ cached: 0, shared: 0 });
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
