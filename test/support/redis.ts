import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { spawnChild } from '../../engine/cli/stack/processes.ts';
import { readEnv } from '../../engine/env.ts';
import { waitFor } from './wait-for.ts';

/** A Redis of one test file. */
export type TestRedis = {
  readonly url: string;
  stop(): Promise<void>;
  /** Kills it hard and starts an empty one in its place; not where REDIS_URL names one. */
  replace: (() => Promise<void>) | undefined;
};

/** Whether there is a Redis to test with: REDIS_URL, or a `redis-server` on the PATH. */
export const redisAvailable =
  readEnv().redisUrl !== undefined ||
  spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

if (!redisAvailable) {
  console.warn('No redis-server on the PATH and no REDIS_URL: the Redis tests are skipped.');
}

/** Uses the Redis of REDIS_URL, or starts one on a free port, without persistence. */
export async function startTestRedis(): Promise<TestRedis> {
  const { redisUrl } = readEnv();
  if (redisUrl !== undefined) return { url: redisUrl, stop: async () => {}, replace: undefined };
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'tributary-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const start = async () => {
    const child = spawnChild({
      name: 'redis-server',
      command: 'redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir],
      logFile: join(dir, 'redis.log'),
    });
    await waitFor(() => answers(url), { what: 'redis-server to answer' });
    return child;
  };
  let server = await start();
  return {
    url,
    async replace() {
      await server.kill();
      server = await start();
    },
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
