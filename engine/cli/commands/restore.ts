import { setTimeout } from 'node:timers/promises';
import { compareRoot, type RootComparison } from '../../backup/compare-root.ts';
import { type RestoreReport, restoreBackup } from '../../backup/restore.ts';
import type { Chain } from '../../chain/chain.ts';
import { openKeccak } from '../../chain/keccak.ts';
import { quietOutboxes, startNewEpoch } from '../../db/backup/after-restore.ts';
import { NotEmptyError, type RestoreRecord, readRestore } from '../../db/backup/load.ts';
import type { Pool } from '../../db/connection.ts';
import { claimDeployment, DeploymentMismatchError } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { askChain, withDatabase, withRestoreTarget } from '../backup/database.ts';
import { progressLine } from '../backup/progress.ts';
import { explained, findBackup, openFound } from '../backup/target.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { openStorage } from '../storage.ts';

/** Runs `tributary restore`: fills an empty database and the storage. Exits 1 if a loaded ledger differs. */
export async function runRestore(
  env: Env,
  options: {
    readonly from: string;
    readonly resend?: boolean;
    readonly allowUnencrypted?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  const backup = await openFound(env, await findBackup(env, options.from), options);
  const { manifest } = backup;
  await withRestoreTarget(env, async (pool, settings) => {
    const { chain, deployment, head } = await askChain(settings);
    const report = await progressLine(options.json === true, (onProgress) =>
      explained(async () => {
        try {
          return await restoreBackup({
            ...{ pool, backup, deployment, onProgress },
            files: await openStorage(env),
            chainHead: head,
            resend: options.resend === true,
          });
        } catch (error) {
          if (error instanceof NotEmptyError) throw new CommandError(error.message);
          throw error;
        }
      }),
    );
    const comparison = manifest.withLedger ? await compare(pool, chain, manifest) : undefined;
    if (options.json === true) {
      out.json({ backup: manifest.name, ...report, comparison });
    } else printReport(manifest.name, report);
    if (comparison === undefined) {
      if (options.json !== true) out.print(NEXT);
    } else conclude(comparison, options.json === true);
  });
}

const NEXT =
  'Start the service: it builds the ledger from the chain. Then run `tributary restore verify --wait 3600`, which compares the root.';

/**
 * Runs `tributary restore verify`: compares the ledger with the root of the backup that this database was restored
 * from. Exits 1 if they differ, 3 if the ledger is not settled up to the block in time.
 */
export async function runRestoreVerify(
  env: Env,
  options: { readonly wait?: number; readonly json?: boolean },
): Promise<void> {
  await withDatabase(env, 'restore', async (pool, settings) => {
    const record = await readRestore(pool);
    if (record === undefined) {
      throw new CommandError('This database was not made by `tributary restore`.');
    }
    const { chain } = await askChain(settings);
    const deadline = Date.now() + (options.wait ?? 0) * 1_000;
    let comparison = await compare(pool, chain, record);
    while (comparison.result === 'waiting' && Date.now() < deadline) {
      await setTimeout(POLL_MS);
      comparison = await compare(pool, chain, record);
    }
    if (options.json === true) out.json(comparison);
    conclude(comparison, options.json === true);
  });
}

const POLL_MS = 1_000;

/**
 * Runs `tributary restore after-recovery`, for a database that PostgreSQL's own tools brought back: starts a new epoch
 * of the stream, and cancels what may have been sent after the moment to which the database went back.
 */
export async function runAfterRecovery(
  env: Env,
  options: { readonly resend?: boolean; readonly json?: boolean },
): Promise<void> {
  await withDatabase(env, 'restore', async (pool, settings) => {
    await migrate(pool);
    const { deployment, head } = await askChain(settings);
    const cancelled = await pool.begin(async (sql) => {
      try {
        await claimDeployment(sql, deployment);
      } catch (error) {
        if (error instanceof DeploymentMismatchError) throw new CommandError(error.message);
        throw error;
      }
      await startNewEpoch(sql);
      return options.resend === true ? 0 : await quietOutboxes(sql, head);
    });
    if (options.json === true) out.json({ cancelled });
    else out.print(`Done: ${cancelled} webhooks and mails were cancelled.`);
  });
}

async function compare(
  pool: Pool,
  chain: Chain,
  { roots }: Pick<RestoreRecord, 'roots'>,
): Promise<RootComparison> {
  return await compareRoot(pool, chain, await openKeccak(), roots);
}

/** Prints the result of a comparison, unless it is printed as JSON, and sets the exit code. */
function conclude(comparison: RootComparison, silent: boolean): void {
  const { text, code } = explain(comparison);
  process.exitCode = code;
  if (!silent) out.print(code === exitCodes.ok ? style.green(text) : style.red(text));
}

function explain(comparison: RootComparison): { text: string; code: number } {
  const { ok, failed, unavailable } = exitCodes;
  if (comparison.result === 'no-block') {
    const text =
      'Not compared: nothing was settled when the backup was made, or the chain has replaced its blocks.';
    return { text, code: failed };
  }
  const { block, root } = comparison.expected;
  const at = `at block ${block.number}`;
  switch (comparison.result) {
    case 'equal':
      return { text: `The ledger has the root of the backup ${at}: ${root}.`, code: ok };
    case 'differs': {
      const text = `THE LEDGER DIFFERS from the backup ${at}: its root is ${comparison.found} and not ${root}. Do not use it before you know why: \`tributary digest compare\` and \`tributary audit\` show where.`;
      return { text, code: failed };
    }
    case 'waiting': {
      const text = `The ledger is settled up to block ${comparison.settled ?? '–'}: it is compared ${at}.`;
      return { text, code: unavailable };
    }
    case 'stopped': {
      const text = `Not compared: settlement has stopped campaign ${comparison.campaigns.join(', ')} since (docs/operate/alarms.md#alarms).`;
      return { text, code: failed };
    }
  }
}

function printReport(name: string, { rows, files, missing, cancelled }: RestoreReport): void {
  const lost = missing === 0 ? '' : style.yellow(` (${missing} were missing when it was made)`);
  out.table([
    ['restored', style.bold(name)],
    ['rows', String(rows)],
    ['files', `${files}${lost}`],
    ['cancelled webhooks and mails', String(cancelled)],
  ]);
}
