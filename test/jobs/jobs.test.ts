import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import type { Chore } from '../../engine/jobs/chores.ts';
import { type JobsOptions, type JobsWorker, startJobs } from '../../engine/jobs/worker.ts';
import type { JobQueue } from '../../engine/queue/job-queue.ts';
import { openQueues, type Queues } from '../../engine/queue/queues.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { redisAvailable, startTestRedis, type TestRedis } from '../support/redis.ts';
import { waitFor } from '../support/wait-for.ts';

describe.each([
  { backend: 'postgres' as const, skip: false },
  { backend: 'redis' as const, skip: !redisAvailable },
])('background jobs on $backend', ({ backend, skip }) => {
  let database: TestDatabase;
  let redis: TestRedis | undefined;
  let pool: Pool;
  let folder: string;
  let queues: Queues;
  let queue: JobQueue;
  let now = Date.UTC(2026, 0, 1);
  const errors: string[] = [];

  beforeAll(async () => {
    if (skip) return;
    database = await createTestDatabase();
    if (backend === 'redis') redis = await startTestRedis();
    pool = openPool(database.url, { max: 10 });
    await migrate(pool);
    folder = await mkdtemp(join(tmpdir(), 'tributary-jobs-'));
    queues = await openQueues({
      redisUrl: redis?.url,
      databaseUrl: database.url,
      prefix: `test-jobs-${process.pid}`,
    });
    queue = queues.jobs;
  });
  beforeEach(async () => {
    errors.length = 0;
    if (!skip) await pool`truncate commerce.chore, commerce.report`;
  });
  afterAll(async () => {
    await queues?.close();
    await pool?.end();
    await redis?.stop();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true });
  });

  function start(chores: Readonly<Record<string, Chore>>, changes: Partial<JobsOptions> = {}) {
    const log = {
      info: () => {},
      warn: () => {},
      error: ({ err }: { err?: unknown }) => void errors.push(String(err)),
    };
    const files = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
    const options = { pool, files, queue, log, concurrency: 2, pollMs: 20, chores };
    return startJobs({ ...options, clock: () => now, ...changes });
  }

  const withWorkers = async (workers: JobsWorker[], act: () => Promise<void>) => {
    try {
      await act();
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  };

  it.skipIf(skip)('runs each due chore once, however many workers poll', async () => {
    const runs: number[] = [];
    const chores = { count: { everySeconds: 60, run: async () => void runs.push(now) } };
    const begun = now;
    await withWorkers([start(chores), start(chores), start(chores)], async () => {
      await waitFor(() => runs.length === 1, { what: 'the first turn' });
      now = begun + 59_999;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(runs).toHaveLength(1);
      now = begun + 60_000;
      await waitFor(() => runs.length === 2, { what: 'the second turn' });
    });
    expect(runs).toEqual([begun, begun + 60_000]);
  });

  it.skipIf(skip)(
    'records how each chore ended, and does not let a failing one block others',
    async () => {
      let done = 0;
      const chores = {
        bad: {
          everySeconds: 3_600,
          run: async () => {
            throw new Error('on purpose');
          },
        },
        good: {
          everySeconds: 1,
          run: async () => {
            done += 1;
          },
        },
      };
      await withWorkers([start(chores, { concurrency: 1 })], async () => {
        await waitFor(
          async () => {
            now += 1_000;
            const rows = await pool`select 1 from commerce.chore where error = 'on purpose'`;
            return rows.length === 1 && done >= 3;
          },
          { what: 'a failure, and three turns of the other' },
        );
      });
      const rows = await pool`
      select name, error, finished_at is not null as finished from commerce.chore order by name`;
      expect([...rows]).toEqual([
        { name: 'bad', error: 'on purpose', finished: true },
        { name: 'good', error: null, finished: true },
      ]);
      expect(errors).toContain('Error: on purpose');
    },
  );

  it.skipIf(skip)('retries a job that failed', { timeout: 30_000 }, async () => {
    let tries = 0;
    const chores = {
      shaky: {
        everySeconds: 86_400,
        run: async () => {
          tries += 1;
          if (tries === 1) throw new Error('not yet');
        },
      },
    };
    await withWorkers([start(chores)], async () => {
      await waitFor(() => tries === 2, { what: 'the second try', timeout: 20_000 });
    });
    await waitFor(
      async () => (await pool`select 1 from commerce.chore where error is null`).length === 1,
      { what: 'the note that it went well' },
    );
  });

  it.skipIf(skip)('skips a chore that only another version of the worker knows', async () => {
    const warned: string[] = [];
    const log = {
      info: () => {},
      warn: (_: object, message: string) => void warned.push(message),
      error: () => {},
    };
    await withWorkers([start({}, { log })], async () => {
      await queue.pushChore('of-tomorrow');
      await waitFor(() => warned.length === 1, { what: 'the warning' });
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
