import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { redisAvailable, startTestRedis, type TestRedis } from '../support/redis.ts';
import { Traffic } from '../support/traffic.ts';

describe.skipIf(!redisAvailable)('settlement with its queue on Redis', () => {
  let chain: TestChain;
  let redis: TestRedis;
  let traffic: Traffic;
  let onRedis: TestDeployment;
  let onPostgres: TestDeployment;

  beforeAll(async () => {
    [chain, redis] = await Promise.all([startTestChain(), startTestRedis()]);
    traffic = await Traffic.start(chain, 5);
    await traffic.play(30);
    onRedis = await TestDeployment.open(chain, { redisUrl: redis.url });
    onPostgres = await TestDeployment.open(chain);
    await Promise.all([onRedis.startIndexer(), onPostgres.startIndexer()]);
    onRedis.startWorker();
    onRedis.startWorker();
    onPostgres.startWorker();
  });

  afterAll(async () => {
    await onRedis?.close();
    await onPostgres?.close();
    await redis?.stop();
    await chain?.stop();
  });

  it('gives the ledger that PostgreSQL gives, though Redis dies and comes back empty', async () => {
    await onRedis.settledToHead();
    await traffic.play(15);
    await redis.replace?.();
    await traffic.play(15);
    await onRedis.settledToHead(90_000);
    await onPostgres.settledToHead();
    const [one, other] = [await dumpLedger(onRedis.pool), await dumpLedger(onPostgres.pool)];
    expect(one.discrepancy).toEqual([]);
    expect(differences(one, other)).toEqual([]);
  }, 180_000);
});
