import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLogger } from '../../engine/cli/logger.ts';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { openPool } from '../../engine/db/connection.ts';
import { makeRateLimits, type RateLimits } from '../../engine/http/limits/rate-limits.ts';
import { serveApi } from '../../engine/http/serve.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { account } from '../support/history.ts';
import { redisAvailable, startTestRedis } from '../support/redis.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';

describe('the limits', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  const inPostgres = (perMinute: number, pool = fixture.pool): RateLimits =>
    makeRateLimits({ pool, redis: undefined, prefix: 'test', keys: deriveKeys(['s']), perMinute });

  async function refusals(
    limits: RateLimits,
    kind: 'address' | 'signIn',
    key: string,
    times: number,
  ) {
    let passed = 0;
    for (let i = 0; i < times; i += 1) {
      await limits.take(kind, key).then(
        () => {
          passed += 1;
        },
        (error: unknown) => expect(error).toMatchObject({ code: 'RATE_LIMITED' }),
      );
    }
    return passed;
  }

  it('says what is left, returns 429 with the seconds to wait, and counts each address separately', async () => {
    const limits = inPostgres(3);
    const app = fixture.app({ limits, trustedProxies: 1 });
    const from = (ip: string, path = '/v1/system/endpoints') =>
      app.request(path, { headers: { 'x-forwarded-for': ip } });
    for (let left = 2; left >= 0; left -= 1) {
      const { status, headers } = await from('10.0.0.1');
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"address";q=3;w=60');
      expect(headers.get('ratelimit')).toMatch(
        new RegExp(`^"address";r=${left};t=(60|[1-5]?[0-9])$`),
      );
    }
    const refused = await from('10.0.0.1');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(ErrorBody.parse(await refused.json()).error.code).toBe('RATE_LIMITED');
    expect(refused.headers.get('ratelimit')).toBe(`"address";r=0;t=${seconds}`);
    expect((await from('10.0.0.2')).status).toBe(200);
    expect((await from('10.0.0.1', '/health')).status).toBe(200);
  });

  it('trusts X-Forwarded-For only as far as proxies are configured', async () => {
    const statusesOf = async (trustedProxies: number, forwarded: string[]) => {
      const limits = inPostgres(1);
      const app = fixture.app({ limits, trustedProxies });
      const answers = [];
      for (const one of forwarded) {
        const headers = { 'x-forwarded-for': one };
        answers.push((await app.request('/v1/system/endpoints', { headers })).status);
      }
      return answers;
    };
    expect(await statusesOf(0, ['1.1.1.1', '2.2.2.2'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['6.6.6.6, 1.1.1.1', '7.7.7.7, 1.1.1.1'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['6.6.6.6, 1.1.1.1', '6.6.6.6, 2.2.2.2'])).toEqual([200, 200]);
    expect(await statusesOf(2, ['1.1.1.1, 9.9.9.9', '2.2.2.2, 9.9.9.9'])).toEqual([200, 200]);
    expect(await statusesOf(2, ['1.1.1.1', '2.2.2.2'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['no address', 'another'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['2001:db8::1', '2001:db8:0:0:ffff::2'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['2001:db8::1', '2001:db8:0:1::1'])).toEqual([200, 200]);
    // Some proxies add the port.
    expect(await statusesOf(1, ['1.1.1.1:50001', '1.1.1.1:50002'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['1.1.1.1:50001', '2.2.2.2:50001'])).toEqual([200, 200]);
    expect(await statusesOf(1, ['[2001:db8::1]:50001', '2001:db8::1'])).toEqual([200, 429]);
    expect(await statusesOf(1, ['[2001:db8::1]:50001', '[2001:db8:0:1::1]'])).toEqual([200, 200]);
  });

  it('counts the requests of a session from any address', async () => {
    const { reading } = await signedIn(fixture.deps, account(1));
    const app = fixture.app({ limits: inPostgres(4), trustedProxies: 1 });
    const answers = [];
    for (let i = 1; i <= 3; i += 1) {
      const headers = { ...reading, 'x-forwarded-for': `10.1.0.${i}` };
      answers.push((await app.request('/v1/auth/session', { headers })).status);
    }
    expect(answers).toEqual([200, 200, 429]);
  });

  it('limits sign-ins for all processes together, in PostgreSQL', async () => {
    const [one, two] = [inPostgres(60), inPostgres(60)];
    expect((await refusals(one, 'signIn', 'a', 2)) + (await refusals(two, 'signIn', 'a', 5))).toBe(
      3,
    );
    const before = await fixture.pool`select key from commerce.rate_limit`;
    await one.take('address', 'b');
    expect(await fixture.pool`select key from commerce.rate_limit`).toEqual(before);
  });

  it('stores no address of a caller, only a keyed hash of it', async () => {
    await inPostgres(60).take('write', '203.0.113.9');
    const rows = await fixture.pool<{ key: string }[]>`select key from commerce.rate_limit`;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ key }) => key.includes('203.0.113'))).toEqual([]);
  });

  it('limits requests in memory while PostgreSQL is unreachable', async () => {
    const away = openPool('postgres://nobody@127.0.0.1:1/none', { max: 1 });
    expect(await refusals(inPostgres(60, away), 'signIn', 'a', 5)).toBe(3);
    await away.end();
  });

  it.runIf(redisAvailable)('limits requests for all processes together, in Redis', async () => {
    const server = await startTestRedis();
    const redis = new Redis(server.url, { enableOfflineQueue: true });
    await redis.ping();
    const make = () =>
      makeRateLimits({
        pool: fixture.pool,
        redis,
        prefix: 'p',
        keys: deriveKeys(['s']),
        perMinute: 3,
      });
    expect(await refusals(make(), 'address', 'a', 2)).toBe(2);
    expect(await refusals(make(), 'address', 'a', 5)).toBe(1);
    redis.disconnect();
    expect(await refusals(make(), 'address', 'z', 5)).toBe(3);
    await server.stop();
  });
});

describe('the server', () => {
  it('counts requests by the connected address, and ends those that take too long', async () => {
    const fixture = await ApiFixture.open();
    const keys: string[] = [];
    const take = async (_kind: string, key: string) => {
      keys.push(key);
      return undefined;
    };
    const server = await serveApi({
      ...fixture.deps,
      limits: { take },
      port: 0,
      host: '127.0.0.1',
    });
    await fetch(`${server.url}/v1/system/endpoints`, { headers: { 'x-forwarded-for': '6.6.6.6' } });
    expect(keys).toEqual(['127.0.0.1']);
    await server.stop();
    const stuck = { take: () => new Promise<undefined>(() => {}) };
    const app = fixture.app({ limits: stuck, requestMs: 30 });
    const response = await app.request('/v1/system/endpoints');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(ErrorBody.parse(await response.json()).error.code).toBe('NOT_READY');
    await fixture.close();
  });
});

describe('a browser of another origin', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  it('accepts cookies from a browser of another origin only if that origin is allowed', async () => {
    const preflight = (origin: string) =>
      fixture.app().request('/v1/merchant', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const { headers } = await preflight('https://shop.example');
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-headers')).toContain('x-csrf-token');
    expect(headers.get('access-control-allow-methods')).toContain('DELETE');
    for (const origin of ['https://evil.example', 'null', 'https://shop.example:444']) {
      const foreign = (await preflight(origin)).headers;
      expect(foreign.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('the log of requests', () => {
  it('logs request and response without their secrets', async () => {
    const fixture = await ApiFixture.open();
    const lines: string[] = [];
    const logger = makeLogger({ level: 'info' }, { write: (line) => void lines.push(line) });
    const { reading, writing, csrfToken } = await signedIn(fixture.deps, account(3));
    const app = fixture.app({ logger });
    const headers = { ...writing, 'x-request-id': 'r-1', 'content-type': 'application/json' };
    const body = JSON.stringify({ message: 'm-secret', signature: '0x5ec3e7' });
    await app.request('/v1/auth/sign-in?q=q-secret', { method: 'POST', headers, body });
    await app.request('/v1/auth/session', { headers });
    const text = lines.join('');
    expect(text).toContain('"requestId":"r-1","method":"POST","path":"/v1/auth/sign-in"');
    expect(text).toContain('"status":200');
    for (const secret of [csrfToken, reading.cookie?.split('=')[1] ?? '', 'secret', '5ec3e7']) {
      expect(text).not.toContain(secret);
    }
    await fixture.close();
  });
});
