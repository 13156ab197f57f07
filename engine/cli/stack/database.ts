import postgres, { type Sql } from 'postgres';

/**
 * Creates a database on the server of `url`, and answers its URL. One that exists is left alone.
 *
 * @param template the database that it begins as a copy of, to which nobody may be connected.
 * @throws Error where the server does not answer, or refuses.
 */
export async function createDatabase(
  url: string,
  name: string,
  template = 'template1',
): Promise<string> {
  await withConnection(url, async (sql) => {
    const found = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
    if (found.length === 0) {
      await sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`;
    }
  });
  const own = new URL(url);
  own.pathname = `/${encodeURIComponent(name)}`;
  return own.href;
}

/** Drops a database of the server of `url` and ends its connections; none of that name is fine. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, (sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`);
}

/** Whether a server answers at `url`. */
export async function canConnect(url: string): Promise<boolean> {
  return withConnection(url, async (sql) => (await sql`SELECT 1`).length === 1).catch(() => false);
}

async function withConnection<T>(url: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
