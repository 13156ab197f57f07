import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { cookieNameOf } from '../../engine/gateway/cookies.ts';
import { nameOf } from '../../engine/gateway/identity.ts';
import { waitFor } from '../support/wait-for.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { GatewayFixture } from './gateway-fixture.ts';

const contractOf = (digit: string) => `0x${digit.repeat(40)}` as const;
const base = { chainId: 8453, contractAddress: contractOf('a') };

describe('a gateway that passes requests on', () => {
  let one: FakeDeployment;
  let other: FakeDeployment;
  let sibling: FakeDeployment;
  let gateway: GatewayFixture;

  beforeAll(async () => {
    one = await FakeDeployment.open(base);
    other = await FakeDeployment.open({ chainId: 10, contractAddress: contractOf('b') });
    sibling = await FakeDeployment.open({ chainId: 10, contractAddress: contractOf('c') });
    gateway = await GatewayFixture.open([one, other, sibling]);
  });

  beforeEach(() => {
    one.requests.length = 0;
  });

  afterAll(async () => {
    await gateway?.close();
    await Promise.all([one, other, sibling].map((fake) => fake?.stop()));
  });

  it('sends path, query and validators to the deployment, and no header for another one', async () => {
    one.json('/v1/campaigns/7', { data: {}, meta: {} }, { etag: 'W/"1"', 'x-secret': 'no' });
    const { status, headers } = await gateway.get(`/d/${nameOf(base)}/v1/campaigns/7?atBlock=5`, {
      'if-none-match': 'W/"0"',
      'idempotency-key': 'order-1',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      cookie: `${cookieNameOf(other.identity)}=theirs; ${cookieNameOf(base)}=mine; theme=dark`,
    });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('W/"1"');
    expect(headers.get('x-secret')).toBeNull();
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const [request] = one.requests;
    expect(request).toMatchObject({
      method: 'GET',
      url: '/v1/campaigns/7?atBlock=5',
      headers: {
        'if-none-match': 'W/"0"',
        'idempotency-key': 'order-1',
        'x-forwarded-for': '127.0.0.1',
        cookie: '__Host-tributary-session=mine',
        host: new URL(one.url).host,
      },
    });
    expect(request?.headers.forwarded).toBeUndefined();
    expect(other.requests).toEqual([]);
  });

  it('returns the session cookie of the deployment only', async () => {
    one.json(
      '/v1/auth/session',
      { data: {}, meta: {} },
      {
        'set-cookie': [
          '__Host-tributary-session=new; Path=/; Secure; HttpOnly; Max-Age=600',
          `${cookieNameOf(other.identity)}=fixed; Path=/; Secure`,
        ],
        'clear-site-data': '"*"',
      },
    );
    const { headers } = await gateway.get(`/d/${nameOf(base)}/v1/auth/session`);
    expect(headers.getSetCookie()).toEqual([
      `${cookieNameOf(base)}=new; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    expect(headers.get('clear-site-data')).toBeNull();
    const single = { 'set-cookie': '__Host-tributary-session=; Path=/; Secure; Max-Age=0' };
    one.json('/v1/auth/session', { data: {}, meta: {} }, single);
    const ended = await gateway.get(`/d/${nameOf(base)}/v1/auth/session`);
    expect(ended.headers.getSetCookie()).toEqual([
      `${cookieNameOf(base)}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
  });

  it('passes the body of a write on, up to 11 MiB', async () => {
    one.routes.set('/v1/merchant/media', (request, response) => {
      let bytes = 0;
      request.on('data', (chunk) => {
        bytes += chunk.length;
      });
      request.on('end', () => response.writeHead(201).end(String(bytes)));
    });
    const url = `${gateway.url}/d/${nameOf(base)}/v1/merchant/media`;
    const send = (body: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'POST', body });
    const sent = await send(new Uint8Array(3_000_000));
    expect([sent.status, await sent.text()]).toEqual([201, '3000000']);
    expect((await send(new Uint8Array(12 * 1024 * 1024))).status).toBe(413);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const cut = fetch(url, { method: 'POST', body: endless, duplex: 'half' } as RequestInit);
    expect((await cut).status).toBe(413);
  });

  it('passes a stream on, and ends it at the deployment when the client leaves', async () => {
    let closed = false;
    one.routes.set('/v1/stream', (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: hello\ndata: {}\n\n');
      request.once('close', () => {
        closed = true;
      });
    });
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/d/${nameOf(base)}/v1/stream`, {
      signal: abort.signal,
    });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain('event: hello');
    abort.abort();
    await waitFor(() => closed, { what: 'the stream to end at the deployment' });
  });

  it('finds the deployment without a contract if the chain has only one', async () => {
    one.json('/v1/tokens', { data: { items: [] }, meta: {} });
    expect((await gateway.get('/d/8453/v1/tokens')).status).toBe(200);
    const ambiguous = await gateway.get('/d/10/v1/tokens');
    expect([ambiguous.status, ambiguous.body.error.message]).toEqual([
      404,
      'There are several contracts on chain 10: use /d/10/<contract>/v1/….',
    ]);
    expect((await gateway.get('/d/5/v1/tokens')).status).toBe(404);
    expect((await gateway.get(`/d/${nameOf(base)}/metrics`)).status).toBe(404);
    expect((await gateway.get(`/d/${nameOf(base)}/v1/../metrics`)).status).toBe(404);
  });

  it('finds the deployment of the chain that a receipt names', async () => {
    one.json('/v1/receipts/8453/5', { data: {}, meta: {} });
    expect((await gateway.get('/v1/receipts/8453/5')).status).toBe(200);
    one.routes.set('/v1/lookups/receipts', (request, response) => {
      request.pipe(response.writeHead(200, { 'content-type': 'application/json' }));
    });
    const body = JSON.stringify({ chainId: 8453, saleIds: ['1'] });
    const response = await fetch(`${gateway.url}/v1/lookups/receipts`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.text()).toBe(body);
  });

  it('serves a typed client whose base URL is the deployment', async () => {
    one.sales(() => [{ id: 3, recordedAt: '2026-01-03T00:00:00.000Z' }]);
    const client = createClient({ baseUrl: `${gateway.url}/d/${nameOf(base)}` });
    const { data } = await client.receipts.recent();
    expect(data.items.map(({ saleId }) => saleId)).toEqual(['3']);
  });

  it('answers 503 with the name of a deployment that is away, and 500 if a write may have run', async () => {
    one.routes.set('/v1/orders', (_request, response) => response.destroy());
    const lost = await fetch(`${gateway.url}/d/8453/v1/orders`, { method: 'POST', body: '{}' });
    expect([lost.status, JSON.parse(await lost.text()).error.message]).toEqual([
      500,
      `${nameOf(base)} did not answer, so it is unknown whether this write took effect: read before you repeat it.`,
    ]);
    await one.stop();
    const { status, headers, body } = await gateway.get('/d/8453/v1/tokens', {
      origin: 'https://shop.example',
    });
    expect([status, body.error.code, body.error.issues[0].path]).toEqual([
      503,
      'NOT_READY',
      nameOf(base),
    ]);
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(headers.get('retry-after')).toBe('2');
    await one.start();
    const what = 'the deployment to be served again';
    await waitFor(async () => (await gateway.get('/d/8453/v1/tokens')).status === 200, { what });
  });
});

describe('the directory', () => {
  it('refuses two deployments that are the same, and one that is not the declared one', async () => {
    const [one, twin] = [await FakeDeployment.open(base), await FakeDeployment.open(base)];
    await expect(GatewayFixture.open([one, twin])).rejects.toThrow(
      `DEPLOYMENTS names ${nameOf(base)} twice: deployments 1 and 2.`,
    );
    const identity = { ...base, chainId: 1 };
    await expect(GatewayFixture.open([{ url: one.url, identity }])).rejects.toThrow(
      `declares deployment 1 as ${nameOf(identity)}, but ${nameOf(base)} answers there`,
    );
    await Promise.all([one.stop(), twin.stop()]);
  });

  it('serves nothing of a deployment that becomes another one', async () => {
    const one = await FakeDeployment.open(base);
    const gateway = await GatewayFixture.open([one]);
    const stolen = await FakeDeployment.open({ ...base, chainId: 1 });
    const status = stolen.routes.get('/v1/system/status');
    if (status) one.routes.set('/v1/system/status', status);
    const path = `/d/${nameOf(base)}/v1/tokens`;
    await waitFor(async () => (await gateway.get(path)).status === 503, { what: 'a refusal' });
    expect((await gateway.get(path)).body.error.message).toContain('Another deployment answers');
    expect((await gateway.get('/ready')).status).toBe(503);
    await gateway.close();
    await Promise.all([one.stop(), stolen.stop()]);
  });

  it('names a declared deployment that is away, and holds back 404 while one is unknown', async () => {
    const away = await FakeDeployment.open(base);
    await away.stop();
    const one = await FakeDeployment.open({ chainId: 10, contractAddress: contractOf('b') });
    const declared = await GatewayFixture.open([one, { url: away.url, identity: base }]);
    const { status, body } = await declared.get('/d/8453/v1/tokens');
    expect([status, body.error.issues[0].path]).toEqual([503, nameOf(base)]);
    expect((await declared.get('/d/5/v1/tokens')).status).toBe(404);
    await declared.close();
    const unknown = await GatewayFixture.open([one, away.url]);
    expect((await unknown.get('/d/8453/v1/tokens')).status).toBe(503);
    expect((await unknown.get('/ready')).status).toBe(200);
    expect((await unknown.get('/ready?strict=1')).status).toBe(503);
    await away.start();
    await waitFor(async () => (await unknown.get('/ready?strict=1')).status === 200, {
      what: 'the deployment to be found',
    });
    expect((await unknown.get('/d/5/v1/tokens')).status).toBe(404);
    await unknown.close();
    await Promise.all([one.stop(), away.stop()]);
  });
});

it('ends streams when it stops, so that their clients reconnect, and cuts what is incomplete', async () => {
  const one = await FakeDeployment.open(base);
  const gateway = await GatewayFixture.open([one]);
  one.routes.set('/v1/stream', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  });
  one.routes.set('/v1/tokens', (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{');
    setTimeout(() => response.destroy(), 50);
  });
  const cut = await fetch(`${gateway.url}/d/8453/v1/tokens`);
  await expect(cut.text()).rejects.toThrow('terminated');
  const response = await fetch(`${gateway.url}/d/8453/v1/stream`);
  const reader = response.body?.getReader();
  await reader?.read();
  await gateway.close();
  expect(await reader?.read()).toEqual({ done: true, value: undefined });
  await one.stop();
});
