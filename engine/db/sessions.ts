import { type Fragment, type Sql, sessionName } from './connection.ts';

/** Condition: a row of `pg_stat_activity` is a session of the program, of any version. */
export function isSessionOf(sql: Sql, program: string): Fragment {
  return sql`(${isOurs(sql)} and ${programOf(sql, sql`application_name`)} = ${program})`;
}

/** Condition: a row of `pg_stat_activity` is a session of the same program as this one, of any version. */
export function isSessionOfSameProgram(sql: Sql): Fragment {
  const own = sql`current_setting('application_name')`;
  return sql`(${isOurs(sql)} and ${programOf(sql, sql`application_name`)} = ${programOf(sql, own)})`;
}

/**
 * Sessions of this database that belong to programs of other versions, as people read them. Version 0.1.0 did not say its
 * version. A program whose `DATABASE_URL` sets another `application_name` is not found.
 */
export async function sessionsOfOtherVersions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ session: string }[]>`
    select format('%s (process %s)', application_name, pid) as session from pg_stat_activity
    where datname = current_database() and ${isOurs(sql)}
      and split_part(application_name, ' ', 1) <> ${sessionName()}
    order by application_name, pid`;
  return rows.map(({ session }) => session);
}

/** Before 0.2.0, names began with `tributary` alone. */
function isOurs(sql: Sql): Fragment {
  return sql`split_part(split_part(application_name, ' ', 1), '/', 1) = 'tributary'`;
}

function programOf(sql: Sql, name: Fragment): Fragment {
  return sql`split_part(${name}, ' ', 2)`;
}
