import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameOf } from '../../engine/gateway/identity.ts';
import { waitFor } from '../support/wait-for.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { GatewayFixture } from './gateway-fixture.ts';

const identity = { chainId: 8453, contractAddress: `0x${'a'.repeat(40)}` } as const;
const base = `/d/${nameOf(identity)}/v1`;

/** One address may have four requests, and the deployment six. */
const limits = { maxPassed: 6, maxPassedPerAddress: 4 };

describe('a client of a gateway that sends requests without an end', () => {
  let fake: FakeDeployment;
  let gateway: GatewayFixture;
  let sockets: Socket[];

  beforeEach(async () => {
    sockets = [];
    fake = await FakeDeployment.open(identity);
    fake.json('/v1/tokens', { data: { items: [] }, meta: {} });
    gateway = await GatewayFixture.open([fake], { limits, trustedProxies: 1 });
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway?.close();
    await fake?.stop();
  });

  /** Status of a read by a client with an address. */
  async function read(address: string): Promise<number> {
    return (await gateway.get(`${base}/tokens`, { 'x-forwarded-for': address })).status;
  }

  /** Sends the headers of a POST and the beginning of its body; the rest never comes. */
  async function post(path: string, address: string, begin = ''): Promise<Socket> {
    const { port, hostname } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    await once(socket, 'connect');
    const head = `POST ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-length: 200000\r\n`;
    socket.write(`${head}x-forwarded-for: ${address}\r\n\r\n${begin}`);
    return socket;
  }

  /** Opens as many idle requests as one address may have, and one more, which waits for its refusal. */
  async function fill(address: string, path: string): Promise<void> {
    const all = [];
    for (let count = 0; count <= limits.maxPassedPerAddress; count += 1) {
      all.push(await post(path, address));
    }
    const [first] = await Promise.race(all.map((socket) => once(socket, 'data')));
    expect(String(first)).toMatch(/^HTTP\/1.1 429 /);
    expect(await read(address)).toBe(429);
  }

  it.each([`${base}/orders`, `${base}/stream`])(
    'leaves room for others that post to %s',
    async (path) => {
      // Twice as many as the deployment may have: they take nothing of it before their bodies arrive.
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3'])
        await fill(address, path);
      expect(await read('203.0.113.4')).toBe(200);
      expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true);
    },
  );

  it('gets an error that names the limit, and is served again when it has left', async () => {
    await fill('203.0.113.1', `${base}/orders`);
    const { status, headers, body } = await gateway.get(`${base}/tokens`, {
      'x-forwarded-for': '203.0.113.1',
      origin: 'https://shop.example',
    });
    expect([status, body.error.message]).toEqual([
      429,
      'Too many requests to this deployment from this address: at most 4 may be open.',
    ]);
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await read('203.0.113.1')) === 200, { what: 'room' });
    // Nothing of them remains counted: as many as before fit.
    await fill('203.0.113.1', `${base}/orders`);
  });

  it('leaves room for others if the deployment gets long bodies that stop', async () => {
    const begin = 'x'.repeat(100_000);
    fake.routes.set('/v1/merchant/media', () => {});
    for (let count = 0; count < 4; count += 1) {
      await post(`${base}/merchant/media`, '203.0.113.1', begin);
    }
    const uploads = () => fake.requests.filter(({ method }) => method === 'POST').length;
    await waitFor(() => uploads() === 4, { what: 'the uploads' });
    expect(await read('203.0.113.1')).toBe(429);
    expect(await read('203.0.113.2')).toBe(200);
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await read('203.0.113.1')) === 200, { what: 'room' });
  });

  it('counts a request until its response has ended', async () => {
    const ends: (() => void)[] = [];
    fake.routes.set('/v1/campaigns', (_request, response) => {
      response.writeHead(200).write('{');
      ends.push(() => response.end('}'));
    });
    const headers = { 'x-forwarded-for': '203.0.113.1' };
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => fetch(`${gateway.url}${base}/campaigns`, { headers })),
    );
    expect(await read('203.0.113.1')).toBe(429);
    expect(await read('203.0.113.2')).toBe(200);
    for (const end of ends) end();
    for (const response of responses) expect(await response.text()).toBe('{}');
    await waitFor(async () => (await read('203.0.113.1')) === 200, { what: 'room' });
  });

  it('leaves the deployment up if its requests fail', async () => {
    fake.routes.set('/v1/merchant/media', (request) => request.resume());
    fake.routes.set('/v1/orders', (_request, response) => response.destroy());
    const url = `${gateway.url}${base}`;
    for (let count = 0; count < 4; count += 1) {
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
      });
      const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
      expect((await fetch(`${url}/merchant/media`, init)).status).toBe(413);
      expect((await fetch(`${url}/orders`, { method: 'POST', body: '{}' })).status).toBe(500);
      expect(gateway.directory.all[0]?.state).toBe('up');
    }
  });
});
