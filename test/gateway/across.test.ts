import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieNameOf } from '../../engine/gateway/cookies.ts';
import { nameOf } from '../../engine/gateway/identity.ts';
import { readExamples } from '../../engine/http/openapi/examples.ts';
import { waitFor } from '../support/wait-for.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { GatewayFixture } from './gateway-fixture.ts';

const examples = readExamples();
const contractOf = (digit: string) => `0x${digit.repeat(40)}` as const;
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

type Listed = { chainId: number; saleId: string };

describe('a gateway across deployments', () => {
  let fakes: FakeDeployment[];
  let gateway: GatewayFixture;

  const fake = (index: number): FakeDeployment => {
    const found = fakes[index];
    if (found === undefined) throw new Error(`There is no deployment ${index}.`);
    return found;
  };

  beforeAll(async () => {
    fakes = await Promise.all(
      [1, 2, 3].map((chainId) =>
        FakeDeployment.open({ chainId, contractAddress: contractOf(String(chainId)) }),
      ),
    );
    gateway = await GatewayFixture.open(fakes);
  });

  afterAll(async () => {
    await gateway?.close();
    await Promise.all((fakes ?? []).map((one) => one.stop()));
  });

  /** All items of `receipts.recent`, page by page, and the meta of the last page. */
  async function readSales(query: string, cursor?: string, between = () => {}) {
    const items: Listed[] = [];
    let next: string | null | undefined = cursor;
    for (let page = 0; page < 100; page += 1) {
      const { status, body } = await gateway.get(
        `/v1/receipts?${query}${next ? `&cursor=${next}` : ''}`,
      );
      if (status !== 200) throw new Error(JSON.stringify(body));
      const times = body.data.items.map((one: { recordedAt: string }) => one.recordedAt);
      expect(times).toEqual([...times].sort().reverse());
      items.push(...body.data.items);
      next = body.data.nextCursor;
      if (next === null) return { items, meta: body.meta };
      between();
    }
    throw new Error('The list does not end.');
  }

  const namesOf = (items: readonly Listed[]) => items.map((one) => `${one.chainId}:${one.saleId}`);

  it('merges lists by time, each sale once, though sales come in between', async () => {
    const lists = fakes.map(({ identity: { chainId } }) =>
      Array.from({ length: 7 * chainId }, (_, index) => ({
        id: index + 1,
        recordedAt: at(index * 10 + chainId),
      })).reverse(),
    );
    for (const [index, list] of lists.entries()) fake(index).sales(() => list);
    const { items, meta } = await readSales('limit=5');
    expect(new Set(namesOf(items)).size).toBe(42);
    expect(items).toHaveLength(42);
    expect(meta.deployments.missing).toEqual([]);
    let more = 100;
    const changed = await readSales('limit=4', undefined, () => {
      more += 1;
      if (more < 106) lists[0]?.unshift({ id: more, recordedAt: at(more * 100) });
    });
    const names = namesOf(changed.items);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(namesOf(items)));
  });

  it('leaves out a deployment that does not answer, names it, and reads its items later', async () => {
    for (const one of fakes) {
      one.sales(() => [5, 4, 3, 2, 1].map((id) => ({ id, recordedAt: at(id) })));
    }
    await fake(1).stop();
    const partial = await readSales('limit=4');
    expect(partial.items).toHaveLength(10);
    expect(partial.meta.deployments.missing).toEqual([
      {
        name: nameOf(fake(1).identity),
        deployment: fake(1).identity,
        code: 'AWAY',
        reason: 'The deployment does not answer.',
      },
    ]);
    await fake(1).start();
    await waitFor(() => gateway.directory.all[1]?.state === 'up', { what: 'the deployment' });
    const rest = await readSales('limit=4', partial.meta.resumeCursor);
    expect(rest.meta.resumeCursor).toBeUndefined();
    const names = namesOf([...partial.items, ...rest.items]);
    expect([names.length, new Set(names).size]).toEqual([15, 15]);
  });

  it('rejects a cursor of other filters or of another list', async () => {
    const { body } = await gateway.get('/v1/receipts?limit=1');
    const cursor = body.data.nextCursor;
    const buyer = contractOf('9');
    for (const path of [
      `/v1/receipts?buyer=${buyer}&cursor=${cursor}`,
      `/v1/campaigns?cursor=${cursor}`,
      '/v1/receipts?cursor=abc',
      '/v1/receipts?limit=101',
      '/v1/campaigns?excludeJoined=true',
    ]) {
      expect([path, (await gateway.get(path)).status]).toEqual([path, 400]);
    }
  });

  it('answers from the others if a deployment lies, floods, stalls or answers in another form', async () => {
    const search = examples['search.find']?.response;
    const [good, bad] = [fake(0), fake(1)];
    fake(2).json('/v1/search', search);
    good.json('/v1/search', search);
    const cases: [
      string,
      string,
      FakeDeployment['routes'] extends Map<string, infer R> ? R : never,
    ][] = [
      ['BAD_RESPONSE', 'nonsense', (_request, response) => response.end('<html>')],
      [
        'BAD_RESPONSE',
        'another form',
        (_request, response) => response.end('{"data":{"items":[{}]},"meta":{"requestId":"1"}}'),
      ],
      [
        'BAD_RESPONSE',
        'a flood',
        (_request, response) => response.end(Buffer.alloc(6 * 1024 * 1024, '[')),
      ],
      [
        'WRONG_DEPLOYMENT',
        'the answer of another chain',
        (request, response) => fake(2).routes.get('/v1/search')?.(request, response),
      ],
      ['TIMEOUT', 'an answer without an end', (_request, response) => response.write('{')],
      ['TIMEOUT', 'silence', () => {}],
    ];
    for (const [code, what, respond] of cases) {
      bad.routes.set('/v1/search', respond);
      await waitFor(() => gateway.directory.all[1]?.state === 'up', { what: 'the deployment' });
      const start = performance.now();
      const { status, body } = await gateway.get('/v1/search?q=word');
      expect(performance.now() - start, what).toBeLessThan(8_000);
      expect(status, what).toBe(200);
      expect(
        body.meta.deployments.missing.map((one: { code: string }) => one.code),
        what,
      ).toEqual([code]);
      expect(body.meta.deployments.answered.map((one: { chainId: number }) => one.chainId)).toEqual(
        [1, 3],
      );
      expect(body.data.items.length).toBeGreaterThan(0);
      for (const item of body.data.items) expect([1, 3]).toContain(item.deployment.chainId);
    }
    bad.json('/v1/search', search);
  });

  it('adds no earnings over deployments, and sends each session only to its own', async () => {
    for (const one of fakes) {
      one.requests.length = 0;
      one.json('/v1/me/earnings', examples['earnings.summary']?.response);
      one.json('/v1/auth/session', examples['auth.session']?.response);
    }
    expect((await gateway.get('/v1/me/earnings')).status).toBe(401);
    const cookie = [0, 2]
      .map((index) => `${cookieNameOf(fake(index).identity)}=token${index}`)
      .join('; ');
    const { status, body } = await gateway.get('/v1/me/earnings', { cookie });
    expect(status).toBe(200);
    const example = examples['earnings.summary']?.response.data as {
      byToken: object[];
      links: number;
    };
    expect(body.data.byToken).toHaveLength(2 * example.byToken.length);
    expect(body.data.links).toBe(2 * example.links);
    expect(body.data.byToken[0]).toMatchObject({
      ...example.byToken[0],
      deployment: fake(0).identity,
    });
    expect(body.meta.deployments.missing).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    expect(fake(1).requests).toEqual([]);
    const sent = fakes.flatMap(({ requests }) => requests.map(({ headers }) => headers.cookie));
    expect(new Set(sent)).toEqual(
      new Set(['__Host-tributary-session=token0', '__Host-tributary-session=token2']),
    );
    expect(fake(0).requests.every(({ headers }) => headers.cookie?.endsWith('token0'))).toBe(true);
  });

  it('lists the deployments with their roots, and the worst status with the alarms of each', async () => {
    for (const one of fakes) one.json('/v1/system/digest', examples['system.digest']?.response);
    const status = examples['system.status']?.response as { data: object; meta: object };
    fake(2).json('/v1/system/status', {
      ...status,
      data: { ...status.data, status: 'attention', alarms: ['Something is wrong.'] },
    });
    const { body: list } = await gateway.get('/v1/deployments');
    expect(list.data.items.map(({ path }: { path: string }) => path)).toEqual(
      fakes.map(({ identity }) => `/d/${nameOf(identity)}`),
    );
    expect(list.data.items[0].digest.root).toMatch(/^0x[0-9a-f]{64}$/);
    const { body: worst } = await gateway.get('/v1/deployments/status');
    expect(worst.data.status).toBe('attention');
    expect(worst.data.alarms).toEqual([
      { deployment: fake(2).identity, alarm: 'Something is wrong.' },
    ]);
  });

  it('answers 503 if no deployment answers, and still 200 at /health', async () => {
    await Promise.all(fakes.map((one) => one.stop()));
    const { status, body } = await gateway.get('/v1/search?q=word');
    expect([status, body.error.issues.length]).toEqual([503, 3]);
    await waitFor(async () => (await gateway.get('/ready')).status === 503, { what: '/ready' });
    expect((await gateway.get('/health')).status).toBe(200);
    const { text } = await gateway.server.readMetrics();
    expect(text).toContain(
      `tributary_gateway_deployment_up{deployment="${nameOf(fake(0).identity)}"} 0`,
    );
    expect(text).toContain(
      `tributary_gateway_missing_total{deployment="${nameOf(fake(1).identity)}",code="TIMEOUT"} 2`,
    );
    await Promise.all(fakes.map((one) => one.start()));
    await waitFor(async () => (await gateway.get('/ready?strict=1')).status === 200, {
      what: '/ready',
    });
  });

  it('describes its methods in an OpenAPI document without broken references', async () => {
    const { body } = await gateway.get('/openapi.json');
    expect(Object.keys(body.paths).sort()).toEqual([
      ...['/v1/campaigns', '/v1/deployments', '/v1/deployments/status', '/v1/distributors'],
      ...[
        '/v1/lookups/receipts',
        '/v1/me/earnings',
        '/v1/receipts',
        '/v1/receipts/{chainId}/{saleId}',
      ],
      ...['/v1/receipts/{chainId}/{saleId}/bundle', '/v1/receipts/{chainId}/{saleId}/events'],
      ...['/v1/receipts/{chainId}/{saleId}/verify', '/v1/search'],
    ]);
    const references = JSON.stringify(body).match(/#\/components\/[A-Za-z0-9_/]+/g) ?? [];
    for (const reference of new Set(references)) {
      const [, , part = '', name = ''] = reference.split('/');
      expect(body.components[part]?.[name], reference).toBeDefined();
    }
  });

  it('lets each site read that document, and says that it is unchanged', async () => {
    const url = `${gateway.url}/openapi.json`;
    const origin = 'https://foreign.example';
    const { headers } = await fetch(url, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const etag = headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { origin, 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });
});

describe('a gateway behind one trusted proxy', () => {
  let fake: FakeDeployment;
  let gateway: GatewayFixture;

  beforeAll(async () => {
    fake = await FakeDeployment.open({ chainId: 1, contractAddress: contractOf('1') });
    fake.json('/v1/search', examples['search.find']?.response);
    gateway = await GatewayFixture.open([fake], { trustedProxies: 1, perMinute: 3 });
  });

  afterAll(async () => {
    await gateway?.close();
    await fake?.stop();
  });

  it('counts requests across deployments by the address that the proxy saw, and passes it on', async () => {
    const search = (address: string) =>
      gateway.get('/v1/search?q=word', { 'x-forwarded-for': `198.51.100.1, ${address}` });
    for (let count = 0; count < 3; count += 1) {
      expect((await search('203.0.113.7')).status).toBe(200);
    }
    const { status, headers, body } = await search('203.0.113.7');
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await search('203.0.113.8')).status).toBe(200);
    const sent = fake.requests.map((request) => request.headers['x-forwarded-for']);
    expect(sent).toEqual([...Array(3).fill('203.0.113.7'), '203.0.113.8']);
  });

  it('lets every page read public lists, and only allowed pages read with a session', async () => {
    const readBy = async (path: string, origin: string) => {
      const { headers } = await gateway.get(path, { origin, 'x-forwarded-for': '203.0.113.9' });
      const name = 'access-control-allow-';
      return [headers.get(`${name}origin`), headers.get(`${name}credentials`)];
    };
    expect(await readBy('/v1/search?q=word', 'https://blog.example')).toEqual(['*', null]);
    expect(await readBy('/v1/me/earnings', 'https://blog.example')).toEqual([null, 'true']);
    expect(await readBy('/v1/me/earnings', 'https://shop.example')).toEqual([
      'https://shop.example',
      'true',
    ]);
  });
});
