import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that the slowest files take next to three others on two cores (`TEST_COSTS` measures them). The browser test that
 * is the first of them starts the site as well.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'test/long/operate.test.ts': 600,
  'test/long/many-workers.test.ts': 240,
  'test/long/reindex.test.ts': 120,
  'test/long/backup.test.ts': 120,
  'test/long/alerts.test.ts': 120,
  'test/long/upgrade.test.ts': 100,
  'test/long/public-chain.test.ts': 100,
  'test/long/start.test.ts': 60,
  'test/long/outage.test.ts': 60,
  'test/long/reorg.test.ts': 60,
  'test/long/gateway.test.ts': 40,
  'test/web/console.test.ts': 120,
  'test/web/graph.test.ts': 73,
  'test/web/me.test.ts': 72,
  'test/http/explain.test.ts': 70,
  'test/verify/second-verifier.test.ts': 62,
  'test/cli/backup.test.ts': 60,
  'test/chain/refusals.test.ts': 47,
  'test/http/security.test.ts': 45,
  'test/web/find.test.ts': 40,
  'test/web/verify.test.ts': 35,
  'test/web/shell.test.ts': 35,
  'test/settlement/rpc-chain.test.ts': 35,
  'test/db/partition.test.ts': 34,
  'test/verify/second-lookalikes.test.ts': 34,
  'test/web/merchant-manage.test.ts': 33,
  'engine/http/openapi/openapi.test.ts': 33,
  'test/backup/hostile-backup.test.ts': 32,
  'test/settlement/replay.test.ts': 30,
  'test/cli/doctor.test.ts': 30,
  'test/web/buyer.test.ts': 29,
  'test/http/ranking-sums.test.ts': 28,
  'test/http/fuzz.test.ts': 28,
  'test/deploy/caddy.test.ts': 28,
  'test/verify/second-receipts.test.ts': 28,
  'test/verify/bundle-tampered.test.ts': 26,
  'test/http/as-of-block.test.ts': 25,
  'test/web/receipt.test.ts': 23,
  'test/backup/encrypted-backup.test.ts': 23,
  'test/web/status.test.ts': 22,
  'test/verify/tampered.test.ts': 22,
  'test/settlement/poison.test.ts': 21,
  'test/web/campaign.test.ts': 20,
  'test/cli/deploy.test.ts': 20,
  'engine/cli/stack/supervise-anvil.test.ts': 19,
  'test/http/examples.test.ts': 18,
  'test/simulator/virtual/virtual.test.ts': 17,
  'test/settlement/leadership.test.ts': 17,
  'test/jobs/mail/mails.test.ts': 17,
  'test/http/partners-sums.test.ts': 16,
  'test/jobs/webhooks/killed-worker.test.ts': 16,
  'test/http/contract-wallets.test.ts': 16,
  'test/http/stream-model.test.ts': 15,
  'test/cli/startup.test.ts': 15,
  'test/http/visibility.test.ts': 15,
  'test/web/accounts.test.ts': 14,
  'test/db/partition-use.test.ts': 14,
  'test/cli/secret.test.ts': 14,
  'test/db/ended-sessions.test.ts': 14,
  'test/indexer/other-databases.test.ts': 18,
  'test/indexer/rows.test.ts': 15,
  'test/jobs/jobs.test.ts': 12,
  'engine/cli/stack/postgres.test.ts': 11,
  'test/settlement/check.test.ts': 11,
  'test/http/as-of.test.ts': 10,
  'test/http/earnings.test.ts': 10,
  'test/web/bundle.test.ts': 10,
  'test/settlement/together.test.ts': 10,
  'test/cli/listen.test.ts': 10,
  'test/db/connection.test.ts': 10,
  'test/http/drain.test.ts': 10,
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
