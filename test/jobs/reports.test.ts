import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeReport } from '../../engine/db/commerce/report-jobs.ts';
import { orderReport } from '../../engine/db/commerce/reports.ts';
import type { JobContext } from '../../engine/jobs/context.ts';
import { type JobQueue, openJobQueue } from '../../engine/jobs/queue.ts';
import { makeReport } from '../../engine/jobs/reports/make-report.ts';
import { stageReport } from '../../engine/jobs/reports/stage.ts';
import { pushStrandedReports } from '../../engine/jobs/reports/upkeep.ts';
import { startJobs } from '../../engine/jobs/worker.ts';
import { ApiBench } from '../http/support/bench.ts';
import { jobsOf } from '../http/support/jobs.ts';
import { tellStory } from '../http/support/story.ts';
import { account } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';

const goOn = () => new AbortController().signal;

describe('the making of a report', () => {
  let bench: ApiBench;
  let queue: JobQueue;
  let now = Date.UTC(2026, 0, 1);
  let count = 0;

  beforeAll(async () => {
    bench = await ApiBench.open({ clock: () => now });
    await bench.settle(tellStory().chronicle.facts);
    queue = await openJobQueue({
      redisUrl: undefined,
      databaseUrl: bench.databaseUrl,
      prefix: 'test',
    });
  });
  afterAll(async () => {
    await queue.close();
    await bench.close();
  });

  async function order(): Promise<string> {
    count += 1;
    const ordered = await orderReport(bench.pool, {
      id: `r${count}`,
      merchant: account(1_000),
      kind: 'sales',
      format: 'csv',
      range: null,
      campaignIds: [],
      createdAt: new Date(now),
    });
    if (ordered === undefined) throw new Error('no room for the report');
    return ordered.id;
  }

  async function state(id: string) {
    const [row] = await bench.pool<
      { status: string; attempt: number; rows: string | null; error: string | null }[]
    >`select status, attempt, rows, error from commerce.report where id = ${id}`;
    return row && { ...row };
  }

  /** A storage that fails so often before it works. */
  function failing(times: number): { context: JobContext; left: () => number } {
    let left = times;
    const files = new Proxy(bench.deps.files, {
      get: (target, name) => {
        if (name === 'moveFromFs' && left > 0) {
          left -= 1;
          return () => Promise.reject(new Error('the bucket is away'));
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { context: jobsOf(bench, { files }), left: () => left };
  }

  it('goes through the queue: what is pushed is ready soon', async () => {
    const worker = startJobs({
      ...jobsOf(bench),
      queue,
      concurrency: 2,
      pollMs: 1_000,
      chores: {},
    });
    const ids = [await order(), await order(), await order()];
    await Promise.all(ids.map((id) => queue.pushReport(id)));
    await waitFor(
      async () => (await Promise.all(ids.map(state))).every((one) => one?.status === 'ready'),
      { what: 'three reports' },
    );
    await worker.stop();
  });

  it('is done once, however many workers are told of it', async () => {
    const id = await order();
    const context = jobsOf(bench);
    await Promise.all(Array.from({ length: 4 }, () => makeReport(context, id, goOn())));
    await makeReport(context, id, goOn());
    expect(await state(id)).toEqual({ status: 'ready', attempt: 1, rows: '4', error: null });
    expect(context.logged).toEqual(['report made']);
  });

  it('is taken up again when its worker died, and not before', async () => {
    const id = await order();
    await takeReport(bench.pool, id, new Date(now), 30);
    const context = jobsOf(bench);
    now += 29_999;
    await makeReport(context, id, goOn());
    expect(await state(id)).toMatchObject({ status: 'running', attempt: 1 });
    await pushStrandedReports(context);
    expect(context.pushed).not.toContain(id);
    now += 1;
    await pushStrandedReports(context);
    expect(context.pushed).toContain(id);
    await makeReport(context, id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready', attempt: 2, rows: '4' });
  });

  it('is not handed over by a worker that lost it to another, whose file it leaves alone', async () => {
    const id = await order();
    const slow = new Proxy(bench.deps.files, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'moveFromFs') return typeof value === 'function' ? value.bind(target) : value;
        return async (from: string, to: string) => {
          await target.moveFromFs(from, to);
          now += 31_000;
          await makeReport(jobsOf(bench), id, goOn());
        };
      },
    });
    await makeReport(jobsOf(bench, { files: slow }), id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready', attempt: 2 });
    expect(await bench.deps.files.exists(`reports/${id}/1.csv`)).toBe(false);
    expect(await bench.deps.files.exists(`reports/${id}/2.csv`)).toBe(true);
  });

  it('is found again where the queue has forgotten it', async () => {
    const id = await order();
    const context = jobsOf(bench);
    now += 59_999;
    await pushStrandedReports(context);
    expect(context.pushed).not.toContain(id);
    now += 1;
    await pushStrandedReports(context);
    expect(context.pushed).toContain(id);
  });

  it('waits for another try where it failed, and fails for good after five', async () => {
    const id = await order();
    const { context } = failing(4);
    for (let tries = 1; tries <= 4; tries += 1) {
      await expect(makeReport(context, id, goOn())).rejects.toThrow('the bucket is away');
      expect(await state(id)).toMatchObject({ status: 'queued', attempt: tries, error: null });
    }
    await makeReport(context, id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready', attempt: 5 });

    const lost = await order();
    const broken = failing(5).context;
    for (let tries = 1; tries <= 5; tries += 1) {
      await expect(makeReport(broken, lost, goOn())).rejects.toThrow('the bucket is away');
    }
    await makeReport(broken, lost, goOn());
    expect(await state(lost)).toMatchObject({ status: 'failed', attempt: 5, rows: null });
    // What went wrong inside is in the log, and is not the merchant's to read.
    expect((await state(lost))?.error).not.toContain('bucket');
  });

  it('is left for another where its worker is told to stop, and leaves nothing behind', async () => {
    const before = await leftovers();
    const id = await order();
    const stop = new AbortController();
    stop.abort();
    await expect(makeReport(jobsOf(bench), id, stop.signal)).rejects.toThrow();
    expect(await state(id)).toMatchObject({ status: 'queued', error: null });
    await makeReport(jobsOf(bench), id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready' });
    expect(await leftovers()).toEqual(before);
  });

  it('asks for the next rows when the last are written: no more than a few batches wait', async () => {
    const path = join(tmpdir(), `tributary-batches-${process.pid}`);
    const columns = ['batch', 'row', 'text'].map((name) => ({ name, description: '' }));
    const waiting: number[] = [];
    const batches = async function* () {
      let asked = 0;
      for (let i = 0; i < 200; i += 1) {
        const rows = Array.from({ length: 500 }, (_, n) => [`${i}`, `${n}`, 'x'.repeat(200)]);
        waiting.push(asked - (await stat(path).catch(() => ({ size: 0 }))).size);
        asked += rows.map((row) => row.join().length + 2).reduce((a, b) => a + b);
        yield rows;
      }
    };
    const file = await stageReport(path, { columns, batches: batches(), format: 'csv' }, goOn());
    expect(file).toMatchObject({ rows: 100_000, size: (await stat(path)).size });
    await rm(path);
    expect(file.size).toBeGreaterThan(20_000_000);
    // A batch is 105 kB; a stream holds one of them beside those it is told to hold back.
    expect(Math.max(...waiting)).toBeLessThan(500_000);
  });
});

/** Temporary folders of reports. */
async function leftovers(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('tributary-report-')).sort();
}
