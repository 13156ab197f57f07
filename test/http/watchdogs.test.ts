import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { writeHeads } from '../../engine/db/heads.ts';
import { readWatch } from '../../engine/db/read/system/watch.ts';
import { writeFeederErrors } from '../../engine/db/write/feeder-errors.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('an alarm', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts, { finalized: 101 });
  });
  afterAll(() => fixture.close());

  async function ready(): Promise<{ status: number; reasons: unknown }> {
    const response = await fixture.app().request('/ready?strict=1');
    const body: unknown = await response.json();
    if (response.status === 200) return { status: 200, reasons: [] };
    return { status: response.status, reasons: ErrorBody.parse(body).error.issues };
  }

  it('makes the service not ready with a reason, appears in the status, and ends with its cause', async () => {
    expect(await ready()).toEqual({ status: 200, reasons: [] });
    const message = 'Block 104: the indexer does not have log 3 of transaction 0x12.';
    const error = { name: 'mismatch', blockNumber: 104, message } as const;
    await writeFeederErrors(fixture.pool, [error]);
    expect((await ready()).status).toBe(200);
    await fixture.pool`update ledger.feeder_error set since = since - interval '11 seconds'`;
    await writeFeederErrors(fixture.pool, [error]);
    expect(await ready()).toEqual({ status: 503, reasons: [{ path: 'indexer', message }] });
    const { data } = await fixture.client().system.status();
    expect(data).toMatchObject({ status: 'attention', alarms: [message] });
    await writeFeederErrors(fixture.pool, []);
    expect(await ready()).toEqual({ status: 200, reasons: [] });
  });

  it('starts again for another block, and keeps its start time for the same block', async () => {
    const error = { name: 'mismatch', blockNumber: 104, message: 'a' } as const;
    const since = async () =>
      (await readWatch(fixture.pool))?.feederErrors[0]?.since.getTime() ?? 0;
    await writeFeederErrors(fixture.pool, [error]);
    const first = await since();
    await writeFeederErrors(fixture.pool, [{ ...error, message: 'b' }]);
    expect(await since()).toBe(first);
    await writeFeederErrors(fixture.pool, [{ ...error, blockNumber: 105 }]);
    expect(await since()).toBeGreaterThan(first);
    await writeFeederErrors(fixture.pool, []);
  });

  it('counts the time that the first tick waited for the RPC, and shows it after 5 s', async () => {
    const message = 'The blockchain node does not respond.';
    const error = { name: 'rpc', blockNumber: null, message } as const;
    const status = async () => (await fixture.client().system.status()).data;
    await writeFeederErrors(fixture.pool, [error], 3_000);
    const first = await status();
    expect(first.alarms).toEqual([]);
    expect(Date.now() - Date.parse(first.chainSilentSince ?? '')).toBeGreaterThanOrEqual(3_000);
    await writeFeederErrors(fixture.pool, []);
    await writeFeederErrors(fixture.pool, [error], 5_000);
    expect((await status()).alarms).toEqual([message]);
    await writeFeederErrors(fixture.pool, []);
    expect((await status()).chainSilentSince).toBeNull();
  });

  it('measures a stall from the last progress, or from the block that is not reached', async () => {
    const { pool } = fixture;
    const heads = {
      indexerReady: true,
      chainNumber: 106,
      chainTimestamp: 1,
      indexedNumber: 106,
      settled: null,
      safeNumber: null,
      finalizedNumber: null,
    };
    const behind = async () => {
      const watch = await readWatch(pool);
      return [watch?.indexedBehindSince ?? null, watch?.settledBehindSince ?? null];
    };
    const settled = { number: 106, hash: '0x01', timestamp: 1 } as const;
    await writeHeads(pool, { ...heads, settled });
    expect(await behind()).toEqual([null, null]);
    await writeHeads(pool, { ...heads, settled, chainNumber: 108 });
    const [began] = await behind();
    expect(began).toBeInstanceOf(Date);
    // The chain moves on and the indexer does not: the clock runs on.
    await writeHeads(pool, { ...heads, settled, chainNumber: 109 });
    expect(await behind()).toEqual([began, null]);
    // The indexer moves: the clock begins again, and settlement's begins.
    await writeHeads(pool, { ...heads, settled, chainNumber: 109, indexedNumber: 107 });
    const [moved, waits] = await behind();
    expect(moved?.getTime()).toBeGreaterThan(began?.getTime() ?? 0);
    expect(waits).toBeInstanceOf(Date);
    await pool`update ledger.head set settled_behind_since = now() - interval '2 minutes'`;
    expect((await ready()).reasons).toEqual([
      {
        path: 'settlement',
        message: expect.stringMatching(
          /^The settled block has been 106 for 12\d s, and the indexed block is 107\.$/,
        ),
      },
    ]);
    await writeHeads(pool, { ...heads, settled });
    expect(await behind()).toEqual([null, null]);
  });

  it.each([
    {
      path: 'settlement',
      change: `update ledger.head set updated_at = now() - interval '61 seconds'`,
    },
    {
      path: 'settlement',
      change: `update ledger.cursor set stopped_at = now(), stopped_reason = 'gone' where campaign_id = 3`,
    },
    {
      path: 'audit',
      change: `insert into ledger.audit_finding (campaign_id, invariant, level, sentence)
        values (1, 'rewards add up', 1, 'They do not.')`,
    },
  ])('becomes not ready because of $path: $change', async ({ path, change }) => {
    await fixture.pool`update ledger.head set updated_at = now()`;
    await fixture.pool`update ledger.cursor set stopped_at = null, stopped_reason = null`;
    expect((await ready()).status).toBe(200);
    await fixture.pool.unsafe(change);
    const { status, reasons } = await ready();
    expect(status).toBe(503);
    expect(reasons).toMatchObject([{ path }]);
  });

  it('becomes not ready if the queue is unreachable or makes no progress', async () => {
    await fixture.pool`delete from ledger.audit_finding`;
    await fixture.pool`update ledger.head set updated_at = now()`;
    const away = fixture.app({ queueStats: () => Promise.reject(new Error('away')) });
    expect((await away.request('/ready?strict=1')).status).toBe(503);
    const queueStats = async () => ({ waiting: 2, active: 0, delayed: 0, oldestMs: 100_000 });
    expect((await fixture.app({ queueStats }).request('/ready?strict=1')).status).toBe(503);
    expect(
      (await fixture.app({ queueStats, stallSeconds: 200 }).request('/ready?strict=1')).status,
    ).toBe(200);
  });
});
