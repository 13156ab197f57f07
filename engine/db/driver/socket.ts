import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type DatabaseAddress, type DatabaseTls, DatabaseUrlError } from '../../database-url.ts';

/** The message that asks a server for TLS (PostgreSQL's documentation, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Opens a socket to a server, encrypted by the address's own rules. It sends data immediately (TCP_NODELAY, RFC 1122
 * section 4.2.3.4). With Nagle's algorithm the second part of what is sent together waits until the server has
 * acknowledged the first, which it puts off by up to 40 ms (bench/decisions.md#writing-the-ledger).
 * @throws the error of the network; {@link DatabaseUrlError} if the server offers no TLS, or a file cannot be read.
 */
export async function openSocket(
  { host, port, tls }: DatabaseAddress,
  signal: AbortSignal,
): Promise<Socket> {
  const raw = new Socket();
  // Errors reach those who wait for an event; later ones come with the end.
  raw.on('error', () => {});
  try {
    raw.setNoDelay(true);
    if (host.startsWith('/')) raw.connect(`${host}/.s.PGSQL.${port}`);
    else raw.connect(port, host);
    await once(raw, 'connect', { signal });
    return tls === undefined ? raw : await encrypt(raw, tls, host, signal);
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

async function encrypt(
  raw: Socket,
  tls: DatabaseTls,
  host: string,
  signal: AbortSignal,
): Promise<Socket> {
  const options = tlsOptions(tls, host);
  raw.write(SSL_REQUEST);
  const [answer] = (await untilEvent(raw, 'data', signal)) as [Buffer];
  // More than one byte would be of somebody in between, and be read as if it came encrypted (CVE-2021-23222).
  if (answer.toString('latin1') !== 'S') {
    const reason = answer[0] === 'N'.charCodeAt(0) ? 'offers no TLS' : 'does not speak TLS';
    throw new DatabaseUrlError(`asks for TLS, but the server ${reason}`);
  }
  const stream = connectTls({ socket: raw, ...options });
  stream.on('error', () => {});
  try {
    await untilEvent(stream, 'secureConnect', signal);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Waits for an event of a socket. @throws its error, or `ECONNRESET` if it closes without one. */
async function untilEvent(socket: Socket, event: string, signal: AbortSignal): Promise<unknown[]> {
  const waiting = new AbortController();
  const closed = once(socket, 'close', { signal: waiting.signal }).then((): never => {
    throw Object.assign(new Error('The server closed the connection.'), { code: 'ECONNRESET' });
  });
  closed.catch(() => {});
  try {
    return await Promise.race([once(socket, event, { signal }), closed]);
  } finally {
    waiting.abort();
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
