import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { servedMethods } from '../../engine/contract/registry.ts';
import type { Fact } from '../../engine/core/events.ts';
import { closePool } from '../../engine/db/connection.ts';
import { groupBy } from '../../engine/db/group-by.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { readPrimaryState } from '../../engine/db/read/replication/primary.ts';
import { isReplicaRead } from '../../engine/http/public-reads.ts';
import { Replicas } from '../../engine/http/replicas/replicas.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import type { HistoryBuilder } from '../http/support/facts.ts';
import { signedIn } from '../http/support/session.ts';
import { saveProfiles, smallHistory } from '../http/support/small-history.ts';
import { Door } from '../support/door.ts';
import { account } from '../support/history.ts';
import { InstalledPostgres, postgresIsInstalled } from '../support/installed-postgres.ts';
import { startCli } from '../support/long-running-cli.ts';
import { publicReads, sessionReads } from '../support/replica-reads.ts';
import { waitFor } from '../support/wait-for.ts';

const DATABASE = 'shop';
const CONNECTIONS = { reads: 3, longReads: 2 };
const SALES = '/v1/receipts';
const PROFILE = `/v1/merchants/${account(1_000)}`;

type App = ReturnType<ApiFixture['app']>;

describe.runIf(postgresIsInstalled)('read replicas', () => {
  let primary: InstalledPostgres;
  let standbys: readonly [InstalledPostgres, InstalledPostgres];
  let door: Door;
  let fixture: ApiFixture;
  let replicas: Replicas;
  let app: App;
  /** The same without a cache. */
  let uncached: App;
  /** The API without replicas. */
  let plain: App;
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => logged.push(line) });
  const { history } = smallHistory();
  const blocks = blocksOf(history.facts);
  const paths = [
    ...[...publicReads, `/v1/blocks/${history.block}`],
    `/v1/transactions/${history.facts[0]?.transactionHash}`,
  ];
  const opened: Replicas[] = [];
  const servers: InstalledPostgres[] = [];

  const open = async (urls: readonly string[], to = fixture) => {
    const one = await Replicas.open({ primary: to.pool, urls, connections: CONNECTIONS, logger });
    opened.push(one);
    return one;
  };
  const isInUse = (...expected: readonly boolean[]) =>
    waitFor(() => same(usedOf(replicas), expected), {
      what: `the replicas to be used: ${expected}`,
    });

  beforeAll(async () => {
    primary = await InstalledPostgres.primary();
    servers.push(primary);
    const url = await primary.createDatabase(DATABASE);
    await primary.do((sql) => migrate(sql), DATABASE);
    const drop = async () => {};
    fixture = await ApiFixture.open({ logger }, { url, drop });
    await fixture.settle(blocks[0] ?? []);
    await saveProfiles(fixture.pool);
    standbys = [await primary.standby(), await primary.standby()];
    servers.push(...standbys);
    door = await Door.open(standbys[1].url(DATABASE));
    replicas = await open([standbys[0].url(DATABASE), door.url]);
    app = fixture.app({ replicas });
    uncached = fixture.app({ replicas, cacheMiB: 0 });
    plain = fixture.app({ cacheMiB: 0 });
    await isInUse(true, true);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await door?.shut();
    // Its server is gone, and statements may wait for it.
    await closePool(fixture.pool, 1);
    await fixture.close();
    await Promise.all(servers.map((server) => server.remove()));
  });

  const answered = () => replicas.counts.replicas.reduce((sum, count) => sum + count, 0);

  /** Reads until a replica has answered. */
  const onReplica = async (path: string, headers = {}): Promise<Body> =>
    await waitFor(
      async () => {
        const before = answered();
        const body = await read(uncached, path, headers);
        return answered() > before && body;
      },
      { what: `a replica to answer ${path}` },
    );

  it('answers every read as the primary does, at each block', async () => {
    for (const facts of blocks.slice(1)) {
      await fixture.settle(facts);
      await onReplica(SALES);
      const before = answered();
      for (const path of paths) {
        // A replica that is behind leaves the read to the primary, which is as right.
        expect(await read(app, path), path).toEqual(await read(plain, path));
      }
      expect(answered()).toBeGreaterThan(before);
    }
    for (const path of paths) {
      const expected = await read(plain, path);
      if (expected.status !== 200) continue;
      const { repeated } = replicas.counts;
      expect(await onReplica(path), path).toEqual(expected);
      // Only what does not exist is asked for again: no statement failed, for example because it writes.
      expect(replicas.counts.repeated, path).toBe(repeated);
    }
    expect(replicas.counts.replicas.every((count) => count > 0)).toBe(true);
  }, 120_000);

  it('answers rankings, and reads as of a past block', async () => {
    const ranking = '/v1/distributors';
    const isRanked = async () => blockOf(await read(uncached, ranking)) === history.block;
    await waitFor(isRanked, { what: 'the ranking, which the primary computes' });
    expect(await onReplica(ranking)).toEqual(await read(plain, ranking));
    const past = '/v1/receipts/31337/1?atBlock=102';
    expect(await onReplica('/v1/campaigns?sort=reward')).toEqual(
      await read(plain, '/v1/campaigns?sort=reward'),
    );
    // The chain, which is asked for the time of a block, is away in this test: an error is the primary's.
    expect((await read(app, past)).status).toBe((await read(plain, past)).status);
  });

  it('answers the reads of a session, and so every method that replicas may answer', async () => {
    for (const [who, paths] of sessionReads) {
      const { reading } = await signedIn(fixture.deps, who);
      const cookie = `${reading.cookie}; __Host-tributary-written=1`;
      for (const path of paths) {
        const expected = await read(plain, path, reading);
        expect(expected.status, path).toBe(200);
        const { repeated } = replicas.counts;
        expect(await onReplica(path, { cookie }), path).toEqual(expected);
        expect(replicas.counts.repeated, path).toBe(repeated);
      }
    }
    const metrics = await (await uncached.request('/metrics')).text();
    const succeeded = [...metrics.matchAll(/requests_total\{method="([\w.]+)",status="200"\}/g)];
    const answeredMethods = new Set(succeeded.map(([, name]) => name));
    const notAnswered = servedMethods(new Set())
      .filter((method) => isReplicaRead(method) && !answeredMethods.has(method.name))
      .map(({ name }) => name);
    // The first two ask the chain; the history has no referral code and no document.
    expect(new Set(notAnswered)).toEqual(
      new Set(['receipts.verify', 'receipts.bundle', 'referrals.get', 'metadata.get']),
    );
  }, 60_000);

  it('shows no client an earlier block than an API process has answered before, on any process', async () => {
    const other = await open(standbys.map((one) => one.url(DATABASE)));
    const apps = [app, fixture.app({ replicas: other })];
    await waitFor(() => usedOf(other).every(Boolean), { what: 'the other process' });
    // One standby is always behind, so that there is something to choose.
    await setDelay(standbys[1], '40ms');
    const more = sellingOn(history, 25);
    let isSettling = true;
    const settling = (async () => {
      for (const facts of more) await fixture.settle(facts);
    })().finally(() => {
      isSettling = false;
    });
    let newest = 0;
    let reads = 0;
    const before = answered();
    while (isSettling) {
      for (const one of apps) {
        const body = await read(one, SALES);
        const block = blockOf(body);
        expect(block).toBeGreaterThanOrEqual(newest);
        newest = block;
        reads += 1;
      }
    }
    await settling;
    expect(reads).toBeGreaterThan(20);
    expect(answered()).toBeGreaterThan(before);
    expect(blockOf(await read(app, SALES))).toBe(history.block);
    await setDelay(standbys[1], '0');
  }, 120_000);

  it('leaves reads to the primary while replay is paused, and stops using a replica that is a second behind', async () => {
    await pauseReplay(true);
    history.nextBlock();
    history.sell('1', '900', { pool: 0n, shares: [] });
    await fixture.settle(history.facts.slice(-1));
    const before = { ...replicas.counts, replicas: answered() };
    for (let i = 0; i < 5; i += 1) {
      const body = await read(app, '/v1/receipts/31337/900');
      expect([body.status, blockOf(body)]).toEqual([200, history.block]);
    }
    expect(answered()).toBe(before.replicas);
    expect(replicas.counts.primary).toBe(before.primary + 5);
    expect(replicas.states().map(({ lagBlocks }) => lagBlocks)).toEqual([1, 1]);
    await isInUse(false, false);
    const status = (await read(app, '/v1/system/status')).data;
    expect(status).toMatchObject({
      replicas: [
        { name: '1', state: 'behind', lagBlocks: 1 },
        { name: '2', state: 'behind', lagBlocks: 1 },
      ],
    });
    await waitFor(() => logged.some((line) => line.includes('more than 1000 ms behind')), {
      what: 'the log',
    });
    await pauseReplay(false);
    await isInUse(true, true);
    expect((await onReplica('/v1/receipts/31337/900')).status).toBe(200);
  }, 60_000);

  it('shows a session what it has written, while others may see it a second later', async () => {
    const { writing, reading } = await signedIn(fixture.deps, account(1_000));
    await onReplica(PROFILE);
    const body = JSON.stringify({ name: 'Renamed Coffee', slug: 'acme' });
    await pauseReplay(true);
    const written = await app.request('/v1/merchant', {
      method: 'PATCH',
      headers: { ...writing, 'content-type': 'application/json' },
      body,
    });
    expect(written.status, await written.clone().text()).toBe(200);
    const position = /__Host-tributary-written=(\d+);/.exec(
      written.headers.get('set-cookie') ?? '',
    )?.[1];
    expect(position).toBeDefined();
    const before = answered();
    const anonymous = await read(app, `${PROFILE}?`);
    const wasOnReplica = answered() > before;
    for (const headers of [
      { cookie: `${reading.cookie}; __Host-tributary-written=${position}` },
      // A client that stores no cookie of a write.
      reading,
      { cookie: `__Host-tributary-written=${position}` },
      { cookie: '__Host-tributary-written=unknown' },
    ]) {
      expect(nameOf(await read(app, PROFILE, headers))).toBe('Renamed Coffee');
    }
    expect(nameOf(anonymous)).toBe(wasOnReplica ? 'Acme Coffee' : 'Renamed Coffee');
    await pauseReplay(false);
    const sinceWrite = { cookie: `${reading.cookie}; __Host-tributary-written=${position}` };
    expect(nameOf(await onReplica(PROFILE, sinceWrite))).toBe('Renamed Coffee');
    expect(
      nameOf(
        await waitFor(
          async () => {
            const now = await read(app, PROFILE);
            return nameOf(now) === 'Renamed Coffee' && now;
          },
          { what: 'the new name' },
        ),
      ),
    ).toBe('Renamed Coffee');
  }, 60_000);

  it('shows the typed client what it has written, in public reads too', async () => {
    const client = await fixture.clientAs(account(1_000), { replicas });
    for (let i = 0; i < 10; i += 1) {
      const description = `Coffee, edition ${i}.`;
      await client.merchants.update({ description });
      expect(await client.merchants.get({ slug: account(1_000) })).toMatchObject({
        data: { description },
      });
    }
  });

  it('marks a failed write, so that its client reads from the primary', async () => {
    const { writing } = await signedIn(fixture.deps, account(1_000));
    const failed = await app.request('/v1/merchant', {
      method: 'PATCH',
      headers: { ...writing, 'content-type': 'application/json' },
      body: JSON.stringify({ slug: '!' }),
    });
    expect(failed.status).toBe(400);
    expect(failed.headers.get('set-cookie')).toMatch(
      /__Host-tributary-written=unknown; Max-Age=60/,
    );
    const reading = await app.request(SALES);
    expect(reading.headers.get('set-cookie')).toBeNull();
    const withoutReplicas = await plain.request('/v1/merchant', {
      method: 'PATCH',
      headers: writing,
    });
    expect(withoutReplicas.headers.get('set-cookie')).toBeNull();
  });

  it('caches what a replica computed once nothing changes', async () => {
    const cached = async () => {
      const text = await (await app.request('/metrics')).text();
      return Number(
        /^tributary_cacheable_responses_total\{origin="cached"\} (\d+)$/m.exec(text)?.[1],
      );
    };
    const before = await cached();
    const path = '/v1/campaigns?limit=3';
    const isCached = async () => {
      expect(await read(app, path)).toEqual(await read(plain, path));
      return (await cached()) > before;
    };
    await waitFor(isCached, { what: 'a cached answer' });
    const metrics = await (await app.request('/metrics')).text();
    expect(metrics).toMatch(/^tributary_replica_in_use\{replica="1"\} 1$/m);
    expect(metrics).toMatch(/^tributary_replica_lag_blocks\{replica="2"\} 0$/m);
    expect(metrics).toMatch(/^tributary_replica_reads_total\{by="1"\} [1-9]/m);
  });

  it('takes the primary to be quiet only if no transaction has begun to write', async () => {
    const isQuiet = async () => (await readPrimaryState(fixture.pool))?.isQuiet;
    await waitFor(isQuiet, { what: 'a quiet primary' });
    await primary.do(async (sql) => {
      await sql.begin(async (writing) => {
        await writing`select pg_current_xact_id()`;
        // No snapshot lists it: it is newer than every transaction that has ended.
        expect(await isQuiet()).toBe(false);
      });
    }, DATABASE);
    expect(await isQuiet()).toBe(true);
  });

  it('repeats a read on the primary that replay cancels on a replica', async () => {
    await standbys[0].do((sql) => sql`alter system set max_standby_streaming_delay = 0`);
    await standbys[0].do((sql) => sql`select pg_reload_conf()`);
    await primary.do(async (sql) => {
      await sql`create table public.conflicting as select generate_series(1, 1000) as value`;
    }, DATABASE);
    const only = await open([standbys[0].url(DATABASE)]);
    await waitFor(() => usedOf(only)[0], { what: 'the replica' });
    let cancelled: unknown;
    const result = await only.read(0n, {
      onPrimary: async () => ({ by: 'primary' }),
      onReplica: async ({ pool }) => {
        try {
          return await pool.begin('isolation level repeatable read read only', async (sql) => {
            await sql`select count(*) from public.conflicting`;
            const vacuuming = primary.do(async (own) => {
              await own`delete from public.conflicting`;
              await own`vacuum public.conflicting`;
            }, DATABASE);
            await Promise.all([sql`select pg_sleep(10)`, vacuuming]);
            return { by: 'replica' };
          });
        } catch (error) {
          cancelled = error;
          throw error;
        }
      },
    });
    expect(result).toEqual({ by: 'primary' });
    expect(String(cancelled)).toMatch(/conflict with recovery/);
    expect(only.counts).toEqual({ primary: 0, repeated: 1, replicas: [0] });
  }, 60_000);

  it('uses neither another database nor a server that is no standby', async () => {
    const others = await open([standbys[0].url('postgres'), primary.url(DATABASE)]);
    const reasons = ['no copy of the database', 'it is no standby'];
    for (const reason of reasons) {
      await waitFor(() => logged.some((line) => line.includes(reason)), { what: reason });
    }
    expect(usedOf(others).some(Boolean)).toBe(false);
    expect(blockOf(await read(fixture.app({ replicas: others }), SALES))).toBe(history.block);
    expect(others.counts).toEqual({ primary: 1, repeated: 0, replicas: [0, 0] });
  });

  it('serves reads from the replicas that its variable names, as the command `api`', async () => {
    const { deployment } = fixture.deps;
    const port = await freePort();
    const cli = startCli(['api'], {
      DATABASE_URL: primary.url(DATABASE),
      DATABASE_REPLICA_URLS: standbys.map((one) => one.url(DATABASE)).join(','),
      CHAIN_ID: String(deployment.chainId),
      RPC_URL: 'http://127.0.0.1:1',
      CONTRACT_ADDRESS: deployment.contractAddress,
      START_BLOCK: '0',
      PORT: String(port),
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      const isServed = async () => {
        const response = await fetch(`${url}/v1/receipts/31337/1`);
        expect(response.status).toBe(200);
        const metrics = await (await fetch(`${url}/metrics`)).text();
        return /^tributary_replica_reads_total\{by="[12]"\} [1-9]/m.test(metrics);
      };
      await waitFor(isServed, { what: 'a read on a replica', timeout: 60_000, interval: 200 });
      // Written when the states are compared next, which can be after the first read.
      const isLogged = () => cli.lines().some(({ msg }) => msg === 'the replica is in use');
      await waitFor(isLogged, { what: 'the log' });
    } finally {
      expect(await cli.stop(), cli.stderr()).toBe(0);
    }
  }, 90_000);

  it('answers every request while a replica goes silent, both are killed, and one comes back', async () => {
    await isInUse(true, true);
    const ended = { yes: false };
    const slowest = { ms: 0 };
    const readers = Array.from({ length: 6 }, async () => {
      let count = 0;
      while (!ended.yes) {
        const began = performance.now();
        expect((await read(app, '/v1/receipts/31337/1')).status).toBe(200);
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
        count += 1;
      }
      return count;
    });
    door.goSilent();
    await isInUse(true, false);
    await standbys[0].stop();
    await isInUse(false, false);
    const before = replicas.counts.primary;
    await waitFor(() => replicas.counts.primary > before + 20, { what: 'reads on the primary' });
    await door.reopen();
    await isInUse(false, true);
    await standbys[0].start();
    await isInUse(true, true);
    ended.yes = true;
    expect((await Promise.all(readers)).every((count) => count > 0)).toBe(true);
    // Reads on the silent replica are cut by its probe.
    expect(slowest.ms).toBeLessThan(8_000);
  }, 90_000);

  it('goes on after a failover: the promoted standby is the primary, the other one follows it', async () => {
    const expected = await read(plain, SALES);
    await primary.stop();
    await standbys[0].promote();
    const connection = `host=127.0.0.1 port=${standbys[0].port} user=postgres`;
    await standbys[1].do((sql) =>
      sql.unsafe(`alter system set primary_conninfo = '${connection}'`),
    );
    await standbys[1].do((sql) => sql`select pg_reload_conf()`);
    // The operator gives the API another DATABASE_URL, and the replicas that remain.
    const moved = fixture.onServer(standbys[0].url(DATABASE));
    try {
      const after = await open([standbys[1].url(DATABASE)], moved);
      const next = moved.app({ replicas: after });
      expect(await read(next, SALES)).toEqual(expected);
      await waitFor(() => usedOf(after)[0], { what: 'the other standby' });
      const more = sellingOn(history, 3);
      for (const facts of more) {
        await moved.settle(facts);
        expect(blockOf(await read(next, SALES))).toBe(facts[0]?.blockNumber);
      }
      await waitFor(
        async () => {
          await read(next, SALES);
          return (after.counts.replicas[0] ?? 0) > 0;
        },
        { what: 'a read on the other standby' },
      );
      // A replica that is promoted by mistake has a history of its own from then on.
      await standbys[1].promote();
      await waitFor(() => !usedOf(after)[0], { what: 'the promoted replica to be left' });
      expect(blockOf(await read(next, SALES))).toBe(history.block);
    } finally {
      await closePool(moved.pool, 1);
    }
  }, 90_000);

  async function setDelay(standby: InstalledPostgres, delay: string): Promise<void> {
    await standby.do((sql) => sql.unsafe(`alter system set recovery_min_apply_delay = '${delay}'`));
    await standby.do((sql) => sql`select pg_reload_conf()`);
  }

  async function pauseReplay(isPaused: boolean): Promise<void> {
    for (const standby of standbys) {
      await standby.do((sql) =>
        isPaused ? sql`select pg_wal_replay_pause()` : sql`select pg_wal_replay_resume()`,
      );
      if (!isPaused) continue;
      const paused = () =>
        standby.do(async (sql) => {
          const [row] = await sql<
            { state: string }[]
          >`select pg_get_wal_replay_pause_state() as state`;
          return row?.state === 'paused';
        });
      await waitFor(paused, { what: 'replay to pause' });
    }
  }
});

