import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../engine/db/connection.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a job whose lock expires while it runs', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  it('reports the lost lock once, and no error', async () => {
    const queue = await openQueue({
      redisUrl: undefined,
      databaseUrl: database.url,
      prefix: 'test',
    });
    const pool = openPool(database.url, { max: 1 });
    const lost: string[] = [];
    const errors: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const worker = queue.work(() => ended, {
      concurrency: 1,
      onError: (error) => errors.push(error.message),
      onLostLock: (jobId) => lost.push(jobId),
    });
    await queue.push([['7']]);
    await waitFor(async () => (await queue.counts()).active === 1, { what: 'the job' });
    // As if another worker had taken over: the job is another one's.
    await pool`update queue.job set lock_token = 'another worker' where state = 'active'`;
    await waitFor(() => lost.length > 0, { what: 'the lost lock' });
    end();
    await setTimeout(500);
    expect(errors).toEqual([]);
    expect(lost).toHaveLength(1);
    await worker.close();
    await queue.close();
    await pool.end();
  });
});
