import {
  type AlarmDecision,
  acknowledgeAlarm,
  unacknowledgeAlarm,
} from '../../db/commerce/alarm-decisions.ts';
import type { Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { countAlarms, listAlarms, type SubjectAlarm } from '../../db/read/system/alarms.ts';
import type { Env } from '../../env.ts';
import { openDatabase } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out, style } from '../output.ts';

/** Maximum number of printed alarms. */
const MAX_SHOWN = 500;

/** Author of decisions that are made here; earlier versions also stored addresses of operators. */
const COMMAND_LINE = 'command line';

/** Runs `tributary alarms`: lists alarms about campaigns and tokens. Exits 1 if one is open. */
export async function runAlarms(env: Env, options: { readonly json?: boolean }): Promise<void> {
  await withDatabase(env, async (pool) => {
    const [items, counts] = await Promise.all([
      listAlarms(pool, { limit: MAX_SHOWN }),
      countAlarms(pool),
    ]);
    const open = Object.values(counts.open).reduce((sum, count) => sum + count, 0);
    if (open > 0) process.exitCode = exitCodes.failed;
    if (options.json === true) out.json({ counts, items });
    else print(items, open, counts.acknowledged);
  });
}

/** Runs `tributary alarms acknowledge` and `tributary alarms unacknowledge`. */
export async function runAlarmDecision(
  env: Env,
  decision: Pick<AlarmDecision, 'action' | 'key' | 'reason'> & { readonly json?: boolean },
): Promise<void> {
  const { action, key, reason, json } = decision;
  await withDatabase(env, async (pool) => {
    const decide = action === 'acknowledge' ? acknowledgeAlarm : unacknowledgeAlarm;
    const done = await decide(pool, { key, reason, by: COMMAND_LINE });
    if (done === undefined) {
      throw new CommandError(
        action === 'acknowledge' ? `There is no alarm ${key}.` : `${key} is not acknowledged.`,
      );
    }
    if (json === true) out.json(done);
    else out.print(style.green(`${key}: ${action}d.`));
  });
}

async function withDatabase(env: Env, use: (pool: Pool) => Promise<void>): Promise<void> {
  const deployment = await findDeployment(env);
  const pool = openDatabase(deployment, 'alarms', { max: 2 });
  try {
    await migrate(pool);
    await use(pool);
  } finally {
    await pool.end();
  }
}

function print(items: readonly SubjectAlarm[], open: number, acknowledged: number): void {
  for (const { key, sentence, since, acknowledged: by } of items) {
    out.print(by === null ? style.red(sentence) : sentence);
    const rows = [
      ['  key', key],
      ['  since', since?.toISOString() ?? '–'],
      ...(by === null
        ? []
        : [['  acknowledged', `${by.at.toISOString()} by ${by.by}: ${by.reason}`]]),
    ];
    out.table(rows);
  }
  const more = open + acknowledged - items.length;
  if (more > 0) out.print(`… and ${more} more; only the first ${items.length} are shown.`);
  out.print(`${open} open, ${acknowledged} acknowledged.`);
}
