import type { Readable, Writable } from 'node:stream';
import {
  Connection,
  ConnectionError,
  type ConnectionOptions,
  sqlStateOf,
} from './driver/connection.ts';
import { Listener } from './listener.ts';
import { type Rows, type Sender, type Sql, type Statement, sqlOf } from './sql.ts';

/** Work of a transaction. */
export type Work<T> = (sql: Sql) => PromiseLike<T> | T;

/** A pool of connections. */
export interface Pool extends Sql {
  /**
   * Runs work in a transaction, which is rolled back if the work or one of its statements fails. If its connection is
   * lost, it fails immediately, and sends nothing more.
   * @param options of `begin`, such as `read only`.
   */
  begin<T>(work: Work<T>): Promise<T>;
  begin<T>(options: string, work: Work<T>): Promise<T>;
  /** Waits for the statements under way, for `timeout` seconds at most, then cuts them. */
  end(options?: { readonly timeout?: number }): Promise<void>;
  /** Path of its statements and transactions to the connections. */
  readonly port: PoolPort;
  readonly connections: Connections;
}

/** Statements of one connection, which also runs transactions. */
export interface SessionSql extends Sql {
  /** Runs work in a transaction, as `Pool.begin` does. */
  begin<T>(work: Work<T>): Promise<T>;
}

/** A sender that also runs transactions. */
export interface PoolPort extends Sender {
  begin<T>(options: string, work: Work<T>): Promise<T>;
}

/** @param port path of statements and transactions to the connections; default: they go there directly. */
export function poolOf(connections: Connections, port: PoolPort = connections): Pool {
  return Object.assign(sqlOf(port), {
    begin: <T>(...args: [string, Work<T>] | [Work<T>]) =>
      args.length === 2 ? port.begin(args[0], args[1]) : port.begin('', args[0]),
    end: ({ timeout }: { readonly timeout?: number } = {}) => connections.close(timeout),
    port,
    connections,
  });
}

/** Statements that are sent on a connection of their own. */
export function sessionSqlOf(connection: Connection): SessionSql {
  return Object.assign(sqlOf(connection), {
    begin: <T>(work: Work<T>) => transaction(connection, '', work),
  });
}

/** Statements that a connection is given before the answer of the first. */
const MAX_PIPELINED = 100;

/** Milliseconds after which a connection is replaced when it becomes free, and as much again by chance. */
const LIFE_MS = 30 * 60_000;

/** Milliseconds between two tries to connect, at most: more outlasts most restarts. */
const MAX_RECONNECT_MS = 500;

/** Seconds that statements under way have when a pool is closed. */
const CLOSE_SECONDS = 10;

/** Takes a connection once there is one, or learns that there will be none. */
interface Waiting {
  readonly take: (connection: Connection) => void;
  readonly refuse: (reason: Error) => void;
  /** When another connection may be opened for it, by `performance.now`. */
  readonly growAt: number;
}

/** How many connections a pool has, and how they are used. */
export interface PoolSize {
  readonly max: number;
  /** Connections that stay open while nothing uses them. */
  readonly keep: number;
  /** Milliseconds without a statement after which others are closed, and as much again until that is noticed. */
  readonly idleMs: number;
  /** Milliseconds that a statement waits for an open connection before another one is opened. */
  readonly growMs: number;
  /** True if statements also use the connection that listens. Notifications wait for a statement that runs there. */
  readonly sharesListener: boolean;
}

/** Times of an open connection, by `performance.now`. */
interface Times {
  /** When it is old. */
  readonly oldAt: number;
  /** When its last statement ended, or it was made. */
  usedAt: number;
}

/** Connections of a pool, and who uses which. */
export class Connections implements PoolPort {
  readonly max: number;
  readonly #size: PoolSize;
  /** Number of connections that have ended, or could not be made; not those that were closed because nothing used them. */
  losses = 0;
  readonly #options: ConnectionOptions;
  /** The open connections, oldest first. */
  readonly #open = new Map<Connection, Times>();
  /** Those that serve one caller alone. */
  readonly #reserved = new Set<Connection>();
  readonly #waiting: Waiting[] = [];
  readonly #listener = new Listener((own) => this.connect(own));
  /** Tries to connect that failed since the last that did not, and when a connection ended last. */
  #failures = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  readonly #closing = new Set<Promise<void>>();
  #isClosing = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #onDrained: (() => void)[] = [];

  constructor(options: ConnectionOptions, size: PoolSize) {
    this.#options = options;
    this.#size = size;
    this.max = size.max;
  }

