import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that the slowest files take next to three others on two cores (`TEST_COSTS` measures them). The browser test that
 * is the first of them starts the site as well.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'test/long/clients.test.ts': 215,
  'test/long/backup.test.ts': 123,
  'test/long/alerts.test.ts': 110,
  'test/long/start.test.ts': 89,
  'test/long/many-workers.test.ts': 82,
  'test/long/kill-each.test.ts': 82,
  'test/long/upgrade.test.ts': 82,
  'test/long/public-chain.test.ts': 120,
  'test/long/outage.test.ts': 57,
  'test/long/reindex.test.ts': 56,
  'test/long/walkthrough.test.ts': 54,
  'test/long/random-contract.test.ts': 54,
  'test/long/parts.test.ts': 50,
  'test/long/invariants.test.ts': 46,
  'test/long/paused.test.ts': 38,
  'test/backup/backup.test.ts': 84,
  'test/long/settlement-rpc-traits.test.ts': 120,
  'test/web/console.test.ts': 65,
  'test/web/me.test.ts': 51,
  'test/chain/refusals.test.ts': 50,
  'test/http/explain.test.ts': 47,
  'test/http/relayer.test.ts': 44,
  'test/long/fuzz.test.ts': 43,
  'test/web/find.test.ts': 42,
  'test/web/campaign.test.ts': 39,
  'test/settlement/rpc-chain.test.ts': 38,
  'test/web/verify.test.ts': 37,
  'test/http/security.test.ts': 36,
  'test/deploy/caddy.test.ts': 34,
  'test/web/status.test.ts': 33,
  'test/http/as-of-block.test.ts': 31,
  'test/web/merchant-manage.test.ts': 30,
  'test/web/buyer.test.ts': 30,
  'test/web/one-signature.test.ts': 42,
  'test/settlement/replay.test.ts': 29,
  'test/http/examples.test.ts': 27,
  'test/backup/hostile-backup.test.ts': 26,
  'test/http/ranking-sums.test.ts': 26,
  'test/cli/doctor.test.ts': 26,
  'test/verify/second/receipts.test.ts': 25,
  'test/cli/deploy.test.ts': 25,
  'test/web/graph.test.ts': 25,
  'test/simulator/virtual/virtual.test.ts': 25,
  'test/verify/bundle-tampered.test.ts': 23,
  'test/cli/startup.test.ts': 23,
  'test/web/receipt.test.ts': 20,
  'test/settlement/leadership.test.ts': 20,
  'test/contracts/gas.test.ts': 20,
  'test/settlement/check.test.ts': 20,
  'test/http/earnings.test.ts': 20,
  'engine/cli/stack/supervise-anvil.test.ts': 19,
  'test/backup/encrypted-backup.test.ts': 19,
  'test/jobs/mail/mails.test.ts': 18,
  'test/cli/listen.test.ts': 18,
  'test/settlement/poison.test.ts': 18,
  'test/verify/second/verifier.test.ts': 17,
  'test/jobs/webhooks/killed-worker.test.ts': 17,
  'test/db/connection.test.ts': 17,
  'test/http/partners-sums.test.ts': 16,
  'test/settlement/together.test.ts': 15,
  'test/cli/secret.test.ts': 15,
  'test/http/events.test.ts': 15,
  'test/long/other-databases.test.ts': 14,
  'test/indexer/calldata.test.ts': 12,
  'test/http/visibility.test.ts': 14,
  'test/http/stream-model.test.ts': 14,
  'test/db/ended-sessions.test.ts': 14,
  'test/web/accounts.test.ts': 14,
  'test/web/bundle.test.ts': 14,
  'test/verify/second/lookalikes.test.ts': 13,
  'test/verify/tampered.test.ts': 12,
  'test/verify/bundle-fuzz.test.ts': 12,
  'test/http/drain.test.ts': 12,
  'test/http/as-of.test.ts': 12,
  'test/http/contract-wallets.test.ts': 12,
  'test/settlement/settle.test.ts': 12,
  'test/http/forks.test.ts': 12,
  'test/jobs/jobs.test.ts': 12,
  'test/contracts/payments.test.ts': 12,
  'test/http/partners.test.ts': 11,
  'test/cli/compile.test.ts': 11,
  'test/contracts/order-attacks.test.ts': 10,
  'test/http/generated-clients.test.ts': 10,
  'test/settlement/audit.test.ts': 10,
  'test/verify/bundle-left-out.test.ts': 10,
  'test/http/my-links.test.ts': 10,
};

/** Seconds of a file that is not listed. */
const USUAL_SECONDS = 2;

/** Files that use the one sample site, which serves one file at a time. */
const USES_SITE = /^test\/web\/(?!size)/;

/**
 * Orders the files so that no worker waits: the slowest first, because the last one to start ends the
 * run, and a browser test whenever the one before it has left the site. With `TEST_SEED`, a text, in an order by chance.
 */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, maxWorkers } = this.ctx.config;
    const { TEST_SEED: seed } = process.env;
    if (seed) {
      const chance = ({ moduleId }: TestSpecification) =>
        createHash('sha256')
          .update(seed + relative(root, moduleId))
          .digest('hex');
      return files.toSorted((a, b) => (chance(a) < chance(b) ? -1 : 1));
    }
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
