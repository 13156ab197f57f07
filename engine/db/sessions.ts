import type { Fragment, Sql } from './connection.ts';

/** Condition: a row of `pg_stat_activity` is a session of the program, of any version. */
export function isSessionOf(sql: Sql, program: string): Fragment {
  return sql`(${isOurs(sql)} and ${programOf(sql, sql`application_name`)} = ${program})`;
}

/** Condition: a row of `pg_stat_activity` is a session of the same program as this one, of any version. */
export function isSessionOfSameProgram(sql: Sql): Fragment {
  const own = sql`current_setting('application_name')`;
  return sql`(${isOurs(sql)} and ${programOf(sql, sql`application_name`)} = ${programOf(sql, own)})`;
}

/** Before 0.2.0, names began with `tributary` alone. */
function isOurs(sql: Sql): Fragment {
  return sql`split_part(split_part(application_name, ' ', 1), '/', 1) = 'tributary'`;
}

function programOf(sql: Sql, name: Fragment): Fragment {
  return sql`split_part(${name}, ' ', 2)`;
}
