import { parseDatabaseUrl } from '../database-url.ts';
import { version } from '../version.ts';
import type { OnStatement } from './driver/connection.ts';
import { isClosing, PostgresError, sqlStateOf } from './driver/connection.ts';
import { Connections, type Pool, poolOf, type SessionSql, sessionSqlOf } from './pool.ts';
import type { Fragment, Sql } from './sql.ts';

export type { Fragment, Pool, SessionSql, Sql };
export { isClosing, PostgresError, sqlStateOf };

/** Name of a program's sessions in `pg_stat_activity`, such as `tributary/0.2.0 worker`. */
export function sessionName(program?: string): string {
  const service = `tributary/${version}`;
  return program === undefined ? service : `${service} ${program}`;
}

export interface PoolOptions {
  /** Connections at most; default 10. */
  readonly max?: number;
  /** Connections that stay open while nothing uses them; default 1. */
  readonly keep?: number;
  /** Milliseconds without a statement after which others are closed, within twice that time; default 15 s. */
  readonly idleMs?: number;
  /**
   * Milliseconds that a statement waits for an open connection before another one is opened; default 0. With more,
   * short statements that are sent together now and then share a connection.
   */
  readonly growMs?: number;
  /** True if statements also use the connection that listens: for a process with few and short ones. */
  readonly sharesListener?: boolean;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Settings of the server that each session begins with. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Called with each statement that is sent. */
  readonly onStatement?: OnStatement;
}

/**
 * Opens a pool. Integers and numerics wider than 53 bits come back as strings, so that no amount
 * ever passes through a floating-point number.
 *
 * @param databaseUrl as `parseDatabaseUrl` understands it, which throws for others.
 */
export function openPool(databaseUrl: string, options: PoolOptions = {}): Pool {
  const { max = 10, keep = 1, idleMs = 15_000, growMs = 0 } = options;
  const { sharesListener = false, onStatement } = options;
  const size = { max, keep, idleMs, growMs, sharesListener };
  const address = parseDatabaseUrl(databaseUrl);
  const applicationName = address.applicationName ?? options.applicationName ?? sessionName();
  const setup = setupOf(options.settings);
  return poolOf(new Connections({ address, applicationName, setup, onStatement }, size));
}

/** Settings of every session, whatever a role or a database has. */
const SETTINGS = {
  // Compiling a statement of ours takes longer than it runs, and Debian's server does it: a replay of 46 events
  // took 79 s instead of 3 s.
  jit: 'off',
  // The driver reads only these.
  DateStyle: 'ISO',
  bytea_output: 'hex',
};

function setupOf(settings: PoolOptions['settings']): string {
  return Object.entries({ ...SETTINGS, ...settings })
    .map(([name, value]) => `set "${name}" = '${String(value).replaceAll("'", "''")}'`)
    .join('; ');
}

/**
 * Cuts all connections of a pool: their statements fail, and the next ones connect again. For a server
 * that has gone silent, whose connections would otherwise be waited for until TCP gives up.
 */
export function cutConnections(pool: Pool): void {
  pool.connections.cut();
}

/**
 * How many connections of a pool have ended, whatever ended them: a crash, a restart,
 * `pg_terminate_backend`, or the pool because they were old. What was read before a loss may be of a database that has
 * lost commits since. A pool that keeps a connection open notices each crash; another one only while it is used.
 */
export function connectionLosses(pool: Pool): number {
  return pool.connections.losses;
}

/** A connection of its own, for what belongs to a session: an advisory lock, a setting. */
export interface Session {
  /** Refuses statements, with an error for which `isClosing` is true, once the session is lost. */
  readonly sql: SessionSql;
  /** Ends the session, and with it its locks and settings. */
  close(): Promise<void>;
}

/**
 * Opens a session. After it is lost, no statement is sent any more: it would run in another one, without the
 * locks.
 * @param pool whose server and settings it has. The caller closes the session.
 */
export function openSession(pool: Pool): Session {
  const connection = pool.connections.connect();
  return { sql: sessionSqlOf(connection), close: () => connection.close() };
}

/**
 * Runs work in a session of its own, which ends with it: with its locks and settings.
 * @throws what the work throws; an error for which `isClosing` is true if the session is lost.
 */
export async function withSession<T>(
  pool: Pool,
  work: (sql: SessionSql) => Promise<T>,
): Promise<T> {
  const session = openSession(pool);
  try {
    return await work(session.sql);
  } finally {
    await session.close();
  }
}

/** Closes a pool: waits for the statements under way, then cuts them, which rolls them back. */
export async function closePool(pool: Pool, seconds?: number): Promise<void> {
  await pool.connections.close(seconds);
}
