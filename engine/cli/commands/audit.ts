import { contractReader } from '../../chain/contract-reader.ts';
import { type AuditBreak, checkAuditLogs } from '../../db/commerce/audit-log.ts';
import type { Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import type { ChainEnv, Env } from '../../env.ts';
import { type AuditReport, runAudit } from '../../settlement/audit.ts';
import { confirmChain, openDatabase } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out, style } from '../output.ts';

/** Maximum number of printed violations; `--json` prints all. */
const MAX_SHOWN = 100;

/**
 * Runs `tributary audit`: checks all invariants of the ledger against itself and the contract at the
 * settled block, and that the audit logs of teams are whole. Exits 1 if one is violated, a discrepancy is
 * recorded or a log is broken, 3 if the audit fails.
 */
export async function runAuditCommand(
  env: Env,
  options: { readonly json?: boolean },
): Promise<void> {
  const deployment = await findDeployment(env);
  const pool = openDatabase(deployment, 'audit', { max: 4 });
  try {
    const report = await auditOrExplain(pool, deployment.chain);
    const brokenLogs = await checkAuditLogs(pool);
    const isSound = report.violations.length === 0 && report.discrepancies === 0;
    const ok = isSound && brokenLogs.length === 0;
    if (!ok) process.exitCode = exitCodes.failed;
    if (options.json === true) out.json({ ok, ...report, brokenLogs });
    else print(report, brokenLogs, ok);
  } finally {
    await pool.end();
  }
}

async function auditOrExplain(pool: Pool, chain: ChainEnv): Promise<AuditReport> {
  try {
    await migrate(pool);
    return await runAudit(pool, contractReader(await confirmChain(pool, chain)));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new CommandError(`The audit could not be completed: ${reason}`, exitCodes.unavailable);
  }
}

function print(report: AuditReport, brokenLogs: readonly AuditBreak[], ok: boolean): void {
  const { violations } = report;
  out.table([
    ['settled block', `${report.blockNumber} (${report.blockHash})`],
    ['campaigns', String(report.campaigns)],
    ['violations', String(violations.length)],
    ['discrepancies', String(report.discrepancies)],
    ['breaks in audit logs of teams', String(brokenLogs.length)],
  ]);
  if (violations.length > 0) {
    const rows = violations
      .slice(0, MAX_SHOWN)
      .map((one) => [
        one.campaignId,
        one.invariant,
        one.subject ?? '',
        one.expected,
        style.red(one.actual),
      ]);
    out.print('');
    out.table(rows, ['campaign', 'invariant', 'subject', 'expected', 'actual']);
  }
  if (violations.length > MAX_SHOWN) {
    out.print(`… and ${violations.length - MAX_SHOWN} more; --json prints all.`);
  }
  if (brokenLogs.length > 0) {
    const rows = brokenLogs.map((one) => [one.merchant, String(one.number), style.red(one.reason)]);
    out.print('');
    out.table(rows, ['merchant', 'entry', 'what is wrong']);
  }
  out.print('', ok ? style.green('All invariants hold.') : style.red('Not all invariants hold.'));
}
