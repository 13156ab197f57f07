import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { readSettings } from '../../engine/db/read/snapshot.ts';
import { account } from '../support/history.ts';
import { holdLocks, waitingSessions } from '../support/locks.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

/** Connections of each pool of the API here. */
const CONNECTIONS = 2;

/** Milliseconds within which a request is answered that waits for nothing. */
const DEADLINE_MS = 2_000;

describe('long reads have connections of their own', () => {
  let fixture: ApiFixture;
  let longReadPool: Pool;
  let pool: Pool;
  let app: ReturnType<ApiFixture['app']>;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await refreshRanking(fixture.pool);
    const open = () => openPool(fixture.databaseUrl, { max: CONNECTIONS, settings: readSettings });
    longReadPool = open();
    pool = open();
    app = fixture.app({ pool, longReadPool, cacheMiB: 0 });
    headers = { ...(await signedIn(fixture.deps, account(1))).reading };
  });
  afterAll(async () => {
    await closePool(longReadPool, 1);
    await closePool(pool, 1);
    await fixture.close();
  });

  /** Statuses of requests that are sent together. */
  async function statusesOf(paths: readonly string[]): Promise<number[]> {
    return await Promise.all(
      paths.map(async (path) => (await app.request(path, { headers })).status),
    );
  }

  /** Sends requests that wait for a locked table, and does something while all connections wait. */
  async function whileWaiting(table: string, paths: readonly string[], work: () => Promise<void>) {
    const release = await holdLocks(
      fixture.pool,
      (sql) => sql`lock table ${sql(table)} in access exclusive mode`,
    );
    const waiting = statusesOf(paths);
    try {
      await waitFor(async () => (await waitingSessions(fixture.pool)) === CONNECTIONS, {
        what: 'the pool to be full',
      });
      await work();
      expect(await waitingSessions(fixture.pool)).toBe(CONNECTIONS);
    } finally {
      await release();
    }
    return await waiting;
  }

  const receipt = `/v1/receipts/${CHAIN_ID}/1`;
  const many = (path: string) => Array.from({ length: 3 * CONNECTIONS }, () => path);

  it('answers receipts immediately while every connection for long reads is waiting', async () => {
    const partners = many('/v1/merchant/partners');
    const statuses = await whileWaiting('ledger.account_sum', partners, async () => {
      const began = performance.now();
      expect(await statusesOf(many(receipt))).toEqual(many(receipt).map(() => 200));
      expect(performance.now() - began).toBeLessThan(DEADLINE_MS);
    });
    expect(statuses).toEqual(partners.map(() => 200));
  });

  it('answers long reads immediately while every other connection is waiting', async () => {
    // Each has a statement of its own, which receipts that are read together have not.
    const others = many('/v1/discrepancies');
    const statuses = await whileWaiting('ledger.discrepancy', others, async () => {
      const began = performance.now();
      const long = many('/v1/campaigns/1/stats');
      expect(await statusesOf(long)).toEqual(long.map(() => 200));
      expect(performance.now() - began).toBeLessThan(DEADLINE_MS);
    });
    expect(statuses).toEqual(others.map(() => 200));
  });
});
