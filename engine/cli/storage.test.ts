import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from './storage.ts';

/** As much of S3 as our storage speaks: objects by path, signed by whom we are. */
async function startBucket() {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://s3.test').pathname);
    const body = await buffer(request);
    if (!request.headers.authorization?.includes('Credential=the-key/')) {
      return response.writeHead(403).end();
    }
    if (request.headers['content-encoding'] === 'aws-chunked') return response.writeHead(501).end();
    if (request.method === 'PUT') {
      objects.set(path, body);
      return response.writeHead(200, { etag: '"1"' }).end();
    }
    const found = objects.get(path);
    if (request.method === 'DELETE') {
      objects.delete(path);
      return response.writeHead(204).end();
    }
    if (found === undefined) {
      const code = '<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>';
      return response.writeHead(404, { 'content-type': 'application/xml' }).end(code);
    }
    const length = String(found.length);
    return response.writeHead(200, { 'content-length': length }).end(found);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the bucket has no port');
  return { server, objects, endpoint: `http://127.0.0.1:${address.port}` };
}

describe.each(['files', 'bucket'] as const)('storage in %s', (kind) => {
  let dataDir: string;
  let server: Server | undefined;
  let disk: ReturnType<typeof openStorage>;
  let objects: ReadonlyMap<string, Buffer> | undefined;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-storage-'));
    if (kind === 'files') {
      disk = openStorage({ storage: undefined, dataDir });
      return;
    }
    const bucket = await startBucket();
    ({ server, objects } = bucket);
    disk = openStorage({
      dataDir,
      storage: {
        bucket: 'shop',
        region: 'eu-north-1',
        endpoint: bucket.endpoint,
        accessKeyId: 'the-key',
        secretAccessKey: 'the-secret',
      },
    });
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('returns stored bytes until they are deleted', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0, 128]);
    await disk.put('media/a', bytes);
    expect(Buffer.from(await disk.getBytes('media/a'))).toEqual(bytes);
    await disk.putStream('reports/b', Readable.from([bytes, bytes]), {
      contentLength: 2 * bytes.length,
    });
    expect(await buffer(await disk.getStream('reports/b'))).toEqual(Buffer.concat([bytes, bytes]));
    if (objects) expect([...objects.keys()].sort()).toEqual(['/shop/media/a', '/shop/reports/b']);
    await disk.delete('media/a');
    await expect(disk.getBytes('media/a')).rejects.toThrow();
  });
});
