import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';

/** A pool of connections, or a transaction on one of them: what every query function takes. */
export type Sql = postgres.Sql | postgres.TransactionSql;
export type Pool = postgres.Sql;

/** A part of a statement, to be put into others. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface PoolOptions {
  /** Connections at most; default 10. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Parameters of the server that each connection begins with. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Opens a pool. Integers and numerics wider than 53 bits come back as strings, so that no amount
 * ever passes through a floating-point number.
 */
export function openPool(databaseUrl: string, options: PoolOptions = {}): Pool {
  const open = new Set<Socket>();
  const pool = postgres(databaseUrl, {
    max: options.max ?? 10,
    onnotice: () => {},
    backoff: reconnectDelay,
    ...connectTimeout(databaseUrl),
    ...withoutDelay(databaseUrl, open),
    connection: {
      application_name: options.applicationName ?? 'tributary',
      ...options.settings,
    },
  });
  sockets.set(pool, open);
  pool.begin = endWithConnection(pool.begin);
  return pool;
}

/** Milliseconds that a socket may take to close after an error that ends its connection. */
const CLOSING_MS = 1_000;

/** Codes of errors of the driver and of sockets after which a connection closes. */
const CLOSING_CODES = /^(CONNECTION_CLOSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

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
function isClosing(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return /^(FATAL|PANIC)$/.test(error.severity);
  return error instanceof Error && 'code' in error && CLOSING_CODES.test(String(error.code));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Open sockets of each pool. */
const sockets = new WeakMap<Pool, Set<Socket>>();

/**
 * Cuts all connections of a pool: their statements fail, and the next ones connect again. For a server
 * that has gone silent, whose connections would otherwise be waited for until TCP gives up.
 */
export function cutConnections(pool: Pool): void {
  for (const socket of sockets.get(pool) ?? []) socket.destroy();
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

function connectTimeout(databaseUrl: string): { connect_timeout?: number } {
  return databaseUrl.includes('connect_timeout=') ? {} : { connect_timeout: CONNECT_SECONDS };
}

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

/** Seconds that statements under way have when a process ends. */
const CLOSE_SECONDS = 10;

/**
 * Closes a pool: waits for the statements under way, then cuts them. Without the cut a process that
 * was asked to stop during many transactions has been seen to wait for the driver forever; what is cut is
 * rolled back.
 */
export async function closePool(pool: Pool, seconds = CLOSE_SECONDS): Promise<void> {
  await pool.end({ timeout: seconds });
}

/** The argument of postgres.js's option `socket`, which its types leave out. */
interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Path of a Unix socket, or false. */
  readonly path: string | false;
}

/**
 * Sockets that send immediately (TCP_NODELAY, RFC 1122 section 4.2.3.4). postgres.js leaves Nagle's
 * algorithm on: the second part of what is sent together then waits until the server has
 * acknowledged the first, which it puts off by up to 40 ms. A batch waited a dozen times
 * (docs/decisions.md#writing-the-ledger). A URL of several hosts is left to postgres.js, which tries them
 * in turn.
 */
function withoutDelay(
  databaseUrl: string,
  open: Set<Socket>,
): { socket?: (target: SocketTarget) => Socket } {
  if (databaseUrl.includes(',')) return {};
  return {
    socket: ({ host: [host = 'localhost'], port: [port = 5432], path }) => {
      const socket = new Socket();
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.setNoDelay(true);
      // What TLS checks the server's certificate for. It connects while postgres.js goes on:
      // what is written meanwhile waits, and a refusal comes as an event, which is tried again.
      Object.assign(socket, { host, port });
      return path === false ? socket.connect(port, host) : socket.connect(path);
    },
  };
}
