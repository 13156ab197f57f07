import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rpcHealthReporter } from '../../engine/cli/report-rpc-health.ts';
import type { RpcHealth } from '../../engine/core/rpc-health.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { readWatch } from '../../engine/db/read/system/watch.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;
let rpcs: readonly RpcHealth[];
let now: number;
let lines: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 2 });
  await migrate(pool);
  await setIndexerSchema(pool, 'indexer_test');
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});
beforeEach(async () => {
  await pool`delete from ledger.rpc_health`;
  [now, lines] = [0, []];
});

function health(place: number, changes: Partial<RpcHealth> = {}): RpcHealth {
  return {
    ...{ place, state: 'ok', since: new Date(1_000), until: null },
    ...{ maxLogBlocks: null, disagreements: 0, lastDisagreement: null },
    ...changes,
  };
}

function reporter(part: 'indexer' | 'worker' = 'worker') {
  const log = {
    info: (_fields: object, line: string) => lines.push(line),
    warn: (_fields: object, line: string) => lines.push(`warning: ${line}`),
  };
  return rpcHealthReporter({ pool, part, log, read: () => rpcs, clock: () => now });
}

const stored = async () => (await readWatch(pool))?.rpcs ?? [];

it('stores what each part sees, and forgets a URL that is no longer configured', async () => {
  const lastDisagreement = { at: new Date(5_000), about: 'block 7' };
  const second = health(2, { maxLogBlocks: 800, disagreements: 3, lastDisagreement });
  rpcs = [health(1), second];
  await reporter('worker')();
  await reporter('indexer')();
  const found = await stored();
  expect(found.map(({ part, place }) => `${part} ${place}`)).toEqual([
    ...['indexer 1', 'indexer 2', 'worker 1', 'worker 2'],
  ]);
  expect(found[3]).toMatchObject({
    ...{ state: 'ok', since: new Date(1_000), maxLogBlocks: 800 },
    ...{ disagreements: 3, disagreedAt: new Date(5_000), disagreedAbout: 'block 7' },
  });
  rpcs = [health(1)];
  await reporter('worker')();
  expect(await stored()).toHaveLength(3);
});

it('keeps the start of a state that another process finds as well', async () => {
  rpcs = [health(1, { state: 'unreachable', since: new Date(1_000) })];
  await reporter()();
  rpcs = [health(1, { state: 'unreachable', since: new Date(9_000) })];
  await reporter()();
  expect(await stored()).toMatchObject([{ since: new Date(1_000) }]);
  rpcs = [health(1, { since: new Date(9_000) })];
  await reporter()();
  expect(await stored()).toMatchObject([{ state: 'ok', since: new Date(9_000) }]);
});

it('writes at a change and once a minute, and logs a line for each change of a state', async () => {
  const report = reporter();
  const writes: number[] = [];
  let before: number | undefined;
  for (; now <= 200_000; now += 1_000) {
    const isAway = now >= 30_000 && now < 100_000;
    rpcs = [health(1), health(2, isAway ? { state: 'rate-limited', since: new Date(30_000) } : {})];
    await report();
    const at = (await stored())[0]?.seenAt.getTime();
    if (at !== before) writes.push(now);
    before = at;
  }
  expect(writes).toEqual([0, 30_000, 90_000, 100_000, 160_000]);
  expect(lines).toEqual(['warning: RPC 2 of RPC_URL limits requests', 'RPC 2 of RPC_URL responds']);
});
