import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { takeReport } from '../../engine/db/commerce/report-jobs.ts';
import { deleteReport, findReport, orderReport } from '../../engine/db/commerce/reports.ts';
import type { JobContext } from '../../engine/jobs/context.ts';
import { makeReport } from '../../engine/jobs/reports/make-report.ts';
import { stageReport } from '../../engine/jobs/reports/stage.ts';
import { pushStrandedReports, removeDeletedReports } from '../../engine/jobs/reports/upkeep.ts';
import { startJobs } from '../../engine/jobs/worker.ts';
import type { JobQueue } from '../../engine/queue/job-queue.ts';
import { openQueues, type Queues } from '../../engine/queue/queues.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { jobsOf } from '../http/support/jobs.ts';
import { smallHistory } from '../http/support/small-history.ts';
import { account } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';

const goOn = () => new AbortController().signal;

describe('the making of a report', () => {
  let fixture: ApiFixture;
  let queues: Queues;
  let queue: JobQueue;
  let now = Date.UTC(2026, 0, 1);
  let count = 0;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    await fixture.settle(smallHistory().history.facts);
    queues = await openQueues({
      redisUrl: undefined,
      databaseUrl: fixture.databaseUrl,
      prefix: 'test',
    });
    queue = queues.jobs;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await queues.close();
    await fixture.close();
  });

  async function order(): Promise<string> {
    count += 1;
    const ordered = await orderReport(fixture.pool, {
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
    const [row] = await fixture.pool<
      { status: string; attempt: number; rows: string | null; error: string | null }[]
    >`select status, attempt, rows, error from commerce.report where id = ${id}`;
    return row && { ...row };
  }

  /** A storage that fails so often before it works. */
  function failing(times: number): { context: JobContext; left: () => number } {
    let left = times;
    const files = new Proxy(fixture.deps.files, {
      get: (target, name) => {
        if (name === 'moveFromFs' && left > 0) {
          left -= 1;
          return () => Promise.reject(new Error('the bucket is away'));
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { context: jobsOf(fixture, { files }), left: () => left };
  }

  it('makes a report that was queued', async () => {
    const worker = startJobs({
      ...jobsOf(fixture),
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

  it('makes a report once, however many workers receive the job', async () => {
    const id = await order();
    const context = jobsOf(fixture);
    await Promise.all(Array.from({ length: 4 }, () => makeReport(context, id, goOn())));
    await makeReport(context, id, goOn());
    expect(await state(id)).toEqual({ status: 'ready', attempt: 1, rows: '4', error: null });
    expect(context.logged).toEqual(['report made']);
  });

  it('retries a report after its worker died, and not before', async () => {
    const id = await order();
    await takeReport(fixture.pool, id, new Date(now), 30);
    const context = jobsOf(fixture);
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

  /** A storage that does something after it has stored a file. */
  function afterStoring(act: () => Promise<unknown>): JobContext['files'] {
    return new Proxy(fixture.deps.files, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'moveFromFs') return typeof value === 'function' ? value.bind(target) : value;
        return async (from: string, to: string) => {
          await target.moveFromFs(from, to);
          await act();
        };
      },
    });
  }

  const remove = async (id: string) =>
    await deleteReport(fixture.pool, account(1_000), id, new Date(now));

  it('deletes the file that a worker has made of a report that was deleted meanwhile', async () => {
    const id = await order();
    const files = afterStoring(() => remove(id));
    const context = jobsOf(fixture, { files });
    await makeReport(context, id, goOn());
    expect(context.logged).toEqual([]);
    expect(await state(id)).toMatchObject({ status: 'deleted', rows: null });
    expect(await fixture.deps.files.exists(`reports/${id}/1.csv`)).toBe(false);
    expect(await findReport(fixture.pool, account(1_000), id, new Date(now))).toBeUndefined();
  });

  it('gives no deleted report to a worker, and does not queue it again', async () => {
    const id = await order();
    await remove(id);
    now += 61_000;
    const context = jobsOf(fixture);
    await pushStrandedReports(context);
    expect(context.pushed).not.toContain(id);
    await makeReport(context, id, goOn());
    expect(await state(id)).toMatchObject({ status: 'deleted', attempt: 0 });
  });

  it('leaves a report deleted if its worker fails after that', async () => {
    const id = await order();
    const files = afterStoring(async () => {
      await remove(id);
      throw new Error('the bucket is away');
    });
    await expect(makeReport(jobsOf(fixture, { files }), id, goOn())).rejects.toThrow('the bucket');
    expect(await state(id)).toMatchObject({ status: 'deleted', error: null });
  });

  it('deletes what a worker that died left of a deleted report, an hour later', async () => {
    const id = await order();
    await takeReport(fixture.pool, id, new Date(now), 30);
    await remove(id);
    const { files } = fixture.deps;
    // Stored after the report was deleted, by a worker that then died.
    await files.put(`reports/${id}/1.csv`, 'soldAt');
    now += 3_599_999;
    await removeDeletedReports(jobsOf(fixture));
    expect(await state(id)).toMatchObject({ status: 'deleted' });
    now += 1;
    await removeDeletedReports(jobsOf(fixture));
    expect(await state(id)).toBeUndefined();
    expect(await files.exists(`reports/${id}/1.csv`)).toBe(false);
  });

  it('leaves a report that another worker has taken over, and its file, alone', async () => {
    const id = await order();
    const slow = afterStoring(async () => {
      now += 31_000;
      await makeReport(jobsOf(fixture), id, goOn());
    });
    await makeReport(jobsOf(fixture, { files: slow }), id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready', attempt: 2 });
    expect(await fixture.deps.files.exists(`reports/${id}/1.csv`)).toBe(false);
    expect(await fixture.deps.files.exists(`reports/${id}/2.csv`)).toBe(true);
  });

  it('queues a report again that the queue has lost', async () => {
    const id = await order();
    const context = jobsOf(fixture);
    now += 59_999;
    await pushStrandedReports(context);
    expect(context.pushed).not.toContain(id);
    now += 1;
    await pushStrandedReports(context);
    expect(context.pushed).toContain(id);
  });

  it('retries a report that failed, and gives up after five attempts', async () => {
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

  it('leaves a report for another worker when its worker stops, and leaves no file behind', async () => {
    // A folder of its own: other tests make reports in the common one.
    const folder = await mkdtemp(join(tmpdir(), 'tributary-leftovers-'));
    vi.stubEnv('TMPDIR', folder);
    const id = await order();
    const stop = new AbortController();
    stop.abort();
    await expect(makeReport(jobsOf(fixture), id, stop.signal)).rejects.toThrow();
    expect(await state(id)).toMatchObject({ status: 'queued', error: null });
    await makeReport(jobsOf(fixture), id, goOn());
    expect(await state(id)).toMatchObject({ status: 'ready' });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('reads the next rows when the last are written, so that only a few batches are in memory', async () => {
    const path = join(tmpdir(), `tributary-batches-${process.pid}`);
    const columns = ['batch', 'row', 'text'].map((name) => ({ name, description: '' }));
    const waiting: number[] = [];
    const batches = async function* () {
      let requests = 0;
      for (let i = 0; i < 200; i += 1) {
        const rows = Array.from({ length: 500 }, (_, n) => [`${i}`, `${n}`, 'x'.repeat(200)]);
        waiting.push(requests - (await stat(path).catch(() => ({ size: 0 }))).size);
        requests += rows.map((row) => row.join().length + 2).reduce((a, b) => a + b);
        yield rows;
      }
    };
    const file = await stageReport(path, { columns, batches: batches(), format: 'csv' }, goOn());
    expect(file).toMatchObject({ rows: 100_000, size: (await stat(path)).size });
    await rm(path);
    expect(file.size).toBeGreaterThan(20_000_000);
    // A batch is 105 kB; a stream holds one in addition to those up to its high-water mark.
    expect(Math.max(...waiting)).toBeLessThan(500_000);
  });
});
