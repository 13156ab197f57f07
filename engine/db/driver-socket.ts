import { readFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type DatabaseAddress, type DatabaseTls, DatabaseUrlError } from '../database-url.ts';

/** The message that asks a server for TLS (PostgreSQL's documentation, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** First bytes of messages of the server. */
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);
/** Messages that may come at any time: changed parameters, notices, notifications. */
const ASYNCHRONOUS = [...'SNA'].map((type) => type.charCodeAt(0));

/** A type and the length of the rest. */
const HEADER_BYTES = 5;

/** Bytes that wait in a direction before it is paused. */
const BUFFER_BYTES = 65_536;

type Callback = (error?: Error | null) => void;

/** Sockets of a pool that are open, and whether the pool was closed. */
export interface PoolSockets {
  readonly open: Set<DriverSocket>;
  closed: boolean;
}

/**
 * The connection that postgres.js writes to: already encrypted, and a session with our settings.
 *
 * - **TLS is negotiated here**, by the address's own rules, so that postgres.js sees the same socket with and without it.
 * - **Settings are sent after the greeting**, not with it: PgBouncer refuses parameters of the greeting that it does not know.
 * - **A loss is reported in one step**, its error together with its end, and with the other sockets of the pool that have ended.
 *   Node reports an error a moment before the end, and one socket after the other. In between, postgres.js 3.4.9 would give
 *   a lost connection the next statement, which is never answered, and not connect again for `connect_timeout`.
 * - **Data is sent immediately** (TCP_NODELAY, RFC 1122 section 4.2.3.4). With Nagle's algorithm the second part of what is
 *   sent together waits until the server has acknowledged the first, which it puts off by up to 40 ms. A batch waited a
 *   dozen times (bench/decisions.md#writing-the-ledger).
 */
export class DriverSocket extends Duplex {
  /** postgres.js names them in its errors. */
  readonly host: string;
  readonly port: number;
  readonly #pool: PoolSockets;
  readonly #raw = new Socket();
  readonly #greeting: Greeting;
  /** Takes data, once the connection is made and encrypted. */
  #stream: Duplex | undefined;
  #waiting: (() => void) | undefined;
  /** Reports error and end, once. */
  #end: (() => void) | undefined;

  /** @param setup statements that each session begins with. */
  constructor(address: DatabaseAddress, setup: string, pool: PoolSockets) {
    super({
      allowHalfOpen: false,
      readableHighWaterMark: BUFFER_BYTES,
      writableHighWaterMark: BUFFER_BYTES,
    });
    this.host = address.host;
    this.port = address.port;
    this.#pool = pool;
    this.#greeting = new Greeting(setup);
    pool.open.add(this);
    this.#raw.setNoDelay(true);
    this.#raw.once('error', (error) => this.destroy(error));
    this.#raw.once('close', () => this.#ended());
    // postgres.js may connect once more after its pool was closed.
    if (pool.closed) this.destroy();
    else this.#connect(address);
  }

  /** As of a `Socket`. */
  get readyState(): 'opening' | 'open' | 'closed' {
    if (this.destroyed) return 'closed';
    return this.#stream === undefined ? 'opening' : 'open';
  }

  /** As of a `Socket`. */
  setKeepAlive(enable: boolean, initialDelay: number): void {
    this.#raw.setKeepAlive(enable, initialDelay);
  }

