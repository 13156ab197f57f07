import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  type DatabaseAddress,
  DatabaseUrlError,
  libpqUrl,
  parseDatabaseUrl,
  placeOf,
} from './database-url.ts';

const ca = 'engine/database-url.ts';

const forms: readonly (readonly [provider: string, url: string, expected: object])[] = [
  [
    'Neon',
    'postgresql://shop_owner:npg_1@ep-cool-1.eu-central-1.aws.neon.tech/shop?sslmode=require&channel_binding=require',
    {
      host: 'ep-cool-1.eu-central-1.aws.neon.tech',
      port: 5432,
      database: 'shop',
      tls: { verify: 'host' },
    },
  ],
  [
    'Supabase, session pooling',
    'postgresql://postgres.abc:pa%24s@aws-0-eu-central-1.pooler.supabase.com:5432/postgres?pgbouncer=true&connection_limit=1&supa=base-pooler.x',
    { user: 'postgres.abc', password: 'pa$s', port: 5432, tls: undefined },
  ],
  [
    'RDS',
    `postgres://u:p@shop.abc.eu-west-1.rds.amazonaws.com:5432/shop?sslmode=verify-full&sslrootcert=${ca}`,
    { tls: { verify: 'host', rootCertFile: ca } },
  ],
  [
    'RDS with a bundle and require',
    `postgres://u:p@h/d?sslmode=require&sslrootcert=${ca}`,
    { tls: { verify: 'authority', rootCertFile: ca } },
  ],
  [
    'Azure',
    'postgres://u%40server:p@server.postgres.database.azure.com/d?sslmode=require',
    { user: 'u@server', tls: { verify: 'nothing' } },
  ],
  ['Heroku', 'postgres://u:p@h:5432/d?sslmode=no-verify', { tls: { verify: 'nothing' } }],
  [
    'Prisma',
    'postgres://u:p@h/d?connection_limit=5&pool_timeout=10&connect_timeout=30',
    { connectTimeout: 30 },
  ],
  [
    'keepalives',
    'postgres://u:p@h/d?keepalives=1&keepalives_idle=30&tcp_user_timeout=9',
    { host: 'h' },
  ],
  ['IPv6', 'postgres://u:p@[::1]:6432/d', { host: '::1', port: 6432 }],
  ['IPv6 without port', 'postgres://u:p@[2001:db8::7]/d', { host: '2001:db8::7', port: 5432 }],
  [
    'a Unix socket',
    'postgresql:///d?host=/var/run/postgresql',
    { host: '/var/run/postgresql', database: 'd' },
  ],
  [
    'a Unix socket with a user',
    'postgresql://u:p@/d?host=/run/pg&port=5433',
    { host: '/run/pg', port: 5433, user: 'u' },
  ],
  [
    'an encoded Unix socket',
    'postgres://u@%2Fvar%2Frun%2Fpostgresql/d',
    { host: '/var/run/postgresql', user: 'u' },
  ],
  ['an encoded database', 'postgres://u@h/my%20shop%2F1', { database: 'my shop/1' }],
  ['nothing but the scheme', 'postgres://', { host: 'localhost', port: 5432, database: undefined }],
  [
    'options',
    'postgres://u@h/d?options=-c%20search_path%3Dshop',
    { options: '-c search_path=shop' },
  ],
  [
    'system authorities',
    'postgres://u@h/d?sslmode=require&sslrootcert=system',
    { tls: { verify: 'host', rootCertFile: undefined } },
  ],
  ['ssl=true', 'postgres://u@h/d?ssl=true', { tls: { verify: 'host' } }],
  ['ssl=require', 'postgres://u@h/d?ssl=require', { tls: { verify: 'nothing' } }],
  [
    'a client certificate',
    `postgres://u@h/d?sslmode=require&sslcert=${ca}&sslkey=${ca}`,
    { tls: { certFile: ca, keyFile: ca } },
  ],
];

describe('parseDatabaseUrl', () => {
  it.each(forms)('understands the form of %s', (_provider, url, expected) => {
    expect(parseDatabaseUrl(url)).toMatchObject(expected);
  });

  it.each([
    ['https://h/d', 'must be a URL that starts with postgres://'],
    ['postgres://u@h1:1,h2:2/d', 'must name one host'],
    ['postgres://u@h1,h2/d', 'must name one host'],
    ['postgres://u:100%@h/d', 'must have each % in user'],
    ['postgres://u@h/d?statement_timeout=5', 'must not have the parameter "statement_timeout"'],
    ['postgres://u@h/d?sslmode=prefer', 'must not have sslmode=prefer'],
    ['postgres://u@h/d?sslmode=yes', 'must have sslmode disable'],
    ['postgres://u@h/d?sslmode=verify-ca', 'must have sslrootcert with sslmode=verify-ca'],
    ['postgres://u@h/d?sslrootcert=/ca', 'must have sslmode together with sslrootcert'],
    ['postgres://u@h/d?channel_binding=require', 'must have sslmode=require together with'],
    ['postgres://u@h/d?sslmode=require&sslcert=/c', 'must have sslcert and sslkey together'],
    ['postgres://u@h/d?sslmode=disable&sslmode=require', 'must have the parameter sslmode once'],
    ['postgres://u@h/d?connect_timeout=soon', 'must have a whole number as connect_timeout'],
    ['postgres://u@h/d?port=99999&host=x', 'must have a whole number as port'],
  ])('refuses %s', (url, sentence) => {
    expect(() => parseDatabaseUrl(url)).toThrow(DatabaseUrlError);
    expect(() => parseDatabaseUrl(url)).toThrow(sentence);
  });
});

describe('libpqUrl', () => {
  it.each(forms)('means the same to itself and to node-postgres: %s', (_provider, url) => {
    const address = parseDatabaseUrl(url);
    const again = libpqUrl(address);
    expect(parseDatabaseUrl(again)).toEqual(address);
    const parsed = parametersOf(again);
    expect(parsed).toMatchObject(definedOf(address));
    expect(verificationOf(parsed.ssl)).toBe(address.tls?.verify);
  });
});

/** Parts of a URL as node-postgres understands it. */
function parametersOf(url: string) {
  const { connectionParameters } = new pg.Client(url) as unknown as {
    connectionParameters: { readonly ssl: false | ConnectionOptions };
  };
  return connectionParameters;
}

/** The parts for which a driver has no default. */
function definedOf({ host, port, database, user, password }: DatabaseAddress): object {
  const parts = Object.entries({ host, port, database, user, password });
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

function verificationOf(ssl: false | ConnectionOptions) {
  if (ssl === false) return undefined;
  if (ssl.rejectUnauthorized === false) return 'nothing';
  return ssl.checkServerIdentity === undefined ? 'host' : 'authority';
}

it('names the place without user and password', () => {
  const places = ['postgres://u:p@h/d', 'postgres://u:p@[::1]:1/d', 'postgres:///d?host=/run/pg'];
  expect(places.map((url) => placeOf(parseDatabaseUrl(url)))).toEqual([
    'h:5432',
    '[::1]:1',
    '/run/pg/.s.PGSQL.5432',
  ]);
});
