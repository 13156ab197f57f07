import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cookieNameOf } from '../../engine/gateway/cookies.ts';
import { nameOf } from '../../engine/gateway/identity.ts';
import { readExamples } from '../../engine/http/openapi/examples.ts';
import { waitFor } from '../support/wait-for.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { GatewayFixture } from './gateway-fixture.ts';

const examples = readExamples();
const contractOf = (digit: string) => `0x${digit.repeat(40)}` as const;
const honestIdentity = { chainId: 8453, contractAddress: contractOf('a') };
const evilIdentity = { chainId: 10, contractAddress: contractOf('e') };

/** Headers of a client that is signed in, or has a key. */
const credentials = {
  cookie: `${cookieNameOf(honestIdentity)}=HONESTSESSION`,
  authorization: 'Bearer tby_live_secret',
  'x-csrf-token': 'CSRF',
  'x-merchant': contractOf('1'),
  'idempotency-key': 'order-1',
};
const SECRETS = /HONESTSESSION|tby_live_secret|CSRF|order-1|0x1{40}/;

describe('a deployment whose identity the operator did not declare', () => {
  let evil: FakeDeployment;
  let gateway: GatewayFixture;
  const base = `/d/${nameOf(honestIdentity)}`;

  beforeAll(async () => {
    // It answers with the identity of an honest deployment that is down when the gateway starts.
    evil = await FakeDeployment.open(honestIdentity);
    gateway = await GatewayFixture.open(['http://127.0.0.1:1', evil.url]);
    evil.json('/v1/tokens', { data: {}, meta: {} }, { 'set-cookie': cookieText('fixed') });
    evil.json('/v1/me/earnings', { data: {}, meta: {} });
    evil.json('/v1/auth/session', { data: {}, meta: {} });
  });
  beforeEach(() => {
    evil.requests.length = 0;
  });
  afterAll(async () => {
    await gateway?.close();
    await evil?.stop();
  });

  const cookieText = (value: string) =>
    `__Host-tributary-session=${value}; Path=/; Secure; HttpOnly; Max-Age=600`;

  it('gets reads without any credential, and sets no cookie', async () => {
    const { status, headers } = await gateway.get(`${base}/v1/tokens`, credentials);
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual([]);
    await gateway.get('/v1/receipts', credentials);
    await gateway.get(`${base}/v1/auth/session`, credentials);
    const earnings = await gateway.get('/v1/me/earnings', credentials);
    expect(earnings.status).toBe(401);
    expect(evil.requests.length).toBeGreaterThan(2);
    expect(JSON.stringify(evil.requests)).not.toMatch(SECRETS);
  });

  it('gets no write, and no link that opens a file', async () => {
    for (const [method, path] of [
      ['POST', '/v1/auth/sign-in'],
      ['PATCH', '/v1/merchant'],
      ['DELETE', '/v1/developer/keys/1'],
      ['GET', '/downloads/x?token=secret'],
      ['GET', '/reports/x?token=secret'],
    ]) {
      const response = await fetch(`${gateway.url}${base}${path}`, {
        method: method ?? 'GET',
        headers: credentials,
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      const { error } = JSON.parse(await response.text());
      expect([path, response.status]).toEqual([path, 403]);
      expect(error.message).toContain('not declared in DEPLOYMENTS');
    }
    expect(evil.requests).toEqual([]);
  });

  it('gets them once the operator declared it', async () => {
    const declared = await GatewayFixture.open([evil]);
    await fetch(`${declared.url}${base}/v1/tokens`, { headers: credentials });
    expect(evil.requests[0]?.headers).toMatchObject({
      cookie: '__Host-tributary-session=HONESTSESSION',
      authorization: credentials.authorization,
      'x-csrf-token': 'CSRF',
    });
    await declared.close();
  });
});

describe('a hostile deployment of a gateway', () => {
  let honest: FakeDeployment;
  let evil: FakeDeployment;
  let gateway: GatewayFixture;
  const base = `/d/${nameOf(evilIdentity)}/v1`;

  beforeAll(async () => {
    honest = await FakeDeployment.open(honestIdentity);
    evil = await FakeDeployment.open(evilIdentity);
    gateway = await GatewayFixture.open([honest, evil]);
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([honest?.stop(), evil?.stop()]);
  });

  it('leads a client to no other site, by no status', async () => {
    for (const status of [300, 301, 302, 303, 307, 308]) {
      evil.routes.set('/v1/tokens', (_request, response) => {
        response.writeHead(status, { location: 'https://evil.example/' }).end();
      });
      const response = await fetch(`${gateway.url}${base}/tokens`, { redirect: 'manual' });
      expect([status, response.status]).toEqual([status, 503]);
      expect(response.headers.get('location')).toBeNull();
    }
  });

  it('sets no header that concerns the origin or leads elsewhere, and errors are as safe as answers', async () => {
    const hostile = {
      location: 'https://evil.example/',
      refresh: '0;url=https://evil.example/',
      link: '<https://evil.example/x.css>; rel=preload',
      'content-location': 'https://evil.example/',
      'clear-site-data': '"*"',
      'service-worker-allowed': '/',
      'strict-transport-security': 'max-age=0',
      'www-authenticate': 'Basic realm="Your password"',
      'alt-svc': 'h2="evil.example:443"',
      'report-to': '{"endpoints":[{"url":"https://evil.example"}]}',
      nel: '{"report_to":"x"}',
      sourcemap: 'https://evil.example/map',
      'permissions-policy': 'camera=*',
      'cross-origin-opener-policy': 'unsafe-none',
      'set-cookie': '__Host-tributary-session=x; Domain=example.com; Path=/evil',
      'content-security-policy': "default-src *; script-src 'unsafe-inline'",
      'x-content-type-options': 'off',
      'x-frame-options': 'ALLOWALL',
    };
    evil.json('/v1/tokens', { data: {}, meta: {} }, hostile);
    const answer = await gateway.get(`${base}/tokens`);
    const refused = await gateway.get(`/d/777/v1/tokens`);
    expect([answer.status, refused.status]).toEqual([200, 404]);
    for (const { headers } of [answer, refused]) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    expect(answer.headers.getSetCookie()).toEqual([
      `${cookieNameOf(evilIdentity)}=x; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    for (const name of Object.keys(hostile).slice(0, 14)) {
      expect([name, answer.headers.get(name)]).toEqual([name, null]);
    }
  });

  const sales = (count: number, at: string) =>
    Array.from({ length: count }, (_, index) => ({ id: count - index, recordedAt: at }));

  async function chainsOf(path: string): Promise<number[]> {
    const { body } = await gateway.get(path);
    return body.data.items.map(
      (one: { chainId?: number; deployment?: { chainId: number } }) =>
        one.deployment?.chainId ?? one.chainId,
    );
  }
  const countOf = (chains: readonly number[], { chainId }: { chainId: number }) =>
    chains.filter((one) => one === chainId).length;

  it('takes half of a page of sales at most, and all of it only if no other has any', async () => {
    honest.sales(() => sales(30, '2025-01-01T00:00:00.000Z'));
    evil.sales(() => sales(30, '9999-01-01T00:00:00.000Z'));
    for (const limit of [20, 5, 2]) {
      const chains = await chainsOf(`/v1/receipts?limit=${limit}`);
      expect(chains).toHaveLength(limit);
      expect(countOf(chains, evilIdentity)).toBe(Math.ceil(limit / 2));
    }
    honest.sales(() => sales(3, '2025-01-01T00:00:00.000Z'));
    const chains = await chainsOf('/v1/receipts?limit=20');
    expect([countOf(chains, honestIdentity), chains.length]).toEqual([3, 20]);
  });

  it('loses its part if a time is after the block that it read', async () => {
    honest.sales(() => sales(3, '2025-01-01T00:00:00.000Z'));
    const example = Object(examples['receipts.recent']?.response);
    const [first] = example.data.items;
    const items = [{ ...first, recordedAt: '9999-01-01T00:00:00.000Z' }];
    evil.json('/v1/receipts', { data: { items, nextCursor: null }, meta: example.meta });
    const { body } = await gateway.get('/v1/receipts');
    expect(body.data.items).toHaveLength(3);
    expect(body.meta.deployments.missing).toMatchObject([{ code: 'BAD_RESPONSE' }]);
  });

  it('takes half of a page of distributors at most, and scores no more than anybody can', async () => {
    const example = Object(examples['distributors.list']?.response);
    const [first] = example.data.items;
    const list = (value: number) =>
      Array.from({ length: 20 }, () => ({
        ...first,
        slot: 'ranked',
        rankSignals: ['settledConversions', 'merchants', 'keptShare', 'recency', 'recency'].map(
          (name) => ({ ...first.rankSignals[0], name, value }),
        ),
      }));
    const answer = (value: number) => ({
      data: { ...example.data, items: list(value), nextCursor: 'more' },
      meta: example.meta,
    });
    honest.json('/v1/distributors', answer(1_000));
    evil.json('/v1/distributors', answer(1_000_000_000));
    const chains = await chainsOf('/v1/distributors?limit=20');
    expect(countOf(chains, evilIdentity)).toBe(10);
    // Scores are equal, so the one that comes first in the configuration does.
    expect(chains[0]).toBe(honestIdentity.chainId);
  });

  it('keeps the honest one out of no page, whatever it answers', async () => {
    honest.sales(() => sales(30, '2025-01-01T00:00:00.000Z'));
    const example = Object(examples['receipts.recent']?.response);
    const [first] = example.data.items;
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(
        '9999-12-31T00:00:00.000Z',
        'x',
        '',
        null,
        -1,
        1e9,
        '0',
        honestIdentity.chainId,
      ),
    );
    const field = fc.constantFrom(...Object.keys(first));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, value), { maxLength: 3 }),
        fc.integer({ min: 0, max: 60 }),
        fc.oneof(fc.constant(null), fc.string({ maxLength: 20 })),
        async (changes, count, nextCursor) => {
          const item = { ...first, ...Object.fromEntries(changes) };
          const items = Array.from({ length: count }, () => item);
          evil.json('/v1/receipts', { data: { items, nextCursor }, meta: example.meta });
          const { status, body } = await gateway.get('/v1/receipts?limit=10');
          expect(status).toBe(200);
          const chains = body.data.items.map(({ chainId }: { chainId: number }) => chainId);
          expect(chains).toHaveLength(10);
          expect(countOf(chains, honestIdentity)).toBeGreaterThanOrEqual(5);
        },
      ),
      { numRuns: 100 },
    );
    await waitFor(() => gateway.directory.all.every(({ state }) => state === 'up'), {
      what: 'both to be up',
    });
  });
});
