import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { type DatabaseAddress, parseDatabaseUrl } from '../database-url.ts';
import { version } from '../version.ts';
import { arrayTypes } from './array-types.ts';
import { DriverSocket, type PoolSockets } from './driver-socket.ts';

/** A pool of connections, or a transaction on one of them: what every query function takes. */
export type Sql = postgres.Sql | postgres.TransactionSql;
export type Pool = postgres.Sql;

/** A part of a statement, to be put into others. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Name of a program's sessions in `pg_stat_activity`, such as `tributary/0.2.0 worker`. */
export function sessionName(program?: string): string {
  const service = `tributary/${version}`;
  return program === undefined ? service : `${service} ${program}`;
}

export interface PoolOptions {
  /** Connections at most; default 10. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Settings of the server that each session begins with. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Opens a pool. Integers and numerics wider than 53 bits come back as strings, so that no amount
 * ever passes through a floating-point number.
 *
 * @param databaseUrl as `parseDatabaseUrl` understands it, which throws for others.
 */
export function openPool(databaseUrl: string, options: PoolOptions = {}): Pool {
  return open(parseDatabaseUrl(databaseUrl), options);
}

/** Where the connections of a pool go, how they begin, and which are open. */
interface Origin {
  readonly address: DatabaseAddress;
  readonly options: PoolOptions;
  readonly sockets: PoolSockets;
}

const origins = new WeakMap<Pool, Origin>();

function open(
  address: DatabaseAddress,
  options: PoolOptions,
  more: { readonly max_lifetime?: null } = {},
): Pool {
  const { host, port, database, user, password } = address;
  const sockets: PoolSockets = { open: new Set(), closed: false };
  const setup = setupOf(options.settings);
  const pool = postgres({
    ...more,
    host,
    port,
    ...(database !== undefined && { database }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    max: options.max ?? 10,
    onnotice: () => {},
    backoff: reconnectDelay,
    connect_timeout: address.connectTimeout ?? CONNECT_SECONDS,
    // `DriverSocket` encrypts.
    ssl: false,
    fetch_types: false,
    types: arrayTypes,
    socket: () => new DriverSocket(address, setup, sockets),
    connection: {
      application_name: address.applicationName ?? options.applicationName ?? sessionName(),
      ...(address.options !== undefined && { options: address.options }),
    },
  } as postgres.Options<Record<string, postgres.PostgresType>> & OptionSocket) as Pool;
  origins.set(pool, { address, options, sockets });
  pool.begin = endWithConnection(pool.begin);
  // Without the question for types, postgres.js 3.4.9 never answers it on a new connection; see also `openSession`.
  pool.reserve = () => Promise.reject(new Error('reserve() is not supported: use withSession'));
  return pool;
}

/** postgres.js's option `socket`, which its types leave out. */
interface OptionSocket {
  readonly socket: () => DriverSocket;
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

function originOf(pool: Pool): Origin {
  const origin = origins.get(pool);
  if (origin === undefined) throw new Error('this pool was not opened by openPool');
  return origin;
}

/** Milliseconds that a socket may take to close after an error that ends its connection. */
const CLOSING_MS = 1_000;

/** Codes of errors of the driver and of sockets after which a connection closes. */
const CLOSING_CODES =
  /^(CONNECTION_CLOSED|ECONNRESET|EPIPE|ETIMEDOUT|ERR_STREAM_(WRITE_AFTER_END|DESTROYED))$/;

/**
 * Lets a transaction send nothing once its connection is lost, not even its own rollback. postgres.js 3.4.9
 * would write to a socket that is gone, which ends the process, or to the connection's next session, where
 * the statement would run outside of its transaction (porsager/postgres issues 1208 and 1216).
 */
function endWithConnection(begin: Pool['begin']): Pool['begin'] {
  return (async (...args: [string, Work] | [Work]): Promise<unknown> => {
    const [options, work] = args.length === 2 ? args : ['', args[0]];
    const lost = new AbortController();
    const transaction = begin(options, async (sql) => {
      const refusing = new Proxy(sql, {
        apply: (target, that, statement) => {
          lost.signal.throwIfAborted();
          return Reflect.apply(target, that, statement);
        },
      });
      try {
        const done = work(refusing);
        return await (Array.isArray(done) ? Promise.all(done) : done);
      } catch (error) {
        if (isClosing(error)) await Promise.race([aborted(lost.signal), setTimeout(CLOSING_MS)]);
        // The driver has already rejected the transaction: to throw would make it send a rollback.
        if (lost.signal.aborted) return await new Promise<never>(() => {});
        throw error;
      }
    });
    // While the work goes on, only the loss of the connection rejects the transaction.
    transaction.catch((error: unknown) => lost.abort(error));
    return await transaction;
  }) as Pool['begin'];
}

type Work = (sql: postgres.TransactionSql) => unknown;

/** True if a connection closes after an error: of a socket, or one that the server calls fatal to the session. */
export function isClosing(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return /^(FATAL|PANIC)$/.test(error.severity);
  return error instanceof Error && 'code' in error && CLOSING_CODES.test(String(error.code));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Cuts all connections of a pool: their statements fail, and the next ones connect again. For a server
 * that has gone silent, whose connections would otherwise be waited for until TCP gives up.
 */
export function cutConnections(pool: Pool): void {
  for (const socket of originOf(pool).sockets.open) socket.destroy();
}

/** Seconds between two tries to connect, at most: the driver's own 20 s outlast most restarts. */
const MAX_RECONNECT_SECONDS = 0.5;

/** Seconds until a failed connection is tried again. */
function reconnectDelay(retries: number): number {
  const delay = Math.min(0.02 * 2 ** Math.min(retries, 10), MAX_RECONNECT_SECONDS);
  return delay * (0.5 + Math.random() / 2);
}

/** Seconds that connecting may take, unless the URL says otherwise. */
const CONNECT_SECONDS = 5;

/** Lost connections of each pool that somebody asked about. */
const losses = new WeakMap<Pool, { count: number }>();

/**
 * How many connections of a pool have ended since the first call for it, whatever ended them: a crash,
 * a restart, `pg_terminate_backend`, or the pool itself. What was read before a loss may be of a
 * database that has lost commits since.
 */
export function connectionLosses(pool: Pool): number {
  const known = losses.get(pool);
  if (known !== undefined) return known.count;
  const counter = { count: 0 };
  losses.set(pool, counter);
  const { options } = pool;
  const before = options.onclose;
  options.onclose = (connectionId: number) => {
    counter.count += 1;
    before?.(connectionId);
  };
  return counter.count;
}

/** A connection that a session's locks depend on was lost, and with it the locks. */
class SessionLostError extends Error {
  override readonly name = 'SessionLostError';
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('The connection to the database was lost.');
  }
}

/** A connection of its own, for what belongs to a session: an advisory lock, a setting. */
export interface Session {
  /** Refuses statements, with an error for which `isClosing` is true, once the session is lost. */
  readonly sql: Sql;
  /**
   * Ends the session.
   * @param failed true after an error for which `isClosing` is true.
   */
  close(failed?: boolean): Promise<void>;
}

/**
 * Opens a session. After it is lost, no statement is sent any more: it would run in another one, without the
 * locks. Not `pool.reserve()`: the next statement of a reserved connection that was lost ends the process
 * (postgres.js 3.4.9 writes to a socket that is gone).
 * @param pool a pool of {@link openPool}, whose server and settings it has. The caller closes the session.
 */
export function openSession(pool: Pool): Session {
  const { address, options } = originOf(pool);
  // By default the driver replaces a connection after half an hour to an hour.
  const own = open(address, { ...options, max: 1 }, { max_lifetime: null });
  const before = connectionLosses(own);
  let ending = false;
  const isLost = () => ending || connectionLosses(own) !== before;
  const watched = (statement: unknown) =>
    watch(statement, () => {
      ending = true;
    });
  const requireOpen = () => {
    if (isLost()) throw new SessionLostError();
  };
  const sql = new Proxy(own, {
    apply(target, that, statement) {
      requireOpen();
      return watched(Reflect.apply(target, that, statement));
    },
    get(target, name, receiver) {
      if (name !== 'unsafe') return Reflect.get(target, name, receiver);
      requireOpen();
      return (...statement: Parameters<Pool['unsafe']>) => watched(target.unsafe(...statement));
    },
  });
  return {
    sql,
    // postgres.js 3.4.9 waits for the end of a statement whose session ended under it.
    close: (failed = false) => closePool(own, failed || isLost() ? 0 : CLOSE_SECONDS),
  };
}

/**
 * Runs work in a session of its own, which ends with it: with its locks and settings.
 * @throws what the work throws; an error for which `isClosing` is true if the session is lost.
 */
export async function withSession<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const session = openSession(pool);
  let failed = false;
  try {
    return await work(session.sql);
  } catch (error) {
    failed = isClosing(error);
    throw error;
  } finally {
    await session.close(failed);
  }
}

/**
 * Marks the session as lost before the statement's promise rejects. Until the socket has closed, postgres.js 3.4.9 would
 * send the next statement to the session, and wait for it for ever.
 */
function watch(statement: unknown, onEnding: () => void): unknown {
  if (!(statement instanceof Promise)) return statement;
  const wait: Promise<unknown>['then'] = statement.then.bind(statement);
  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and only its own method sees each end of it.
  statement.then = (onFulfilled, onRejected) =>
    wait(onFulfilled, (error: unknown) => {
      if (isClosing(error)) onEnding();
      if (onRejected) return onRejected(error);
      throw error;
    });
  return statement;
}

/** Runs work as a transaction of a session (`withSession`). */
export async function sessionTransaction<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql`begin`;
  try {
    const result = await work();
    await sql`commit`;
    return result;
  } catch (error) {
    if (!isClosing(error)) await sql`rollback`;
    throw error;
  }
}

/** Seconds that statements under way have when a process ends. */
const CLOSE_SECONDS = 10;

/**
 * Closes a pool: waits for the statements under way, then cuts them. Without the cut a process that
 * was asked to stop during many transactions has been seen to wait for the driver forever; what is cut is
 * rolled back.
 */
export async function closePool(pool: Pool, seconds = CLOSE_SECONDS): Promise<void> {
  await pool.end({ timeout: seconds });
  // The driver forgets a connection that is being made: it would open its session, and have no use for it.
  const { sockets } = originOf(pool);
  sockets.closed = true;
  for (const socket of sockets.open) socket.destroy();
}