interface Body {
  readonly status: number;
  readonly data: unknown;
  readonly chain: { readonly blockNumber: string } | undefined;
}

/** An answer without what belongs to the one request. */
async function read(app: App, path: string, headers = {}): Promise<Body> {
  const response = await app.request(path, { headers });
  const { data, meta, error } = (await response.json()) as {
    data?: unknown;
    meta?: { chain?: { blockNumber: string } };
    error?: { code: string };
  };
  return { status: response.status, data: data ?? error?.code, chain: meta?.chain };
}

function blockOf({ chain }: Body): number {
  return Number(chain?.blockNumber);
}

function usedOf(replicas: Replicas): readonly boolean[] {
  return replicas.states().map(({ state }) => state === 'in-use');
}

function nameOf({ data }: Body): unknown {
  return (data as { name?: unknown; merchant?: { name?: unknown } }).name;
}

function same(one: readonly boolean[], other: readonly boolean[]): boolean {
  return one.every((value, index) => value === other[index]);
}

/** The facts of each block, in their order. */
function blocksOf(facts: readonly Fact[]): readonly (readonly Fact[])[] {
  return [
    ...groupBy(
      facts,
      ({ blockNumber }) => String(blockNumber),
      (fact) => fact,
    ).values(),
  ];
}

/** So many more blocks with a sale in each. */
function sellingOn(history: HistoryBuilder, count: number): readonly (readonly Fact[])[] {
  const begin = history.facts.length;
  for (let i = 0; i < count; i += 1) {
    history.nextBlock();
    history.sell('1', String(1_000 + history.block), { pool: 0n, shares: [] });
  }
  return blocksOf(history.facts.slice(begin));
}
