import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { writeHeads } from '../../engine/db/heads.ts';
import { readWatch } from '../../engine/db/read/watch.ts';
import { writeTroubles } from '../../engine/db/write/troubles.ts';
import { ApiBench } from './support/bench.ts';
import { tellStory } from './support/story.ts';

describe('an alarm', () => {
  let bench: ApiBench;

  beforeAll(async () => {
    bench = await ApiBench.open();
    await bench.settle(tellStory().chronicle.facts, { finalized: 101 });
  });
  afterAll(() => bench.close());

  async function ready(): Promise<{ status: number; reasons: unknown }> {
    const response = await bench.app().request('/ready?strict=1');
    const body: unknown = await response.json();
    if (response.status === 200) return { status: 200, reasons: [] };
    return { status: response.status, reasons: ErrorBody.parse(body).error.issues };
  }

  it('makes the service not ready with its reason, shows in the status, and goes with its cause', async () => {
    expect(await ready()).toEqual({ status: 200, reasons: [] });
    const message = 'Block 104: the indexer does not have log 3 of transaction 0x12.';
    const trouble = { name: 'mismatch', blockNumber: 104, message } as const;
    await writeTroubles(bench.pool, [trouble]);
    expect((await ready()).status).toBe(200);
    await bench.pool`update ledger.trouble set since = since - interval '11 seconds'`;
    await writeTroubles(bench.pool, [trouble]);
    expect(await ready()).toEqual({ status: 503, reasons: [{ path: 'indexer', message }] });
    const { data } = await bench.client().system.status();
    expect(data).toMatchObject({ status: 'attention', alarms: [message] });
    await writeTroubles(bench.pool, []);
    expect(await ready()).toEqual({ status: 200, reasons: [] });
  });

  it('about another block begins anew, and about the same keeps its time', async () => {
    const trouble = { name: 'mismatch', blockNumber: 104, message: 'a' } as const;
    const since = async () => (await readWatch(bench.pool))?.troubles[0]?.since.getTime() ?? 0;
    await writeTroubles(bench.pool, [trouble]);
    const first = await since();
    await writeTroubles(bench.pool, [{ ...trouble, message: 'b' }]);
    expect(await since()).toBe(first);
    await writeTroubles(bench.pool, [{ ...trouble, blockNumber: 105 }]);
    expect(await since()).toBeGreaterThan(first);
    await writeTroubles(bench.pool, []);
  });

  it('of a stall counts from the last move, or from the block that it does not come to', async () => {
    const { pool } = bench;
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
    // The indexer moves: the clock begins anew, and settlement's begins.
    await writeHeads(pool, { ...heads, settled, chainNumber: 109, indexedNumber: 107 });
    const [moved, waits] = await behind();
    expect(moved?.getTime()).toBeGreaterThan(began?.getTime() ?? 0);
    expect(waits).toBeInstanceOf(Date);
    await pool`update ledger.head set settled_behind_since = now() - interval '2 minutes'`;
    expect((await ready()).reasons).toEqual([
      {
        path: 'settlement',
        message: 'The settled block stands at 106 for 120 s, and the indexed one at 107.',
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
  ])('of $path makes it not ready: $change', async ({ path, change }) => {
    await bench.pool`update ledger.head set updated_at = now()`;
    await bench.pool`update ledger.cursor set stopped_at = null, stopped_reason = null`;
    expect((await ready()).status).toBe(200);
    await bench.pool.unsafe(change);
    const { status, reasons } = await ready();
    expect(status).toBe(503);
    expect(reasons).toMatchObject([{ path }]);
  });

  it('of the queue makes it not ready: away, or standing', async () => {
    await bench.pool`delete from ledger.audit_finding`;
    await bench.pool`update ledger.head set updated_at = now()`;
    const away = bench.app({ queueStats: () => Promise.reject(new Error('away')) });
    expect((await away.request('/ready?strict=1')).status).toBe(503);
    const queueStats = async () => ({ waiting: 2, active: 0, delayed: 0, oldestMs: 100_000 });
    expect((await bench.app({ queueStats }).request('/ready?strict=1')).status).toBe(503);
    expect(
      (await bench.app({ queueStats, stallSeconds: 200 }).request('/ready?strict=1')).status,
    ).toBe(200);
  });
});
