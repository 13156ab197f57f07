import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../db/connection.ts';
import { canConnect, createDatabase, dropDatabase } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { serverSettings } from './postgres-settings.ts';

const MIB = 2 ** 20;

let dataDir: string;
const running: Postgres[] = [];

// Most of the time of a first start is `initdb`: the tests start in one folder, one after the other.
beforeAll(async () => {
  dataDir = await newFolder();
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-postgres-'));
  await chmod(folder, 0o755);
  return folder;
}

async function start(folder = dataDir): Promise<Postgres> {
  const server = await startPostgres({ dataDir: folder, durable: false });
  running.push(server);
  return server;
}

test('finds the databases of the first start at a second start', async () => {
  const first = await start();
  const sql = openPool(await createDatabase(first.url, 'restarted'), { max: 1 });
  await sql`CREATE TABLE note AS SELECT 'restarted' AS text`;
  await sql.end();
  await first.stop();
  expect(await canConnect(first.url)).toBe(false);

  const second = await start();
  const again = openPool(await createDatabase(second.url, 'restarted'), { max: 1 });
  expect([...(await again`SELECT text FROM note`)]).toEqual([{ text: 'restarted' }]);
  await again.end();
});

test('ends when it is stopped, so that nothing has to wait for it any more', async () => {
  const server = await start();
  await server.stop();
  const later = new Promise((resolve) => setImmediate(resolve, 'not yet'));
  expect(await Promise.race([server.exited, later])).toEqual({ code: null, signal: null });
});

test('uses a server that a killed start left running', async () => {
  const left = await start();
  const taken = await start();
  expect(taken.port).toBe(left.port);
  await taken.stop();
  expect(await canConnect(left.url)).toBe(false);
});

test('provides enough connections and UTF-8, and requires the password', async () => {
  const server = await start();
  const sql = openPool(server.url, { max: 1 });
  const [found] = await sql`
    SELECT current_setting('max_connections') AS connections,
           current_setting('server_encoding') AS encoding, lower('ÄΩ') AS lower`;
  await sql.end();
  expect(found).toEqual({ connections: '200', encoding: 'UTF8', lower: 'äω' });
  const stranger = new URL(server.url);
  stranger.password = 'guess';
  expect(await canConnect(stranger.href)).toBe(false);
  expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o077).toBe(0);
  expect(server.url).toContain((await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim());
});

test('uses more memory and log than the defaults if commits wait for the disk', async () => {
  const server = await startPostgres({ dataDir });
  running.push(server);
  const sql = openPool(server.url, { max: 1 });
  const [found] = await sql`
    SELECT current_setting('fsync') AS fsync, current_setting('max_wal_size') AS log,
           pg_size_bytes(current_setting('shared_buffers')) / 1048576 || 'MB' AS buffers`;
  await sql.end();
  const { shared_buffers: buffers } = serverSettings(true);
  expect(found).toEqual({ fsync: 'on', log: '4GB', buffers });
});

test.each([
  [256 * MIB, '128MB'],
  [3_000 * MIB, '750MB'],
  [64_000 * MIB, '2048MB'],
])('uses a quarter of %d bytes of memory, within bounds: %s', (memory, buffers) => {
  expect(serverSettings(true, memory).shared_buffers).toBe(buffers);
});

test('creates a database once, and drops it while it has connections', async () => {
  const server = await start();
  const url = await createDatabase(server.url, 'twice');
  expect(await createDatabase(server.url, 'twice')).toBe(url);
  const user = openPool(url, { max: 1 });
  await user`SELECT 1`;
  await dropDatabase(server.url, 'twice');
  await dropDatabase(server.url, 'twice');
  expect(await canConnect(url)).toBe(false);
  await user.end({ timeout: 1 });
});

test.runIf(process.getuid?.() === 0)(
  'below a folder that only root can enter, it keeps its files in /var/tmp',
  async () => {
    const hidden = await newFolder();
    await chmod(hidden, 0o700);
    const server = await start(hidden);
    const sql = openPool(server.url, { max: 1 });
    const [found] = await sql<{ folder: string }[]>`
      SELECT current_setting('data_directory') AS folder`;
    await sql.end();
    expect(found?.folder).toMatch(/^\/var\/tmp\/tributary-[0-9a-f]{12}\/data$/);
    await server.stop();
    await rm(join(found?.folder ?? '', '..'), { recursive: true });
    await rm(hidden, { recursive: true });
  },
);
