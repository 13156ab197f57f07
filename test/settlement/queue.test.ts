import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueWorker } from '../../engine/queue/bull.ts';
import { openQueue, type SettleQueue } from '../../engine/queue/settle-queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { redisAvailable, startTestRedis, type TestRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';

describe.each([
  { backend: 'postgres' as const, skip: false },
  { backend: 'redis' as const, skip: !redisAvailable },
])('the queue on $backend', ({ backend, skip }) => {
  let database: TestDatabase;
  let redis: TestRedis | undefined;
  let prefixes = 0;

  beforeAll(async () => {
    if (skip) return;
    database = await createTestDatabase();
    if (backend === 'redis') redis = await startTestRedis();
  });

  afterAll(async () => {
    await redis?.stop();
    await database?.drop();
  });

  async function withQueue(use: (queue: SettleQueue) => Promise<void>): Promise<void> {
    prefixes += 1;
    const queue = await openQueue({
      redisUrl: redis?.url,
      databaseUrl: database.url,
      prefix: `test-${process.pid}-${prefixes}`,
    });
    try {
      expect(queue.backend).toBe(backend);
      await use(queue);
    } finally {
      await queue.close();
    }
  }

  it.skipIf(skip)('hands out a campaign once however often it was pushed while it waited', () =>
    withQueue(async (queue) => {
      await queue.push([['1'], ['2']]);
      await queue.push([['1']]);
      await queue.push([['2'], ['1'], ['3']]);
      const seen: string[] = [];
      const worker = start(queue, async (campaignIds) => void seen.push(...campaignIds));
      await waitFor(() => seen.length >= 3, { what: 'three campaigns' });
      await idle(queue);
      expect(seen.sort()).toEqual(['1', '2', '3']);
      await worker.close();
    }),
  );

  it.skipIf(skip)('hands out campaigns that were pushed together in one job', () =>
    withQueue(async (queue) => {
      await queue.push([['1', '2', '3'], ['4']]);
      await queue.push([['1', '2', '3']]);
      const seen: string[] = [];
      const worker = start(queue, async (campaignIds) => void seen.push(campaignIds.join()));
      await waitFor(() => seen.length >= 2, { what: 'two jobs' });
      await idle(queue);
      expect(seen.sort()).toEqual(['1,2,3', '4']);
      await worker.close();
    }),
  );

  it.skipIf(skip)('returns how long its oldest job has waited if no worker takes it', () =>
    withQueue(async (queue) => {
      expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
      await queue.push([['1']]);
      await waitFor(async () => ((await queue.counts()).oldestMs ?? 0) >= 300, { what: '300 ms' });
      await queue.push([['2']]);
      const { waiting, oldestMs } = await queue.counts();
      expect(waiting).toBe(2);
      expect(oldestMs).toBeGreaterThanOrEqual(300);
      const worker = start(queue, async () => {});
      await idle(queue);
      await worker.close();
    }),
  );

  it.skipIf(skip)('hands out a campaign again whose worker does not end its job', () =>
    withQueue(async (queue) => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      let runs = 0;
      const handle = async () => {
        runs += 1;
        if (runs === 1) await ended;
      };
      const workers = [start(queue, handle), start(queue, handle)];
      await queue.push([['7']]);
      await waitFor(() => runs === 1, { what: 'the first run' });
      await queue.push([['7']]);
      await waitFor(() => runs === 2, { what: 'the second run' });
      end();
      await idle(queue);
      expect(runs).toBe(2);
      await Promise.all(workers.map((worker) => worker.close()));
    }),
  );

  it.skipIf(skip)('lets a job that fails block neither its campaign nor any other', () =>
    withQueue(async (queue) => {
      const seen: string[] = [];
      const errors: string[] = [];
      const worker = queue.work(
        async ({ campaignIds }) => {
          seen.push(...campaignIds);
          if (campaignIds.includes('bad')) throw new Error('on purpose');
        },
        { concurrency: 1, onError: (error) => errors.push(error.message) },
      );
      await queue.push([['bad'], ['good']]);
      await waitFor(() => seen.includes('good') && errors.length === 1, { what: 'both jobs' });
      await idle(queue);
      await queue.push([['bad']]);
      await waitFor(() => errors.length === 2, { what: 'the failed campaign again' });
      expect(errors).toEqual(['on purpose', 'on purpose']);
      await worker.close();
    }),
  );
});

function start(
  queue: SettleQueue,
  handle: (campaignIds: readonly string[]) => Promise<void>,
): QueueWorker {
  return queue.work(({ campaignIds }) => handle(campaignIds), {
    concurrency: 4,
    onError: (error) => expect.fail(error.message),
  });
}

async function idle(queue: SettleQueue): Promise<void> {
  await waitFor(
    async () => {
      const { waiting, active, delayed } = await queue.counts();
      return waiting + active + delayed === 0;
    },
    { what: 'the queue to be empty' },
  );
}
