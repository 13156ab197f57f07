import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { TransientSet } from '../../core/transient-set.ts';
import type { DatabaseAddress } from '../../database-url.ts';
import { byteaText, hexOfBytea } from '../hex.ts';
import { Json, type Row, type Rows, type Sender, type Statement } from '../sql.ts';
import { arrayTypes } from './array-types.ts';
import { toObjects } from './row-objects.ts';
import { openSocket } from './socket.ts';

/** An error that the server answers. Its `code` is the SQLSTATE. */
export const { PostgresError } = postgres;

/** The SQLSTATE of an error that the server answered; `undefined` for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof PostgresError ? error.code : undefined;
}

/** Codes of errors after which there is no session any more. */
const CLOSING_CODES = /^(CONNECTION_CLOSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/** True if a connection has ended, or ends with this error: the server calls it fatal to the session. */
export function isClosing(error: unknown): boolean {
  if (error instanceof PostgresError) return /^(FATAL|PANIC)$/.test(error.severity);
  return error instanceof Error && 'code' in error && CLOSING_CODES.test(String(error.code));
}

/** A connection could not be made in time, or was lost or closed. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: `CONNECT${string}`;

  constructor(code: ConnectionError['code'], options?: ErrorOptions) {
    super(`${code}: there is no connection to the database`, options);
    this.code = code;
  }
}

/** Bytes are `0x…` in the program (`hex.ts`). */
const bytea = { to: 17, from: [17], serialize: byteaText, parse: hexOfBytea };

/** Seconds that connecting may take, unless the URL says otherwise. */
const CONNECT_SECONDS = 5;

/** Milliseconds that statements under way have when a session is closed. */
const CLOSE_MS = 10_000;

/** Milliseconds that a server may take to close a session that was ended. */
const CLOSING_MS = 1_000;

/** The message that ends a session (PostgreSQL's documentation, "Message Formats": Terminate). */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

/** How a connection is made, and who learns what becomes of it. */
export interface ConnectionOptions {
  readonly address: DatabaseAddress;
  readonly applicationName: string;
  /** Statements that the session begins with. PgBouncer would refuse them as parameters of the greeting. */
  readonly setup: string;
  /** Milliseconds to wait before connecting. */
  readonly delayMs?: number;
  /** Called when the session is set up. */
  readonly onOpen?: () => void;
  /** Called when no statement is under way. */
  readonly onIdle?: () => void;
  /** Called once, when the connection was lost or closed, or could not be made. */
  readonly onEnd?: () => void;
  readonly onNotify?: (channel: string, payload: string) => void;
  /** Called with each statement that is sent. */
  readonly onStatement?: OnStatement | undefined;
}

/** Receives each statement that is sent: its text, its parameters, and the number of its connection. */
export type OnStatement = (
  text: string,
  parameters: readonly unknown[],
  connection: number,
) => void;

let connections = 0;

/**
 * One session of the server. It is used until it ends, and never again: then everything that waits for it fails, and it
 * sends nothing more. postgres.js 3.4.9, whose pool has one connection here, would connect again: it can leave a
 * statement without an answer that it was given between the end of a socket and the report of it, fail the next statement
 * with the error of the ended session, and write to a socket that is gone, which ends the process (porsager/postgres
 * issues 1208 and 1216). So the driver learns of an end after this class, and is asked nothing from then on.
 */
export class Connection implements Sender {
  readonly id: number;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #driver: postgres.Sql;
  /** Rejects each answer that is waited for, and ends each stream. */
  readonly #waiting = new TransientSet<(reason: Error) => void>();
  readonly #opening = new AbortController();
  #socket: Socket | undefined;
  #isReady = false;
  #end: Error | undefined;
  #onClosed: () => void = () => {};
  #onUnused: () => void = () => {};

  constructor(options: ConnectionOptions) {
    connections += 1;
    this.id = connections;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    this.#driver = this.#openDriver(options);
    this.#setUp(options);
  }

  /** Statements under way, and copies. */
  get load(): number {
    return this.#waiting.size;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  send(statement: Statement): Promise<Rows> {
    const query = () => this.#query(statement);
    // The answer of several statements is a list of answers.
    if (statement.protocol === 'simple') return this.#answer(query, statement.origin, ownRows);
    return this.#answer<Answer>(() => query().values(), statement.origin, namedRows);
  }

  async *cursor(statement: Statement, size: number): AsyncIterable<Row[]> {
    const batches = this.#query(statement).cursor(size)[Symbol.asyncIterator]();
    let isDone = false;
    try {
      for (;;) {
        const next = await this.guard(() => batches.next());
        isDone = next.done === true;
        if (isDone) return;
        yield ownRows(next.value);
      }
    } finally {
      if (!isDone && !this.hasEnded) await batches.return?.();
    }
  }

  async copyIn(text: string): Promise<Writable> {
    const query = this.#query({ text, parameters: [], protocol: 'simple' });
    const sink = await this.#answer(() => query.writable());
    // postgres.js 3.4.9 reports an error that comes after the last line to the statement alone, which has resolved with
    // the stream, and the stream would wait for ever.
    Reflect.set(query, 'reject', (error: Error) => sink.destroy(error));
    this.#follow(sink);
    return sink;
  }

  async copyOut(text: string): Promise<Readable> {
    const query = this.#query({ text, parameters: [], protocol: 'simple' });
    const lines = await this.#answer(() => query.readable());
    // postgres.js 3.4.9 pauses the connection while the reader is slow, and resumes it only when the stream is read
    // again. After the last read the next statement would wait forever, as would a rollback after the reader failed.
    lines.once('close', () => {
      lines.push = () => true;
      this.#socket?.resume();
    });
    this.#follow(lines);
    return lines;
  }

  /** Waits for work that uses this connection: it fails when the connection ends. */
  async guard<T>(work: () => PromiseLike<T> | T): Promise<T> {
    return await this.#answer(async () => await work());
  }

  /**
   * Ends the connection now: everything that waits for it fails.
   * @param reason the error of that. Without it the session is ended in order, when nothing is under way.
   */
  destroy(reason?: Error): void {
    if (this.hasEnded) return;
    this.#end = reason ?? new ConnectionError('CONNECTION_ENDED');
    this.#opening.abort();
    for (const fail of this.#waiting.clear()) fail(this.#end);
    this.#onUnused();
    if (this.#socket === undefined || this.#socket.closed) this.#onClosed();
    else if (reason === undefined) void this.#terminate(this.#socket);
    else this.#socket.destroy();
    this.#options.onEnd?.();
  }

  /** Ends the session when nothing is under way any more, after 10 s at most. */
  async close(): Promise<void> {
    if (this.load > 0) {
      const reason = new ConnectionError('CONNECTION_DESTROYED');
      const timer = setTimeout(() => this.destroy(reason), CLOSE_MS);
      await new Promise<void>((resolve) => {
        this.#onUnused = resolve;
      });
      clearTimeout(timer);
    }
    this.destroy();
    await this.closed;
  }

  async #terminate(socket: Socket): Promise<void> {
    const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
    socket.end(TERMINATE);
    await this.closed;
    clearTimeout(timer);
  }

  #openDriver({ address, applicationName, onNotify }: ConnectionOptions): postgres.Sql {
    const { host, port, database, user, password, options } = address;
    let isOpened = false;
    const open = async () => {
      // The driver would connect again for a statement that it has not sent yet.
      if (isOpened) throw new ConnectionError('CONNECTION_CLOSED');
      isOpened = true;
      return await this.#openSocket();
    };
    return postgres({
      host,
      port,
      ...(database !== undefined && { database }),
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      max: 1,
      connect_timeout: 0,
      idle_timeout: 0,
      max_lifetime: 0,
      onnotice: () => {},
      ...(onNotify !== undefined && { onnotify: onNotify }),
      // The socket is encrypted already.
      ssl: false,
      // It would ask each connection, and no code catches the error of its question, which ends the process.
      fetch_types: false,
      types: { ...arrayTypes, bytea },
      socket: open,
      connection: {
        application_name: applicationName,
        ...(options !== undefined && { options }),
      },
    } as postgres.Options<Record<string, postgres.PostgresType>> & OptionSocket) as postgres.Sql;
  }

  async #openSocket(): Promise<Socket> {
    const { address, delayMs = 0 } = this.#options;
    const { signal } = this.#opening;
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    const socket = await openSocket(address, signal);
    this.#socket = socket;
    let failure: Error | undefined;
    socket.once('error', (error) => {
      failure = error;
      this.#lose(error);
    });
    socket.once('end', () => this.#lose(failure));
    socket.once('close', () => {
      this.#lose(failure);
      this.#onClosed();
    });
    if (socket.destroyed || this.hasEnded) {
      socket.destroy();
      throw this.#end ?? new ConnectionError('CONNECTION_CLOSED');
    }
    return socket;
  }

  #lose(cause: Error | undefined): void {
    const reason = this.#isReady ? undefined : cause;
    this.destroy(reason ?? new ConnectionError('CONNECTION_CLOSED', { cause }));
  }

  #setUp({ address, setup, onOpen }: ConnectionOptions): void {
    const seconds = address.connectTimeout ?? CONNECT_SECONDS;
    const late = () => this.destroy(new ConnectionError('CONNECT_TIMEOUT'));
    const timer =
      seconds > 0 ? setTimeout(late, seconds * 1_000 + (this.#options.delayMs ?? 0)) : undefined;
    this.#answer(() => this.#driver.unsafe(setup)).then(
      () => {
        clearTimeout(timer);
        this.#isReady = true;
        onOpen?.();
      },
      (error: unknown) => {
        clearTimeout(timer);
        this.destroy(error as Error);
      },
    );
  }

  #query({ text, parameters, protocol }: Statement): postgres.PendingQuery<postgres.Row[]> {
    const plain = (one: unknown) => (one instanceof Json ? one.value : one);
    this.#options.onStatement?.(text, parameters.map(plain), this.id);
    const values = parameters.map((one) => {
      // The driver would fail the statement that is running.
      if (one === undefined) throw new TypeError('a parameter is undefined');
      return one instanceof Json ? this.#driver.json(one.value as postgres.JSONValue) : one;
    });
    const query: postgres.PendingQuery<postgres.Row[]> = this.#driver.unsafe(
      text,
      values as never[],
      PROTOCOLS[protocol],
    );
    endIfRetried(query, this);
    return query;
  }

  /** Waits for an answer of the driver, but not beyond the end of the connection. */
  #answer<T>(
    ask: () => PromiseLike<T>,
    origin?: Error,
    read: (value: T) => T = (value) => value,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      const asked = ask();
      this.#waiting.add(reject);
      asked.then(
        (value) => {
          resolve(read(value));
          this.#answered(reject);
        },
        (error: unknown) => {
          reject(withOrigin(error, origin));
          this.#answered(reject);
        },
      );
    });
  }

  #answered(waiting: (reason: Error) => void): void {
    if (!this.#waiting.delete(waiting) || this.#waiting.size > 0) return;
    this.#onUnused();
    this.#options.onIdle?.();
  }

  /** Ends a stream with the connection, which is in use until the stream has closed. */
  #follow(stream: Readable | Writable): void {
    const fail = (reason: Error) => stream.destroy(reason);
    // It may fail before its user listens to it, who still learns of it then.
    stream.on('error', () => {});
    this.#waiting.add(fail);
    stream.once('close', () => this.#answered(fail));
  }
}