  send(statement: Statement): Promise<Rows> {
    const listening = this.#size.sharesListener ? this.#listener.free : undefined;
    if (listening !== undefined) return listening.send(statement);
    return this.#use((connection) => connection.send(statement));
  }

  async *cursor(statement: Statement, size: number): ReturnType<Sender['cursor']> {
    const connection = await this.#reserve();
    try {
      yield* connection.cursor(statement, size);
    } finally {
      this.#release(connection);
    }
  }

  async copyIn(text: string): ReturnType<Sender['copyIn']> {
    return await this.#copy((connection) => connection.copyIn(text));
  }

  async copyOut(text: string): ReturnType<Sender['copyOut']> {
    return await this.#copy((connection) => connection.copyOut(text));
  }

  async begin<T>(options: string, work: Work<T>): Promise<T> {
    const connection = await this.#reserve();
    try {
      return await transaction(connection, options, work);
    } finally {
      this.#release(connection);
    }
  }

  /** See `listen` of `notify.ts`. */
  async listen(...what: Parameters<Listener['listen']>): ReturnType<Listener['listen']> {
    return await this.#listener.listen(...what);
  }

  /** Makes a connection to the same server that does not belong to the pool. */
  connect(own: Partial<ConnectionOptions> = {}): Connection {
    const wait = this.#endedAt + reconnectMs(this.#failures) - performance.now();
    return new Connection({ ...this.#options, delayMs: Math.max(0, wait), ...own });
  }

  /** Ends all connections: their statements fail, and the next ones connect again. */
  cut(): void {
    this.#destroyAll(new ConnectionError('CONNECTION_CLOSED'));
    this.#listener.cut(new ConnectionError('CONNECTION_CLOSED'));
  }

  /** Closes the pool: waits for the statements under way, then cuts them. */
  async close(seconds = CLOSE_SECONDS): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#idleTimer);
    this.#closing.add(this.#listener.close());
    const timer = setTimeout(() => {
      const reason = new ConnectionError('CONNECTION_DESTROYED');
      for (const { refuse } of this.#waiting.splice(0)) refuse(reason);
      this.#destroyAll(reason);
      this.#serve();
    }, seconds * 1_000);
    await new Promise<void>((resolve) => {
      this.#onDrained.push(resolve);
      this.#serve();
    });
    clearTimeout(timer);
    await Promise.all(this.#closing);
  }

  /** Runs something on the next connection, which others may use concurrently. */
  #use<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosing) return Promise.reject(new ConnectionError('CONNECTION_ENDED'));
    const { growMs } = this.#size;
    const growAt = performance.now() + growMs;
    const connection = this.#waiting.length === 0 ? this.#pick(growAt) : undefined;
    if (connection !== undefined) return run(connection);
    if (growMs > 0 && this.#open.size < this.max) setTimeout(() => this.#serve(), growMs);
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        take: (next) => run(next).then(resolve, reject),
        refuse: reject,
        growAt,
      });
    });
  }

  /** Takes the next connection for one caller alone, who sends after what was sent on it already. */
  #reserve(): Promise<Connection> {
    return this.#use((connection) => {
      this.#reserved.add(connection);
      return Promise.resolve(connection);
    });
  }

  #release(connection: Connection): void {
    this.#reserved.delete(connection);
    this.#onFree(connection);
  }

  async #copy<S extends Readable | Writable>(
    start: (connection: Connection) => Promise<S>,
  ): Promise<S> {
    const connection = await this.#reserve();
    try {
      const stream = await start(connection);
      stream.once('close', () => this.#release(connection));
      return stream;
    } catch (error) {
      this.#release(connection);
      throw error;
    }
  }

  /**
   * A free connection, a new one, or the one with the fewest statements. `undefined` if all are in use, or it is too early
   * for a new one.
   */
  #pick(growAt: number): Connection | undefined {
    let least: Connection | undefined;
    for (const connection of this.#open.keys()) {
      if (this.#reserved.has(connection)) continue;
      if (connection.load === 0) return connection;
      if (least === undefined || connection.load < least.load) least = connection;
    }
    if (this.#open.size < this.max) {
      // A timer may fire within the millisecond before.
      const isEarly = this.#open.size > 0 && performance.now() < growAt - 1;
      return isEarly ? undefined : this.#add();
    }
    return least !== undefined && least.load < MAX_PIPELINED ? least : undefined;
  }

  #add(): Connection {
    let isMade = false;
    const connection = this.connect({
      onOpen: () => {
        isMade = true;
        this.#failures = 0;
      },
      onIdle: () => this.#onFree(connection),
      onEnd: () => {
        if (!isMade) this.#failures += 1;
        this.#onEnd(connection);
      },
    });
    const usedAt = performance.now();
    this.#open.set(connection, { oldAt: usedAt + LIFE_MS * (1 + Math.random()), usedAt });
    return connection;
  }

  #onFree(connection: Connection): void {
    const now = performance.now();
    const times = this.#open.get(connection);
    if (times !== undefined) times.usedAt = now;
    const isOld = (times?.oldAt ?? 0) < now;
    if (isOld && this.#isFree(connection)) connection.destroy();
    else this.#serve();
    this.#watchIdle();
  }

  /** Has idle connections closed in a while, if there are more than stay open. */
  #watchIdle(): void {
    if (this.#isClosing || this.#idleTimer !== undefined || this.#open.size <= this.#size.keep)
      return;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      this.#closeIdle();
      this.#watchIdle();
    }, this.#size.idleMs).unref();
  }

  /** Closes connections that nothing has used for a while. Those that were made first are used first, and stay. */
  #closeIdle(): void {
    const before = performance.now() - this.#size.idleMs;
    for (const [connection, { usedAt }] of [...this.#open].reverse()) {
      if (this.#open.size <= this.#size.keep) return;
      if (usedAt > before || !this.#isFree(connection)) continue;
      // Before its end, which is then no loss.
      this.#open.delete(connection);
      connection.destroy();
    }
  }

  #onEnd(connection: Connection): void {
    const isLoss = this.#open.delete(connection);
    this.#reserved.delete(connection);
    this.#closing.add(connection.closed);
    void connection.closed.then(() => this.#closing.delete(connection.closed));
    if (!isLoss) return;
    this.losses += 1;
    this.#endedAt = performance.now();
    this.#serve();
  }

  /** Gives connections to those who wait. Once nothing waits, a pool that closes ends its free connections. */
  #serve(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const connection = this.#pick(next.growAt);
      if (connection === undefined) return;
      this.#waiting.shift();
      next.take(connection);
    }
    if (!this.#isClosing) return;
    const free = [...this.#open.keys()].filter((connection) => this.#isFree(connection));
    for (const connection of free) connection.destroy();
    if (this.#open.size === 0) for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #isFree(connection: Connection): boolean {
    return this.#open.has(connection) && connection.load === 0 && !this.#reserved.has(connection);
  }

  #destroyAll(reason: Error): void {
    for (const connection of [...this.#open.keys()]) connection.destroy(reason);
  }
}

/** Milliseconds from the end of a connection to the next one. */
function reconnectMs(failures: number): number {
  const delay = Math.min(20 * 2 ** Math.min(failures, 10), MAX_RECONNECT_MS);
  return delay * (0.5 + Math.random() / 2);
}

const COMMIT = simple('commit');
const ROLLBACK = simple('rollback');

function simple(text: string): Statement {
  return { text, parameters: [], protocol: 'simple' };
}

/** SQLSTATE of `in_failed_sql_transaction`. */
const IN_FAILED_TRANSACTION = '25P02';

/** Runs work as a transaction of a connection that is reserved for it. */
async function transaction<T>(connection: Connection, options: string, work: Work<T>): Promise<T> {
  await connection.send(simple(`begin ${options}`));
  /** Errors of its statements, also of those that the work did not wait for. */
  const failures: unknown[] = [];
  let hasEnded = false;
  const during = <R>(send: () => Promise<R>): Promise<R> => {
    if (hasEnded && !connection.hasEnded)
      return Promise.reject(new Error('the transaction has ended'));
    const answer = send();
    answer.catch((error: unknown) => failures.push(error));
    return answer;
  };
  const sql = sqlOf({
    send: (statement) => during(() => connection.send(statement)),
    cursor: (statement, size) => connection.cursor(statement, size),
    copyIn: (text) => during(() => connection.copyIn(text)),
    copyOut: (text) => during(() => connection.copyOut(text)),
  });
  let result: T;
  try {
    result = await connection.guard(() => work(sql));
    // The server would answer the commit with a rollback.
    if (failures.length > 0) throw failures[0];
  } catch (error) {
    hasEnded = true;
    await connection.send(ROLLBACK).catch((reason: Error) => connection.destroy(reason));
    throw sqlStateOf(error) === IN_FAILED_TRANSACTION ? (failures[0] ?? error) : error;
  }
  hasEnded = true;
  await connection.send(COMMIT);
  // A statement that the work did not wait for has failed: the server has answered the commit with a rollback.
  if (failures.length > 0) throw failures[0];
  return result;
}
