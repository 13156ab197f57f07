import type { Pool, Sql } from '../connection.ts';
import { findAlarm, subjectAlarmNames } from '../read/system/alarms.ts';

/** An operator's decision about an alarm, or about all alarms of a token or merchant. */
export interface AlarmDecision {
  /** Counts up. */
  readonly id: string;
  readonly key: string;
  readonly action: 'acknowledge' | 'unacknowledge';
  /** Up to which level it holds; `null` for any. */
  readonly level: string | null;
  /** 1 to 500 characters. */
  readonly reason: string;
  /** An operator's address in lower case, or the command line. */
  readonly by: string;
  readonly at: Date;
}

/** The key of all alarms of one name about the campaigns of one token or merchant. */
const WIDE_KEY = new RegExp(
  `^(?:${subjectAlarmNames.join('|')})/(?:token|merchant)/0x[0-9a-f]{40}/\\*$`,
);

/**
 * Acknowledges an alarm up to its present level, or every alarm of a token or merchant, now and later.
 * @returns `undefined` if there is no such alarm now: nothing changed.
 */
export async function acknowledgeAlarm(
  pool: Pool,
  { key, reason, by }: Pick<AlarmDecision, 'key' | 'reason' | 'by'>,
): Promise<AlarmDecision | undefined> {
  return await pool.begin(async (sql) => {
    if (WIDE_KEY.test(key))
      return await insert(sql, { key, action: 'acknowledge', level: null, reason, by });
    const alarm = await findAlarm(sql, key);
    if (alarm === undefined) return undefined;
    return await insert(sql, { key, action: 'acknowledge', level: alarm.level, reason, by });
  });
}

/**
 * Takes an acknowledgement back: what it covered shows again.
 * @returns `undefined` if the key is not acknowledged: nothing changed.
 */
export async function unacknowledgeAlarm(
  pool: Pool,
  { key, reason, by }: Pick<AlarmDecision, 'key' | 'reason' | 'by'>,
): Promise<AlarmDecision | undefined> {
  return await pool.begin(async (sql) => {
    const [newest] = await sql<{ action: AlarmDecision['action'] }[]>`
      select action from commerce.alarm_decision where key = ${key} order by id desc limit 1`;
    if (newest?.action !== 'acknowledge') return undefined;
    return await insert(sql, { key, action: 'unacknowledge', level: null, reason, by });
  });
}

async function insert(
  sql: Sql,
  { key, action, level, reason, by }: Omit<AlarmDecision, 'id' | 'at'>,
): Promise<AlarmDecision> {
  const [row] = await sql<(Omit<AlarmDecision, 'by'> & { decided_by: string })[]>`
    insert into commerce.alarm_decision (key, action, level, reason, decided_by)
    values (${key}, ${action}, ${level}::numeric, ${reason}, ${by}) returning *`;
  if (row === undefined) throw new Error('the decision was not written');
  const { decided_by, ...decision } = row;
  return { ...decision, by: decided_by };
}