/**
 * Rows of an answer without those of the statement before. If that failed after its first rows, postgres.js 3.4.9 begins the
 * next answer of the session at their number: it would have a hole for each of them, and its first row would be none.
 */
function ownRows<T extends readonly unknown[]>(rows: T): T {
  if (rows.length > 0 && !(0 in rows)) {
    const holes = rows.findIndex((_, i) => i in rows);
    (rows as unknown as unknown[]).splice(0, holes);
  }
  return rows;
}

/** Rows without names. */
type Answer = Rows<unknown[][]> & { readonly columns: readonly { readonly name: string }[] | null };

/** Rows of an answer as objects. */
function namedRows(answer: Answer): Answer {
  const rows = ownRows(answer);
  if (rows.columns !== null) toObjects(rows, rows.columns);
  return rows;
}

const OWNER = Symbol('the connection that a query is sent on');

/**
 * If a migration has given the result of a prepared statement other columns, postgres.js 3.4.9 sends it again, in two
 * parts, and other statements in between: they get each other's answers, and in a transaction none. So the session ends.
 * The driver's queries share the property by which that is noticed: one of its own would make each query slow.
 */
function endIfRetried(query: object, owner: Connection): void {
  Reflect.set(query, OWNER, owner);
  const prototype: unknown = Object.getPrototypeOf(query);
  if (typeof prototype !== 'object' || prototype === null || 'retried' in prototype) return;
  Object.defineProperty(prototype, 'retried', {
    set(this: { readonly [OWNER]?: Connection }, cause: Error) {
      // A query that is not of a `Connection` remains the driver's.
      if (this[OWNER] === undefined) {
        Object.defineProperty(this, 'retried', { value: cause, writable: true });
      } else this[OWNER].destroy(new ConnectionError('CONNECTION_CLOSED', { cause }));
    },
  });
}

/** Options of a statement, with one that the driver's types leave out. */
const PROTOCOLS: Readonly<
  Record<Statement['protocol'], postgres.UnsafeQueryOptions & { readonly simple: boolean }>
> = {
  prepared: { prepare: true, simple: false },
  unprepared: { prepare: false, simple: false },
  simple: { prepare: false, simple: true },
};

/** postgres.js's option `socket`, which its types leave out. */
interface OptionSocket {
  readonly socket: () => Promise<Socket>;
}

/** An error of the server whose stack says where its statement was written. */
function withOrigin(error: unknown, origin: Error | undefined): unknown {
  if (error instanceof PostgresError && origin?.stack !== undefined) {
    const value = error.stack + origin.stack.slice(origin.stack.indexOf('\n'));
    // The driver defines it, so that on Node 24 it is read-only.
    Object.defineProperty(error, 'stack', { value });
  }
  return error;
}
