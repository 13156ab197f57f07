import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../engine/client/index.ts';
import { ErrorBody, ResponseMeta } from '../../engine/contract/envelope.ts';
import { methods } from '../../engine/contract/registry.ts';
import { openPool } from '../../engine/db/connection.ts';
import { serveApi } from '../../engine/http/serve.ts';
import { account } from '../support/history.ts';
import { holdLocks } from '../support/locks.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';

const Success = z.strictObject({
  data: z.looseObject({ nextCursor: z.string().nullish() }),
  meta: ResponseMeta,
});

describe('the edge of the API', () => {
  let fixture: ApiFixture;
  let app: ReturnType<ApiFixture['app']>;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    app = fixture.app();
  });
  afterAll(() => fixture.close());

  async function failure(path: string, init?: RequestInit) {
    const response = await app.request(path, init);
    const { error } = ErrorBody.parse(await response.json());
    return { status: response.status, headers: response.headers, ...error };
  }

  /** The fields that a 400 names. */
  async function wrongFields(path: string): Promise<string[]> {
    const { status, code, issues } = await failure(path);
    expect([status, code], path).toEqual([400, 'VALIDATION_FAILED']);
    return issues?.map((issue) => issue.path) ?? [];
  }

  it('wraps a response in data and meta', async () => {
    const response = await app.request('/v1/campaigns?limit=1');
    expect(response.status).toBe(200);
    const { meta } = Success.parse(await response.json());
    expect(meta).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      chain: { chainId: CHAIN_ID, blockNumber: '106', finality: 'pending' },
    });
    expect(meta.chain?.blockTimestamp).toMatch(/^2023-11-14T.*Z$/);
  });

  it('uses a valid request id, and generates one otherwise', async () => {
    for (const [input, stored] of [
      ['abc-123_X', true],
      ['a'.repeat(100), true],
      ['a'.repeat(101), false],
      ['<script>', false],
    ] as const) {
      const headers = { 'x-request-id': input };
      const response = await app.request('/v1/campaigns', { headers });
      const { meta } = Success.parse(await response.json());
      expect(meta.requestId === input, input).toBe(stored);
      expect(meta.requestId).toMatch(/^[\w=-]{1,100}$/);
    }
  });

  it('names each unknown field', async () => {
    expect(await wrongFields('/v1/campaigns?nope=1&limit=5&__proto__=x')).toEqual([
      'nope',
      '__proto__',
    ]);
    expect(await wrongFields('/v1/campaigns/1?x=1')).toEqual(['x']);
    expect(await wrongFields('/v1/system/status?verbose=1')).toEqual(['verbose']);
    expect(await wrongFields('/v1/receipts/31337/1/verify?toString=1')).toEqual(['toString']);
  });

  it('accepts the limits of each field, and refuses one more or one less', async () => {
    const bounds: [string, (number | string)[], (number | string)[]][] = [
      ['limit', [1, 100], [0, 101, -1, 1.5, '1e1', '', 'x', '01']],
      ['rateMin', [1, 10_000], [0, 10_001, 2.5]],
      ['rateMax', [1, 10_000], [0, 10_001]],
      ['levels', [1, 5], [0, 6]],
      ['holdMax', [0, '9007199254740991'], [-1, '9007199254740992', '9'.repeat(30)]],
      ['budgetLeftMin', [0, '9'.repeat(78)], ['9'.repeat(79), -1, '1.5', '01', '1e3', '0x1', '']],
      ['q', ['a'.repeat(200), ''], ['a'.repeat(201), '%00']],
      ['source', ['NATIVE_ONCHAIN'], ['native', 'DEMO']],
      ['status', ['active', 'not_live'], ['ACTIVE', 'live']],
      ['sort', ['hold'], ['random', 'constructor']],
      ['invitationOnly', ['true', 'false'], ['1', 'yes', 'TRUE']],
      ['merchant', ['a'.repeat(200)], ['a'.repeat(201), '%00']],
    ];
    for (const [field, good, bad] of bounds) {
      for (const value of good) {
        const response = await app.request(`/v1/campaigns?${field}=${value}`);
        expect(response.status, `${field}=${value}`).toBe(200);
      }
      for (const value of bad) {
        expect(await wrongFields(`/v1/campaigns?${field}=${value}`), `${field}=${value}`).toEqual([
          field,
        ]);
      }
    }
  });

  it('refuses invalid ids, and fields that occur twice', async () => {
    const odd = [
      '-1',
      '01',
      '1.5',
      'abc',
      '0x1',
      '9'.repeat(79),
      'demo-',
      "1'",
      '%00',
      '1%2F2',
      '%',
    ];
    for (const id of odd) {
      expect(await wrongFields(`/v1/campaigns/${id}`), id).toEqual(['campaignId']);
      expect(await wrongFields(`/v1/receipts/31337/${id}`), id).toEqual(['saleId']);
      expect(await wrongFields(`/v1/nodes/31337/${id}/ancestry`), id).toEqual(['nodeId']);
    }
    for (const id of ['0', '-1', 'x', '1.5', '9007199254740992']) {
      expect(await wrongFields(`/v1/receipts/${id}/1`), id).toEqual(['chainId']);
    }
    expect(await wrongFields('/v1/campaigns?limit=1&limit=2')).toContain('limit');
  });

  it('refuses a forged cursor, and a cursor of another list', async () => {
    const next = async (path: string): Promise<string> => {
      const { data } = Success.parse(await (await app.request(path)).json());
      return data.nextCursor ?? '';
    };
    const cursor = await next('/v1/campaigns?limit=1');
    expect((await app.request(`/v1/campaigns?limit=2&cursor=${cursor}`)).status).toBe(200);
    const others = ['sort=newest', 'q=beans', 'holdMax=5', 'status=active', 'sort=balanced'];
    for (const filter of others) {
      expect(await wrongFields(`/v1/campaigns?limit=1&${filter}&cursor=${cursor}`)).toEqual([
        'cursor',
      ]);
    }
    expect(await wrongFields(`/v1/receipts?cursor=${cursor}`)).toEqual(['cursor']);
    const sales = await next('/v1/campaigns/1/sales?limit=1');
    expect(await wrongFields(`/v1/campaigns/2/sales?cursor=${sales}`)).toEqual(['cursor']);
    const [hash] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const forged of [
      ...['', 'x', '=', '%00', 'null', 'A'.repeat(2_000), 'A'.repeat(2_001), `${cursor}AA`],
      ...[forge(null), forge({}), forge([hash]), forge([hash, []]), forge([hash, ['1']])],
      ...[forge([hash, ['1', 'x']]), forge([hash, ['1', '9223372036854775808']])],
      ...[forge([hash, ['-1', '1']]), forge([hash, ["1'", '1']]), forge([hash, [1, 2]])],
      forge([hash, ['1', '1', '1']]),
    ]) {
      expect(await wrongFields(`/v1/campaigns?cursor=${forged}`), forged).toEqual(['cursor']);
    }
    const far = forge([hash, ['9223372036854775807', '9223372036854775807']]);
    expect((await app.request(`/v1/campaigns?cursor=${far}`)).status).toBe(200);
  });

  it('returns 404 for an unknown route, and 405 with the allowed methods of a known one', async () => {
    for (const path of ['/', '/v1', '/v2/campaigns', '/v1/campaigns/', '/v1/campaigns/1/x/y']) {
      expect(await failure(path), path).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await failure('/v1/campaigns', { method });
      expect(answer).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
    const both = await failure('/v1/merchant', { method: 'DELETE' });
    expect(both.headers.get('allow')).toBe('GET, POST, PATCH, HEAD');
    const head = await app.request('/v1/campaigns', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('answers 501 to planned methods for every caller', async () => {
    const designed = methods.filter(({ availability }) => availability === 'designed');
    expect(designed).not.toEqual([]);
    const { writing: headers } = await signedIn(fixture.deps, account(11));
    for (const { method, path, name } of designed) {
      const url = path.replace(/:\w+/g, '1');
      for (const init of [{ method }, { method, headers }]) {
        const answer = await failure(url, init);
        expect(answer, name).toMatchObject({ status: 501, code: 'METHOD_UNAVAILABLE' });
        expect(answer.message).toContain(name);
      }
    }
  });

  it('reveals nothing about internal errors', async () => {
    await fixture.pool`alter table ledger.missed_reward rename to missed`;
    const answer = await failure('/v1/receipts/31337/1');
    await fixture.pool`alter table ledger.missed rename to missed_reward`;
    expect(answer).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify(answer)).not.toMatch(/missed|relation|select|sql|at /i);
  });

  it('refuses a long body before it reads it', async () => {
    const body = 'x'.repeat(64 * 1024 + 1);
    const answer = await failure('/v1/auth/sign-in', { method: 'POST', body });
    expect(answer).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('the API before it is ready', () => {
  it('returns 503 to reads before it is ready, while it is alive, and reports its progress', async () => {
    const fixture = await ApiFixture.open();
    const app = fixture.app();
    expect((await app.request('/health')).status).toBe(200);
    for (const path of ['/ready', '/v1/campaigns', '/v1/receipts/31337/1']) {
      const response = await app.request(path);
      expect(response.status, path).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      const { error } = ErrorBody.parse(await response.json());
      expect(error.code).toBe('NOT_READY');
    }
    const { data } = await fixture.client().system.status();
    expect(data).toMatchObject({ status: 'starting', settled: null, lag: { total: null } });

    await fixture.settle(smallHistory().history.facts);
    expect((await fixture.app().request('/ready')).status).toBe(200);
    await fixture.pool`update ledger.head set chain_number = settled_number + 1001`;
    expect((await fixture.app().request('/ready')).status).toBe(200);
    const late = ErrorBody.parse(await (await fixture.app().request('/ready?strict=1')).json());
    expect(late.error.issues).toEqual([
      { path: 'settlement', message: 'Settlement is 1001 blocks behind the chain.' },
    ]);
    const deployment = { ...fixture.deps.deployment, chainId: 1 };
    expect((await fixture.app({ deployment }).request('/ready')).status).toBe(503);
    await fixture.close();
  });

  it('returns 503 while the database is unreachable, and for a read that takes too long', async () => {
    const fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    const away = openPool('postgres://nobody@127.0.0.1:1/none', { max: 1 });
    for (const path of ['/ready', '/v1/campaigns']) {
      const response = await fixture.app({ pool: away }).request(path);
      expect(response.status, path).toBe(503);
    }
    const unlock = await holdLocks(
      fixture.pool,
      (sql) => sql`lock table ledger.campaign in access exclusive mode`,
    );
    const slow = await fixture.app().request('/v1/campaigns');
    await unlock();
    expect(slow.status).toBe(503);
    expect(await slow.text()).not.toMatch(/statement|timeout|57014/);
    await away.end();
    await fixture.close();
  });
});

describe('the server and its client', () => {
  it('connects client and server over HTTP until the server stops', async () => {
    const fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    const server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
    const client = createClient({ baseUrl: `${server.url}/` });
    const { data } = await client.campaigns.list({ sort: 'newest', limit: 1 });
    expect(data.items[0]?.campaignId).toBe('3');
    await expect(client.campaigns.get({ campaignId: 'x' })).rejects.toMatchObject({
      name: 'ApiError',
      code: 'VALIDATION_FAILED',
      status: 400,
      requestId: expect.stringMatching(/./),
      issues: [{ path: 'campaignId' }],
    });
    await server.stop();
    await expect(client.campaigns.list()).rejects.toMatchObject({ code: 'NETWORK', status: 0 });
    await fixture.close();
  });

  it('passes on Retry-After, and refuses a response without an envelope', async () => {
    const client = (response: Response) =>
      createClient({ baseUrl: 'http://x', retry: { retries: 0 }, fetch: async () => response });
    const body = { error: { code: 'NOT_READY', message: 'Wait.', requestId: 'r' } };
    const busy = Response.json(body, { status: 503, headers: { 'retry-after': '7' } });
    await expect(client(busy).campaigns.list()).rejects.toMatchObject({
      code: 'NOT_READY',
      retryAfter: 7,
    });
    await expect(client(new Response('<html>')).campaigns.list()).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
      status: 200,
    });
  });
});
