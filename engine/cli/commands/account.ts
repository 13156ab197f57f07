import type { Address } from '../../core/events.ts';
import { deleteAccount } from '../../db/commerce/delete-account.ts';
import type { Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { type ExportCursor, exportRows, personOf } from '../../db/read/account/export.ts';
import type { Env } from '../../env.ts';
import { deletionOf } from '../../http/render/account-deletion.ts';
import { openDatabase } from '../connect.ts';
import { exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out, style } from '../output.ts';

/** Rows that one statement reads. */
const PAGE = 500;

/** Runs `tributary account export`: prints what is stored about an account, as a JSON array of rows. */
export async function runAccountExport(env: Env, account: Address): Promise<void> {
  await withDatabase(env, async (pool) => {
    const person = await personOf(pool, account);
    let after: ExportCursor | undefined;
    let separator = '[';
    do {
      const rows = await exportRows(pool, person, { after, limit: PAGE });
      for (const { table, record } of rows.slice(0, PAGE)) {
        // Only the service has the key of what it encrypted.
        const { sealed: _sealed, ...readable } = record;
        out.data(`${separator}\n${JSON.stringify({ table, record: readable })}`);
        separator = ',';
      }
      after = rows.length > PAGE ? rows[PAGE - 1] : undefined;
    } while (after !== undefined);
    out.data(separator === '[' ? '[]\n' : '\n]\n');
  });
}

/**
 * Runs `tributary account delete`: deletes an account for a person who asked the operator to. Exits 1, and changes
 * nothing, while something of it is open.
 */
export async function runAccountDelete(
  env: Env,
  account: Address,
  options: { readonly json?: boolean },
): Promise<void> {
  await withDatabase(env, async (pool) => {
    const deletion = deletionOf(await deleteAccount(pool, account, Date.now));
    if (!deletion.deleted) process.exitCode = exitCodes.failed;
    if (options.json === true) {
      out.json(deletion);
      return;
    }
    if (deletion.deleted) out.print(style.green(`${account} is deleted. What remains:`));
    else out.print(style.red(`${account} is not deleted, because this is open:`));
    const sentences = deletion.deleted
      ? deletion.remains
      : deletion.blockers.map(({ message }) => message);
    for (const sentence of sentences) out.print(`- ${sentence}`);
  });
}

async function withDatabase(env: Env, use: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = openDatabase(await findDeployment(env), 'account', { max: 2 });
  try {
    await migrate(pool);
    await use(pool);
  } finally {
    await pool.end();
  }
}
