/**
 * How much memory a report of a million rows takes, out of a real ledger, through the job that makes
 * it: `npx tsx --expose-gc bench/report-memory.ts`. The figure is in docs/operate/run.md.
 */
import { join } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { createDatabase } from '../engine/cli/stack/database.ts';
import { orderReport } from '../engine/db/commerce/reports.ts';
import { openPool } from '../engine/db/connection.ts';
import { migrate } from '../engine/db/migrate.ts';
import { makeReport } from '../engine/jobs/reports/make-report.ts';
import { fillManySales } from '../test/http/support/many-sales.ts';
import { account } from '../test/support/history.ts';
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts';

const ROWS = 1_000_000;
const MERCHANT = account(1);

const postgres = await startTemporaryPostgres('bench', false);
const pool = openPool(await createDatabase(postgres.url, 'reports'), { max: 4 });
try {
  await migrate(pool);
  await fillManySales(pool, { merchant: MERCHANT, sales: ROWS });
  const files = new Disk(
    new FSDriver({ location: join(postgres.dataDir, 'files'), visibility: 'private' }),
  );
  const silent = () => {};
  const context = {
    pool,
    files,
    queue: { pushReport: async () => {}, pushChore: async () => {} },
    log: { info: silent, warn: silent, error: silent },
    clock: Date.now,
  };
  const table: Record<string, object> = {};
  for (const format of ['csv', 'json'] as const) {
    const id = `sales-${format}`;
    const order = { id, merchant: MERCHANT, kind: 'sales' as const, format };
    const all = { range: null, campaignIds: [], createdAt: new Date() };
    await orderReport(pool, { ...order, ...all });
    globalThis.gc?.();
    const before = process.memoryUsage();
    let heap = 0;
    let rss = 0;
    const watch = setInterval(() => {
      const used = process.memoryUsage();
      heap = Math.max(heap, used.heapUsed);
      rss = Math.max(rss, used.rss);
    }, 20);
    const begun = performance.now();
    await makeReport(context, id, new AbortController().signal);
    clearInterval(watch);
    const [made] = await pool<{ rows: string; size: string; status: string }[]>`
      select rows, size, status from commerce.report where id = ${id}`;
    table[id] = {
      ...made,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      'heap before, MB': megabytes(before.heapUsed),
      'heap at most, MB': megabytes(heap),
      'rss before, MB': megabytes(before.rss),
      'rss at most, MB': megabytes(rss),
    };
  }
  console.table(table);
} finally {
  await pool.end();
  await postgres.remove();
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
