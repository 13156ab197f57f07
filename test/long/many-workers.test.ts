import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Indexed, indexHistory } from '../../bench/data/settle-database.ts';
import { runAtScale, type Scaled } from '../../bench/workers/run-at-scale.ts';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { redisAvailable, startTestRedis } from '../support/redis.ts';

/** `npm run bench -- --only workers` has 8 workers, 4 APIs and 10,000 campaigns. */
const HISTORY = { sales: 1_200, campaigns: 300, depth: 5, life: 'recorded' } as const;

describe('four workers while two APIs are read', () => {
  const server = inject('serverUrl');
  let indexed: Indexed;
  let alone: Scaled;

  beforeAll(async () => {
    indexed = await indexHistory(server, `test_many_workers_${process.pid}`, HISTORY);
    const one = { workers: 1, apis: 0, redisUrl: undefined, steps: 1 };
    alone = await runAtScale(server, indexed, one);
  }, 180_000);

  afterAll(async () => {
    if (indexed !== undefined) await dropDatabase(server, indexed.name);
  });

  const many = { workers: 4, apis: 2, steps: 6 };

  describe.each([
    { queue: 'PostgreSQL', isHere: true },
    { queue: 'Redis', isHere: redisAvailable },
  ])('with the queue on $queue', ({ queue, isHere }) => {
    let redis: Awaited<ReturnType<typeof startTestRedis>> | undefined;

    beforeAll(async () => {
      if (queue === 'Redis' && isHere) redis = await startTestRedis();
    });
    afterAll(() => redis?.stop());

    // Each run throws if a fact, a job or a campaign that is behind is left.
    it.runIf(isHere)(
      'settle each sale once',
      async () => {
        const scaled = await runAtScale(server, indexed, { ...many, redisUrl: redis?.url });
        expect(scaled.checksum).toBe(alone.checksum);
        expect(scaled.usage.map(({ lostLocks }) => lostLocks)).toEqual([0, 0, 0, 0]);
        expect(scaled.read?.requests).toBeGreaterThan(10);
      },
      180_000,
    );

    // Leadership and claims are in PostgreSQL whatever has the queue; test/long/redis.test.ts takes Redis away.
    it.runIf(queue === 'PostgreSQL')(
      'settle each sale once while two are paused, also the leader',
      async () => {
        const options = { ...many, redisUrl: undefined, pauses: true };
        const scaled = await runAtScale(server, indexed, options);
        expect(scaled.checksum).toBe(alone.checksum);
        // A leader counts as silent after ten seconds.
        expect(scaled.paused?.leaderMs).toBeGreaterThan(5_000);
      },
      240_000,
    );
  });
});