  #connect({ host, port, tls }: DatabaseAddress): void {
    this.#raw.once('connect', () => {
      if (tls === undefined) this.#use(this.#raw);
      else this.#encrypt(tls);
    });
    if (host.startsWith('/')) this.#raw.connect(`${host}/.s.PGSQL.${port}`);
    else this.#raw.connect(port, host);
  }

  #encrypt(tls: DatabaseTls): void {
    this.#raw.once('data', (answer: Buffer) => {
      // More than one byte would be of somebody in between, and be read as if it came encrypted (CVE-2021-23222).
      if (answer.toString('latin1') !== 'S') {
        const reason = answer[0] === 'N'.charCodeAt(0) ? 'offers no TLS' : 'does not speak TLS';
        this.destroy(new DatabaseUrlError(`asks for TLS, but the server ${reason}`));
        return;
      }
      try {
        const stream = connectTls({ socket: this.#raw, ...tlsOptions(tls, this.host) });
        stream.once('secureConnect', () => this.#use(stream));
        stream.once('error', (error) => this.destroy(error));
        stream.once('close', () => this.destroy());
      } catch (error) {
        this.destroy(error as Error);
      }
    });
    this.#raw.write(SSL_REQUEST);
  }

  #use(stream: Duplex): void {
    this.#stream = stream;
    stream.on('data', (data: Buffer) => this.#receive(data));
    stream.once('end', () => this.push(null));
    this.#waiting?.();
  }

  #receive(data: Buffer): void {
    const { forward, send, failed } = this.#greeting.receive(data);
    if (send !== undefined) this.#stream?.write(send);
    if (forward.length > 0 && !this.push(forward)) this.#stream?.pause();
    if (failed) this.destroy();
  }

  override _read(): void {
    this.#stream?.resume();
  }

  override _write(data: Buffer, encoding: BufferEncoding, done: Callback): void {
    const stream = this.#stream;
    if (stream === undefined) this.#waiting = () => this._write(data, encoding, done);
    else if (stream.write(data)) done();
    else stream.once('drain', done);
  }

  override _final(done: Callback): void {
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed) done();
    else stream.end(() => done());
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#end = () => done(error);
    this.#stream?.destroy();
    this.#raw.destroy();
  }

  /** The raw socket has closed, a while after its error: postgres.js 3.4.9 sends nothing any more if it learns of it earlier. */
  #ended(): void {
    this.#pool.open.delete(this);
    this.destroy();
    const others = [...this.#pool.open].filter((other) => other.#raw.destroyed);
    for (const other of others) {
      this.#pool.open.delete(other);
      other.destroy(other.#raw.errored ?? undefined);
    }
    for (const one of [this, ...others]) one.#end?.();
  }

  /** `close` says whether there was an error, as that of a `Socket` does. */
  override emit(event: string | symbol, ...details: unknown[]): boolean {
    if (event === 'close') return super.emit('close', this.errored !== null);
    return super.emit(event as 'data', ...(details as [Buffer]));
  }
}

/** Options of Node for the TLS of an address. @throws {DatabaseUrlError} if a file cannot be read. */
function tlsOptions(tls: DatabaseTls, host: string): ConnectionOptions {
  const { verify, rootCertFile, certFile, keyFile } = tls;
  return {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(rootCertFile !== undefined && { ca: read('sslrootcert', rootCertFile) }),
    ...(certFile !== undefined && { cert: read('sslcert', certFile) }),
    ...(keyFile !== undefined && { key: read('sslkey', keyFile) }),
    rejectUnauthorized: verify !== 'nothing',
    ...(verify !== 'host' && { checkServerIdentity: () => undefined }),
  };
}

function read(parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new DatabaseUrlError(`has as ${parameter} a file that cannot be read${code}`);
  }
}

/** Use of data of the server. */
interface Received {
  /** For the driver. */
  readonly forward: Buffer;
  /** For the server. */
  readonly send?: Buffer;
  /** True if the session could not be set up; `forward` says why. */
  readonly failed?: boolean;
}

/**
 * The beginning of a session: after the server's greeting, and before the driver learns that it may ask, the statements of
 * the setup are sent.
 */
class Greeting {
  readonly #setup: string;
  #stage: 'greeting' | 'setup' | 'open' = 'greeting';
  #rest: Buffer = Buffer.alloc(0);

  constructor(setup: string) {
    this.#setup = setup;
  }

  receive(data: Buffer): Received {
    if (this.#stage === 'open') return { forward: data };
    const forward: Buffer[] = [];
    let send: Buffer | undefined;
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const message = this.#next();
      if (message === undefined) break;
      const [type = 0] = message;
      if (this.#stage === 'greeting') {
        if (type === READY_FOR_QUERY) {
          this.#stage = 'setup';
          send = simpleQuery(this.#setup);
        } else forward.push(message);
      } else if (type === READY_FOR_QUERY) {
        this.#stage = 'open';
        forward.push(message, this.#rest);
        break;
      } else if (type === ERROR_RESPONSE) {
        return { forward: Buffer.concat([...forward, message]), failed: true };
      } else if (ASYNCHRONOUS.includes(type)) forward.push(message);
    }
    return { forward: Buffer.concat(forward), ...(send !== undefined && { send }) };
  }

  /** The next message, if all of it has arrived. */
  #next(): Buffer | undefined {
    const rest = this.#rest;
    if (rest.length < HEADER_BYTES) return undefined;
    const end = rest.readUInt32BE(1) + 1;
    if (rest.length < end) return undefined;
    this.#rest = rest.subarray(end);
    return rest.subarray(0, end);
  }
}

function simpleQuery(statements: string): Buffer {
  const text = Buffer.from(`${statements}\0`);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('Q');
  header.writeUInt32BE(text.length + 4, 1);
  return Buffer.concat([header, text]);
}
