import { createHash } from 'node:crypto';
import { closePool, openPool, type Sql } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';

/** Name of the database on the embedded server. Each chain and contract has its own: the ledger refuses to mix them. */
export function embeddedDatabaseName(deployment: Deployment): string {
  const { chainId, genesisHash, contractAddress } = deployment;
  const key = createHash('sha256').update(`${chainId} ${genesisHash} ${contractAddress}`);
  return `tributary_${key.digest('hex').slice(0, 12)}`;
}

/**
 * Creates a database on the server of `url` unless it exists, and returns its URL.
 *
 * @throws {Error} if the server does not respond, or rejects it.
 */
export async function createDatabase(url: string, name: string): Promise<string> {
  await withConnection(url, async (sql) => {
    const found = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
    if (found.length === 0) await sql`CREATE DATABASE ${sql(name)}`;
  });
  return urlOf(url, name);
}

/** URL of a database of the server of `url`. */
export function urlOf(url: string, name: string): string {
  const own = new URL(url);
  own.pathname = `/${encodeURIComponent(name)}`;
  return own.href;
}

/** Names of the databases of the server of `url` that begin with a prefix. */
export async function databasesOn(url: string, prefix: string): Promise<readonly string[]> {
  const rows = await withConnection(
    url,
    (sql) => sql<{ datname: string }[]>`
      SELECT datname FROM pg_database WHERE starts_with(datname, ${prefix}) ORDER BY oid`,
  );
  return rows.map(({ datname }) => datname);
}

/** Drops a database of the server of `url` with its connections, if it exists. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, (sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`);
}

/** True if a server responds at `url`. */
export async function canConnect(url: string): Promise<boolean> {
  return withConnection(url, async (sql) => (await sql`SELECT 1`).length === 1).catch(() => false);
}

async function withConnection<T>(url: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = openPool(url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await closePool(sql);
  }
}
