import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { libpqUrl, parseDatabaseUrl } from '../../engine/database-url.ts';
import { closePool, isClosing, openPool, type Pool } from '../../engine/db/connection.ts';
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts';
import { waitFor } from '../support/wait-for.ts';

let server: TlsPostgres;
let pool: Pool | undefined;

beforeAll(async () => {
  server = await startTlsPostgres();
});

afterAll(async () => {
  await server.remove();
});

afterEach(async () => {
  if (pool !== undefined) await closePool(pool, 0);
  pool = undefined;
});

const ENCRYPTED = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';

/** What the two drivers see of a URL: whether the session is encrypted, or the code of the error. */
const drivers: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'postgres.js': async (url) => {
    const own = openPool(url, { max: 1 });
    try {
      return (await own.unsafe(ENCRYPTED))[0]?.ssl;
    } catch (error) {
      return codeOf(error);
    } finally {
      await closePool(own, 0);
    }
  },
  'node-postgres': async (url) => {
    const client = new pg.Client(libpqUrl(parseDatabaseUrl(url)));
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(ENCRYPTED)).rows[0].ssl;
    } catch (error) {
      return codeOf(error);
    } finally {
      await client.end().catch(() => {});
    }
  },
};

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

describe.each(Object.entries(drivers))('connections with TLS by %s', (_name, connect) => {
  it('encrypt as the URL says', async () => {
    expect(await connect(server.url)).toBe(false);
    expect(await connect(server.urlWith('sslmode=disable'))).toBe(false);
    expect(await connect(server.urlWith('sslmode=require'))).toBe(true);
    expect(await connect(server.urlWith('sslmode=no-verify'))).toBe(true);
  });

  it('trust the authority of sslrootcert', async () => {
    const authority = `sslrootcert=${encodeURIComponent(server.authority)}`;
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      expect(await connect(server.urlWith(`sslmode=${mode}&${authority}`))).toBe(true);
    }
  });

  it('accept no server that no known authority vouches for', async () => {
    const code = 'DEPTH_ZERO_SELF_SIGNED_CERT';
    expect(await connect(server.urlWith('sslmode=verify-full'))).toBe(code);
    expect(await connect(server.urlWith('sslmode=require&channel_binding=require'))).toBe(code);
    expect(await connect(server.urlWith('sslrootcert=system&sslmode=require'))).toBe(code);
  });
});

it('says that a file of the URL cannot be read', async () => {
  pool = openPool(server.urlWith('sslmode=verify-full&sslrootcert=/nowhere'), { max: 1 });
  await expect(pool`select 1`).rejects.toThrow('a file that cannot be read (ENOENT)');
});

it('sends no password to a server that offers no TLS', async () => {
  const plain = await openPlainDoor();
  pool = openPool(`postgres://u:secret@127.0.0.1:${plain.port}/d?sslmode=require`, { max: 1 });
  await expect(pool`select 1`).rejects.toThrow('the server offers no TLS');
  expect(plain.received()).not.toContain('secret');
  await plain.close();
});

/** A server that offers no TLS, and remembers what it was sent. */
async function openPlainDoor() {
  const received: Buffer[] = [];
  const door = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received.push(data);
      socket.write('N');
    });
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    received: () => Buffer.concat(received).toString('latin1'),
    close: async () => {
      door.close();
      await once(door, 'close');
    },
  };
}

describe('sessions with TLS that the server ends', () => {
  it('fail what was running, and the next ones connect again, through restarts under load', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    const own = openPool(server.urlWith('sslmode=require'), { max: 8 });
    pool = own;
    const stopping = new AbortController();
    const outcomes: unknown[] = [];
    const reader = async () => {
      while (!stopping.signal.aborted) {
        await own`select ${1}::int`.catch((error: unknown) => outcomes.push(error));
        await sleep(2);
      }
    };
    const readers = Array.from({ length: 8 }, reader);
    // Pools that are closed while they connect: what ended an API.
    const closing = async () => {
      while (!stopping.signal.aborted) {
        const other = openPool(server.urlWith('sslmode=require'), { max: 2 });
        const statements = [other`select 1`, other`select 2`].map((one) => one.catch(() => {}));
        await sleep(Math.random() * 20);
        await closePool(other, 0);
        await Promise.all(statements);
      }
    };
    const closers = Array.from({ length: 3 }, closing);
    for (let i = 0; i < 3; i += 1) {
      await sleep(200);
      await server.restart();
    }
    const works = async () => (await own`select 1 as one`)[0]?.one === 1;
    await waitFor(works, { what: 'the server to answer again' });
    stopping.abort();
    await Promise.all([...readers, ...closers]);
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(0);
    const unexpected = outcomes.filter((error) => !isClosing(error) && !isAway(error));
    expect(unexpected).toEqual([]);
  });
});

/** True for what a server that restarts answers, or no process does. */
function isAway(error: unknown): boolean {
  return /^(57P0|ECONNREFUSED|CONNECT)/.test(String(codeOf(error)));
}
