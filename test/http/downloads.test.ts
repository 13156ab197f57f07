import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Asset, addAsset } from '../../engine/db/commerce/assets.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { account } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';

/** As large as an image may be: much more than both ends of a connection buffer. */
const IMAGE_BYTES = 5 * 1024 * 1024;
const PER_ADDRESS = 16;

describe('files that are sent to readers', () => {
  let fixture: ApiFixture;
  let image: Asset;
  let opened = 0;
  const servers: ApiServer[] = [];
  const sockets: Socket[] = [];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await saveMerchant(fixture.pool, {
      id: 'mer_1',
      address: account(1),
      slug: 'one',
      name: 'One',
    });
    image = await stored('image-1', randomBytes(IMAGE_BYTES));
    const { files } = fixture.deps;
    const getStream = files.getStream.bind(files);
    files.getStream = async (key) => {
      opened += 1;
      return await getStream(key);
    };
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) await server.stop();
    opened = 0;
  });
  afterAll(() => fixture.close());

  async function stored(id: string, bytes: Uint8Array): Promise<Asset> {
    const asset: Asset = {
      id,
      merchantId: 'mer_1',
      productId: null,
      kind: 'image',
      key: `media/${id}`,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      contentType: 'image/png',
      extension: 'png',
      width: 1,
      height: 1,
    };
    await fixture.deps.files.put(asset.key, bytes);
    await addAsset(fixture.pool, asset, new Date());
    return asset;
  }

  async function serving(options: Partial<Parameters<typeof serveApi>[0]> = {}) {
    const server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1', ...options });
    servers.push(server);
    return server;
  }

  /** Asks for the image and reads no more than the first line of the answer, which it returns. */
  async function stalledReader(port: number, localAddress: string): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`GET /media/${image.id} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable');
    const head = String(socket.read(400) ?? socket.read());
    const retry = /retry-after: \d+/i.exec(head)?.[0] ?? '';
    return `${head.split('\r\n')[0]} ${retry}`.trim();
  }

  it('streams a file to a few readers of one address, refuses the others, and disconnects those that do not read', async () => {
    const server = await serving({ slowReaders: { stalledMs: 1_500, checkMs: 20 } });
    const answers: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const readers = Array.from({ length: 50 }, () => stalledReader(server.port, '127.0.0.1'));
      answers.push(...(await Promise.all(readers)));
    }
    const served = answers.filter((line) => line.startsWith('HTTP/1.1 200'));
    const refused = answers.filter((line) => line.startsWith('HTTP/1.1 429'));
    expect(served.length + refused.length).toBe(300);
    expect(refused.every((line) => /retry-after: \d+/i.test(line))).toBe(true);
    expect(refused.length).toBeGreaterThan(200);
    // Each file that was opened holds a chunk or two, and not all of itself.
    expect(opened).toBe(served.length);
    expect(server.readers.pendingBytes()).toBeLessThan(PER_ADDRESS * 1024 * 1024);

    // Somebody else is served all the while.
    const other = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    sockets.push(other);
    other.write(`GET /media/${image.id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let bytes = 0;
    for await (const chunk of other) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(IMAGE_BYTES);

    await waitFor(() => server.readers.disconnected >= PER_ADDRESS, { what: 'the stalled ones' });
    // Their places are free again.
    const url = `${server.url}/media/${image.id}`;
    const again = await waitFor(
      async () => {
        const response = await fetch(url);
        if (response.ok) return response;
        await response.arrayBuffer();
        return undefined;
      },
      { what: 'a place for a download' },
    );
    expect((await again.arrayBuffer()).byteLength).toBe(IMAGE_BYTES);
  });

  it('counts all addresses of an IPv6 network of 64 bits as one reader', async () => {
    const app = fixture.app({ downloadLimits: { perAddress: 2 } });
    const from = async (remoteAddress: string) => {
      const env = { incoming: { socket: { remoteAddress } } };
      return await app.request(`/media/${image.id}`, {}, env);
    };
    const first = await from('2001:db8::1');
    const second = await from('2001:db8::2');
    expect([first.status, second.status]).toEqual([200, 200]);
    const third = await from('2001:db8::3');
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await from('2001:db8:0:1::1')).status).toBe(200);
    // A reader that goes away gives its place back.
    await first.body?.cancel();
    await waitFor(async () => (await from('2001:db8::4')).status === 200, { what: 'a free place' });
  });

  it('limits the downloads of all addresses together', async () => {
    const app = fixture.app({ downloadLimits: { readers: 3 } });
    const statuses: number[] = [];
    for (const last of [1, 2, 3, 4]) {
      const env = { incoming: { socket: { remoteAddress: `10.0.0.${last}` } } };
      statuses.push((await app.request(`/media/${image.id}`, {}, env)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('disconnects a reader whose rate is below the minimum', async () => {
    const server = await serving({
      downloadLimits: { minBytesPerSecond: IMAGE_BYTES * 10, baseMs: 500 },
    });
    const socket = connect({ port: server.port, host: '127.0.0.1' }).on('error', () => {});
    sockets.push(socket);
    socket.write(`GET /media/${image.id} HTTP/1.1\r\nHost: x\r\n\r\n`);
    let bytes = 0;
    let ended = false;
    socket.on('close', () => {
      ended = true;
    });
    const drip = setInterval(() => {
      bytes += (socket.read(1_000) ?? Buffer.alloc(0)).length;
    }, 5);
    await waitFor(() => server.readers.pendingBytes() > 0, { what: 'bytes that wait' });
    await waitFor(() => server.readers.pendingBytes() === 0, { what: 'the end of the answer' });
    // What was on its way still arrives, and the file is not complete.
    for await (const chunk of socket) bytes += chunk.length;
    expect(ended || socket.destroyed).toBe(true);
    clearInterval(drip);
    expect(bytes).toBeLessThan(IMAGE_BYTES);
  });

  it('reads no file for HEAD, nor for a reader that has a cached copy', async () => {
    const app = fixture.app();
    const path = `/media/${image.id}`;
    const head = await app.request(path, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(IMAGE_BYTES));
    expect(head.headers.get('accept-ranges')).toBe('none');
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    const etag = head.headers.get('etag') ?? '';
    expect((await app.request(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(opened).toBe(0);
  });

  it('returns 404 if the storage has lost a file, and frees the reader’s slot', async () => {
    const lost = await stored('image-2', randomBytes(100));
    await fixture.deps.files.delete(lost.key);
    const app = fixture.app({ downloadLimits: { perAddress: 1 } });
    for (const _try of [1, 2, 3]) {
      expect((await app.request(`/media/${lost.id}`)).status).toBe(404);
    }
  });

  it('logs a link without its token', async () => {
    const lines: string[] = [];
    const { pino } = await import('pino');
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const app = fixture.app({ logger });
    await app.request('/downloads/token-of-a-file.x');
    await app.request('/reports/token-of-a-file.x');
    const text = lines.join('');
    expect(text).toContain('/downloads/…');
    expect(text).toContain('/reports/…');
    expect(text).not.toContain('token-of-a-file');
  });
});
