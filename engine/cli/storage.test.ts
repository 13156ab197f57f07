import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBucket } from '../../test/support/bucket.ts';
import { openStorage } from './storage.ts';

describe.each(['files', 'bucket'] as const)('storage in %s', (kind) => {
  let dataDir: string;
  let server: Server | undefined;
  let disk: Awaited<ReturnType<typeof openStorage>>;
  let objects: ReadonlyMap<string, Buffer> | undefined;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-storage-'));
    if (kind === 'files') {
      disk = await openStorage({ storage: undefined, dataDir });
      return;
    }
    const bucket = await startBucket();
    ({ server, objects } = bucket);
    disk = await openStorage({
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
