import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that the slowest files take alone on two cores. The browser test that is the first of them
 * starts the site as well.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'test/long/operate.test.ts': 600,
  'test/long/many-workers.test.ts': 240,
  'test/long/reindex.test.ts': 120,
  'test/long/upgrade.test.ts': 100,
  'test/long/public-chain.test.ts': 100,
  'test/long/backup.test.ts': 120,
  'test/cli/backup.test.ts': 90,
  'test/long/alerts.test.ts': 120,
  'test/long/start.test.ts': 60,
  'test/long/outage.test.ts': 60,
  'test/long/reorg.test.ts': 60,
  'test/long/gateway.test.ts': 40,
  'test/web/graph.test.ts': 45,
  'test/http/fuzz.test.ts': 30,
  'test/http/explain.test.ts': 30,
  'test/http/explain-examples.test.ts': 30,
  'test/verify/bundle-tampered.test.ts': 20,
  'test/simulator/virtual/virtual.test.ts': 20,
  'test/web/merchant-manage.test.ts': 29,
  'test/web/verify.test.ts': 20,
  'test/web/buyer.test.ts': 20,
  'test/http/examples.test.ts': 20,
  'test/http/as-of-block.test.ts': 20,
  'test/http/partners-sums.test.ts': 20,
  'test/http/ranking-sums.test.ts': 20,
  'engine/cli/stack/postgres.test.ts': 20,
  'test/settlement/replay.test.ts': 17,
  'test/http/security.test.ts': 17,
  'test/jobs/webhooks/killed-worker.test.ts': 15,
  'test/http/explain-developer.test.ts': 15,
  'test/http/as-of.test.ts': 15,
  'test/http/earnings.test.ts': 15,
  'test/indexer/rows.test.ts': 15,
  'test/settlement/poison.test.ts': 14,
  'test/web/campaign.test.ts': 13,
  'test/web/receipt.test.ts': 13,
  'test/monitoring/shipped-files.test.ts': 13,
  'test/db/partition.test.ts': 20,
  'test/indexer/dropped-cache.test.ts': 25,
  'test/db/partition-use.test.ts': 13,
  'test/settlement/check.test.ts': 11,
  'test/web/accounts.test.ts': 11,
  'test/web/home.test.ts': 11,
  'test/cli/digest.test.ts': 10,
  'test/settlement/faults.test.ts': 10,
  'test/http/operations.test.ts': 9,
  'test/settlement/together.test.ts': 9,
  'test/web/status.test.ts': 9,
  'test/http/contract-wallets.test.ts': 9,
};

/** Seconds of a file that is not listed. */
const USUAL_SECONDS = 2;

/** Files that use the one sample site, which serves one file at a time. */
const USES_SITE = /^test\/web\/(?!size)/;

/**
 * Orders the files so that no worker waits: the slowest first, because the last one to start ends the
 * run, and a browser test whenever the one before it has left the site.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, maxWorkers } = this.ctx.config;
    const waiting = files
      .map((file) => {
        const path = relative(root, file.moduleId);
        return { file, seconds: SECONDS[path] ?? USUAL_SECONDS, usesSite: USES_SITE.test(path) };
      })
      .sort((a, b) => b.seconds - a.seconds);
    const workersFreeAt: number[] = Array(Number(maxWorkers)).fill(0);
    let siteFreeAt = 0;
    const ordered: TestSpecification[] = [];
    while (waiting.length > 0) {
      const now = Math.min(...workersFreeAt);
      const next = waiting.findIndex(({ usesSite }) => usesSite === siteFreeAt <= now);
      const [taken] = waiting.splice(Math.max(0, next), 1);
      if (taken === undefined) break;
      const end = Math.max(now, taken.usesSite ? siteFreeAt : 0) + taken.seconds;
      workersFreeAt[workersFreeAt.indexOf(now)] = end;
      if (taken.usesSite) siteFreeAt = end;
      ordered.push(taken.file);
    }
    return ordered;
  }
}
