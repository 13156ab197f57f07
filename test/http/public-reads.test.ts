import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChainMeta, ResponseMeta } from '../../engine/contract/envelope.ts';
import { methods } from '../../engine/contract/registry.ts';
import { cacheHeaders } from '../../engine/http/cache/validators.ts';
import { isPublicRead } from '../../engine/http/public-reads.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const OWN = 'https://shop.example';
const FOREIGN = 'https://blog.example';

const Meta = z.object({ meta: ResponseMeta });

let fixture: ApiFixture;
let app: ReturnType<ApiFixture['app']>;

beforeAll(async () => {
  fixture = await ApiFixture.open();
  await fixture.settle(smallHistory().history.facts);
  await saveProfiles(fixture.pool);
  app = fixture.app();
});
afterAll(() => fixture.close());

const read = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

describe('reads from other sites', () => {
  it('lets any page read a public GET, without credentials', async () => {
    for (const origin of [FOREIGN, 'null']) {
      const { headers, status } = await read('/v1/campaigns', { origin });
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('access-control-expose-headers')).toContain('etag');
      expect(headers.get('vary')).toMatch(/origin/i);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  it('lets any page read the OpenAPI document, and read it conditionally', async () => {
    const { headers, status } = await read('/openapi.json', { origin: FOREIGN });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('public, no-cache');
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[A-Za-z0-9_-]{27}"$/);
    const again = await read('/openapi.json', { origin: FOREIGN, 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('access-control-allow-origin')).toBe('*');
    expect((await read('/openapi.json', { 'if-none-match': 'W/"other"' })).status).toBe(200);
    const own = await read('/openapi.json', { origin: OWN });
    expect(own.headers.get('access-control-allow-origin')).toBe(OWN);
    const others = fixture.app({ enabled: new Set(['apiKeys']) });
    expect((await others.request('/openapi.json')).headers.get('etag')).not.toBe(etag);
    const preflight = await app.request('/openapi.json', {
      method: 'OPTIONS',
      headers: { origin: FOREIGN, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('lets any page read the errors of a public GET', async () => {
    const { headers, status } = await read('/v1/campaigns/999999', { origin: FOREIGN });
    expect(status).toBe(404);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('keeps credentials for the allowed origins', async () => {
    const { headers } = await read('/v1/campaigns', { origin: OWN });
    expect(headers.get('access-control-allow-origin')).toBe(OWN);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    ['a read of a session', 'GET', '/v1/merchant'],
    ['a read that opens a session', 'GET', '/v1/auth/nonce'],
    ['a write', 'POST', '/v1/auth/sign-in'],
    ['a path that does not exist', 'GET', '/v1/nothing'],
  ])('allows nothing for %s', async (_what, method, path) => {
    const { headers } = await app.request(path, { method, headers: { origin: FOREIGN } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers a preflight for a conditional read, and refuses one for a write', async () => {
    const preflight = async (verb: string, path: string) => {
      const { headers } = await app.request(path, {
        method: 'OPTIONS',
        headers: {
          origin: FOREIGN,
          'access-control-request-method': verb,
          'access-control-request-headers': 'if-none-match',
        },
      });
      return headers;
    };
    const allowed = await preflight('GET', '/v1/campaigns');
    expect(allowed.get('access-control-allow-origin')).toBe('*');
    expect(allowed.get('access-control-allow-headers')).toContain('if-none-match');
    expect(allowed.get('access-control-allow-methods')).not.toContain('POST');
    for (const [verb, path] of [
      ['POST', '/v1/campaigns'],
      ['PATCH', '/v1/merchant'],
      ['GET', '/v1/merchant'],
    ] as const) {
      expect((await preflight(verb, path)).get('access-control-allow-origin')).toBeNull();
    }
  });

  it('knows every GET of the registry by its own path', () => {
    for (const { method, path, access } of methods) {
      const filled = path.replace(/:chainId/, '31337').replace(/:\w+/g, '7');
      if (method === 'GET')
        expect(isPublicRead(filled), path).toBe(
          access === 'public' && !path.startsWith('/v1/auth/'),
        );
    }
  });
});

describe('conditional reads', () => {
  it('sends a tag, and no body while nothing has changed', async () => {
    const first = await read('/v1/campaigns');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    for (const tags of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await read('/v1/campaigns', { 'if-none-match': tags });
      expect(again.status).toBe(304);
      expect(again.headers.get('etag')).toBe(etag);
      expect(await again.text()).toBe('');
    }
    expect((await read('/v1/campaigns', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('changes the tag with the data, and not with a block that changes nothing', async () => {
    const tagOf = async () => (await read('/v1/campaigns/1')).headers.get('etag');
    const before = await tagOf();
    const blockOf = async () =>
      Meta.parse(await (await read('/v1/campaigns/1')).json()).meta.chain?.blockNumber;
    const block = await blockOf();
    await fixture.pool`update ledger.head set settled_number = settled_number + 1`;
    expect(await blockOf()).not.toBe(block);
    expect(await tagOf()).toBe(before);
    await fixture.pool`update commerce.merchant set name = name || '!'`;
    expect(await tagOf()).not.toBe(before);
  });

  it.each(['/v1/merchant', '/v1/auth/session'])('sends no tag with %s', async (path) => {
    const { headers } = await read(path);
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('the answer for a past block', () => {
  const chain = {
    chainId: 31_337,
    blockNumber: '7',
    blockTimestamp: '2026-11-01T00:00:00.000Z',
    finality: 'finalized',
  } satisfies ChainMeta;

  it.each<[string, ChainMeta, boolean, RegExp]>([
    ['is immutable if all of its events are final', chain, true, /immutable/],
    ['is not if the request names no block', chain, false, /no-cache/],
    ['is not before its events are final', { ...chain, finality: 'safe' }, true, /no-cache/],
    [
      'is not while a campaign in it is stopped',
      { ...chain, stopped: { count: 1, campaigns: [] } },
      true,
      /no-cache/,
    ],
  ])('%s', (_what, meta, ofBlock, expected) => {
    expect(cacheHeaders('{}', { chain: meta }, ofBlock)['cache-control']).toMatch(expected);
  });
});
