import type { Address } from '../../core/events.ts';
import { listMerchantBudgets, setMerchantBudget } from '../../db/commerce/relayer.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { openDatabase } from '../connect.ts';
import { findDeployment } from '../find-deployment.ts';
import { out } from '../output.ts';

/** A merchant, and what it may cost on a day. */
export interface GasBudgetOptions {
  readonly merchant?: Address | undefined;
  /** Wei; `undefined` with a merchant for the default. */
  readonly daily?: bigint | undefined;
  readonly json?: boolean | undefined;
}

/** Runs `tributary gas-budget`: sets the budget of a merchant, if one is given, and lists those that are not the default. */
export async function runGasBudget(env: Env, options: GasBudgetOptions): Promise<void> {
  const { merchant, daily, json } = options;
  const pool = openDatabase(await findDeployment(env), 'gas-budget', { max: 1 });
  try {
    await migrate(pool);
    if (merchant !== undefined) await setMerchantBudget(pool, merchant, daily);
    const budgets = await listMerchantBudgets(pool);
    const rows = budgets.map((one) => ({ merchant: one.merchant, wei: String(one.daily) }));
    if (json === true) out.json(rows);
    else if (rows.length === 0) out.print('All merchants have the default budget.');
    else for (const row of rows) out.print(`${row.merchant} ${row.wei} wei a day`);
  } finally {
    await pool.end();
  }
}
