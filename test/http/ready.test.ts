import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../engine/db/connection.ts';
import { makeRateLimits } from '../../engine/http/limits/rate-limits.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('/ready', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  async function statusesOf(app: ReturnType<ApiFixture['app']>, path: string, count: number) {
    const responses = await Promise.all(Array.from({ length: count }, () => app.request(path)));
    return responses.map(({ status }) => status);
  }

  it('costs one read for any number of concurrent requests, and returns 200 to all of them', async () => {
    let statements = 0;
    const onStatement = (text: string) => {
      if (text.includes('ledger.')) statements += 1;
    };
    const pool = openPool(fixture.databaseUrl, { max: 4, onStatement });
    let counts = 0;
    const queueStats = async () => {
      counts += 1;
      return { waiting: 0, active: 0, delayed: 0 };
    };
    const app = fixture.app({ pool, queueStats });
    expect(new Set(await statusesOf(app, '/ready', 1_000))).toEqual(new Set([200]));
    expect({ statements, counts }).toEqual({ statements: 2, counts: 0 });
    expect(new Set(await statusesOf(app, '/ready?strict=1', 1_000))).toEqual(new Set([200]));
    expect(counts).toBe(1);
    await pool.end();
  });

  it('returns 200 while an operator must act, because reads continue; the strict check returns the reason', async () => {
    await fixture.pool`
      update ledger.cursor set stopped_at = now(), stopped_reason = 'gone' where campaign_id = 3`;
    expect(await statusesOf(fixture.app(), '/ready', 1)).toEqual([200]);
    expect(await statusesOf(fixture.app(), '/ready?strict=1', 1)).toEqual([503]);
    const { data } = await fixture.client().system.status();
    expect(data).toMatchObject({ status: 'attention', stopped: [{ campaignId: '3' }] });
    await fixture.pool`update ledger.cursor set stopped_at = null, stopped_reason = null`;
    const away = fixture.app({ queueStats: () => Promise.reject(new Error('away')) });
    expect(await statusesOf(away, '/ready', 1)).toEqual([200]);
    expect(await statusesOf(away, '/ready?strict=1', 1)).toEqual([503]);
  });

  it('/ready returns 503 for the ledger of another chain, and once the process is asked to stop', async () => {
    const deployment = { ...fixture.deps.deployment, chainId: 1 };
    expect(await statusesOf(fixture.app({ deployment }), '/ready', 1)).toEqual([503]);
    expect(await statusesOf(fixture.app({ stopping: () => true }), '/ready', 1)).toEqual([503]);
  });

  it('/ready is limited by address, and does not use up the limits of other requests', async () => {
    const limits = makeRateLimits({
      pool: fixture.pool,
      redis: undefined,
      prefix: 'test',
      keys: deriveKeys(['s']),
      perMinute: 20,
    });
    const app = fixture.app({ limits });
    const statuses = await statusesOf(app, '/ready', 30);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    expect(await statusesOf(app, '/v1/system/endpoints', 1)).toEqual([200]);
    expect(await statusesOf(app, '/openapi.json', 1)).toEqual([200]);
  });
});

describe('every route', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  it('counts each request of an address before doing anything else', async () => {
    const taken: string[] = [];
    const take = async (kind: string) => {
      taken.push(kind);
      return undefined;
    };
    const app = fixture.app({ limits: { take }, siteFolder: '/nonexistent/site' });
    const routes = new Map(
      app.routes
        .filter(({ path }) => !/^\/?(v1\/)?\*$|^\/docs\/\*$/.test(path))
        .map(({ method, path }) => {
          const verb = method === 'ALL' ? 'PATCH' : method;
          const filled = path.replace('*', 'x').replace(/:\w+(\{[^}]*\})?/g, '1');
          return [`${verb} ${filled}`, { verb, filled }];
        }),
    );
    expect(routes.size).toBeGreaterThan(100);
    const uncounted: string[] = [];
    for (const [name, { verb, filled }] of routes) {
      // A stream has no end of its own.
      const method = filled === '/v1/stream' && verb === 'GET' ? 'HEAD' : verb;
      taken.length = 0;
      await app.request(filled, { method });
      if (taken.length === 0) uncounted.push(name);
    }
    for (const method of ['GET', 'OPTIONS']) {
      taken.length = 0;
      await app.request('/no/such/path', { method });
      if (taken.length === 0) uncounted.push(`${method} of no route`);
    }
    expect(uncounted).toEqual([]);
  });

  it('requires the token for every metrics route, and returns 404 if metrics have their own port', async () => {
    const metricsToken = 'a token of sixteen characters';
    const app = fixture.app({ metricsToken });
    const ask = async (authorization?: string) =>
      (await app.request('/metrics', authorization ? { headers: { authorization } } : {})).status;
    expect(await ask()).toBe(401);
    expect(await ask('Bearer another token')).toBe(401);
    expect(await ask(`Basic ${metricsToken}`)).toBe(401);
    const spaceless = 'a-token-of-sixteen-characters';
    const tokened = fixture.app({ metricsToken: spaceless });
    const headers = { authorization: `Bearer ${spaceless}` };
    expect((await tokened.request('/metrics', { headers })).status).toBe(200);
    expect((await fixture.app({ metricsElsewhere: true }).request('/metrics')).status).toBe(404);
  });

  it('asks browsers to use HTTPS for this host, and not for its subdomains', async () => {
    for (const path of ['/health', '/docs', '/openapi.json', '/v1/system/endpoints']) {
      const header = (await fixture.app().request(path)).headers.get('strict-transport-security');
      expect([path, header]).toEqual([path, 'max-age=15552000']);
    }
  });
});
