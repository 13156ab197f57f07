import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Availability, watchAvailability } from '../../engine/db/availability.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { readSettings } from '../../engine/db/read/snapshot.ts';
import { Door } from '../support/door.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

/** Requests that are sent together: more than there are connections, by far. */
const REQUESTS = 200;

/**
 * Milliseconds within which a request must fail while the database is away: some hundred on an idle machine. A request
 * that waits for the database takes at least 5 s.
 */
const DEADLINE_MS = 3_000;

const PATHS = [
  ...['/v1/campaigns', '/v1/receipts', '/v1/campaigns/1', '/v1/distributors'],
  '/v1/campaigns/1/stats',
];

describe('the API while its database is away', () => {
  let fixture: ApiFixture;
  let door: Door;
  let pool: Pool;
  let longReadPool: Pool;
  let database: Availability;
  let app: ReturnType<ApiFixture['app']>;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    door = await Door.open(fixture.databaseUrl);
    pool = openPool(door.url, { max: 5, settings: readSettings });
    longReadPool = openPool(door.url, { max: 2, settings: readSettings });
    database = watchAvailability(door.url, pool, longReadPool);
    app = fixture.app({ pool, longReadPool, database });
  });
  afterAll(async () => {
    await door.shut();
    await database.close();
    await closePool(pool, 1);
    await closePool(longReadPool, 1);
    await fixture.close();
  });

  async function ask(path: string) {
    const began = performance.now();
    const response = await app.request(path);
    const body = await response.text();
    return { response, body, ms: performance.now() - began };
  }

  const answers = async () => (await ask('/v1/campaigns')).response.status === 200;

  /** Sends many requests together; returns the slowest of them. */
  async function allFail(): Promise<number> {
    const found = await Promise.all(
      Array.from({ length: REQUESTS }, (_, i) => ask(PATHS[i % PATHS.length] ?? '')),
    );
    for (const { response, body } of found) {
      expect([response.status, response.headers.get('retry-after')], body).toEqual([503, '2']);
      expect(body).toContain('"code":"NOT_READY"');
    }
    return Math.max(...found.map(({ ms }) => ms));
  }

  it('answers 503 to every request quickly if connections are refused, and recovers', async () => {
    await waitFor(answers, { what: 'an answer' });
    await door.shut();
    expect(await allFail()).toBeLessThan(DEADLINE_MS);
    await waitFor(() => database.away, { what: 'the outage to be noticed' });
    expect(await allFail()).toBeLessThan(DEADLINE_MS);
    expect((await ask('/health')).response.status).toBe(200);
    const ready = await ask('/ready');
    expect([ready.response.status, ready.ms < DEADLINE_MS]).toEqual([503, true]);
    await door.reopen();
    await waitFor(answers, { what: 'an answer after the outage' });
  });

  it('answers 503 to every request quickly once it knows that the database is silent, and recovers', async () => {
    await waitFor(answers, { what: 'an answer' });
    door.goSilent();
    // Those under way when it goes silent are answered when the probe has noticed.
    const first = await ask('/v1/campaigns');
    expect(first.response.status).toBe(503);
    expect(database.away).toBe(true);
    expect(await allFail()).toBeLessThan(DEADLINE_MS);
    await door.reopen();
    await waitFor(answers, { what: 'an answer after the silence' });
  });
});
