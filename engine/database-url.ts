/*
 * One meaning of a database's URL for both drivers: libpq's (PostgreSQL's documentation, "Connection Strings" and
 * "SSL Support"), because that is what providers write their strings for. `db/driver/` gets the parts, and
 * node-postgres (the indexer) the URL of `libpqUrl`.
 */

/** How the connection is encrypted, and what is verified of the server. */
export interface DatabaseTls {
  /** `nothing`, that an authority signed its certificate, or also that the certificate is of this host. */
  readonly verify: 'nothing' | 'authority' | 'host';
  /** Files in PEM format: authorities in place of Node's own and `NODE_EXTRA_CA_CERTS`, client certificate, its key. */
  readonly rootCertFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

/** Parts of a database's URL. What is `undefined` is the driver's default, as `PGUSER`. */
export interface DatabaseAddress {
  /** Name or IP address without brackets, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** `undefined`: not encrypted. */
  readonly tls: DatabaseTls | undefined;
  readonly applicationName: string | undefined;
  /** Seconds. */
  readonly connectTimeout: number | undefined;
  /** Command-line options for the server, such as `-c search_path=shop`. */
  readonly options: string | undefined;
}

/** Thrown for a URL that no driver can follow. The message says what it must be, and repeats no part that is secret. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

const DEFAULT_PORT = 5432;

const SEVERAL_HOSTS =
  'must name one host: several need a name or a proxy that leads to the primary';

/** Parameters that mean something here. */
const KNOWN = new Set(
  [
    [
      'host',
      'port',
      'dbname',
      'user',
      'password',
      'application_name',
      'connect_timeout',
      'options',
    ],
    ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'channel_binding'],
  ].flat(),
);

/** Parameters of other drivers and of poolers, which change nothing here. */
const IGNORED = new Set(
  [
    ['pgbouncer', 'connection_limit', 'pool_timeout', 'pool_mode', 'supa', 'socket_timeout'],
    [
      'keepalives',
      'keepalives_idle',
      'keepalives_interval',
      'keepalives_count',
      'tcp_user_timeout',
    ],
    [
      'sslnegotiation',
      'sslcompression',
      'ssl_min_protocol_version',
      'gssencmode',
      'uselibpqcompat',
    ],
    [
      'client_encoding',
      'fallback_application_name',
      'target_session_attrs',
      'statement_cache_size',
    ],
  ].flat(),
);

/**
 * Reads a URL as RDS, Supabase, Neon and others give it.
 *
 * @throws {DatabaseUrlError} for what is not understood: a parameter that was ignored silently could be one that protects.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = urlOf(text);
  const parameters = parametersOf(url);
  const host = parameters.get('host') ?? decoded(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host.includes(',')) throw new DatabaseUrlError(SEVERAL_HOSTS);
  return {
    host: host === '' ? 'localhost' : host,
    port: numberOf('port', parameters.get('port') ?? url.port) ?? DEFAULT_PORT,
    database: given(parameters.get('dbname') ?? decoded(url.pathname.slice(1))),
    user: given(parameters.get('user') ?? decoded(url.username)),
    password: given(parameters.get('password') ?? decoded(url.password)),
    tls: tlsOf(parameters),
    applicationName: parameters.get('application_name'),
    connectTimeout: numberOf('connect_timeout', parameters.get('connect_timeout')),
    options: parameters.get('options'),
  };
}

function urlOf(text: string): URL {
  // A Unix socket with a user has no host, which the URL standard does not allow; its folder is a parameter.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?])/i, '$1localhost');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined && /^postgres(ql)?:\/\/[^/?#]*,/i.test(text)) {
    throw new DatabaseUrlError(SEVERAL_HOSTS);
  }
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new DatabaseUrlError('must be a URL that starts with postgres:// or postgresql://');
  }
  return url;
}

function parametersOf(url: URL): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (parameters.has(name)) throw new DatabaseUrlError(`must have the parameter ${name} once`);
    if (KNOWN.has(name) && value !== '') parameters.set(name, value);
    if (!KNOWN.has(name) && !IGNORED.has(name)) {
      throw new DatabaseUrlError(
        `must not have the parameter ${JSON.stringify(name.slice(0, 40))}, which is not known: ` +
          'settings of the server go into options, as in options=-c%20work_mem=64MB',
      );
    }
  }
  return parameters;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new DatabaseUrlError('must have each % in user, password, host and database as %25');
  }
}

function given(part: string): string | undefined {
  return part === '' ? undefined : part;
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new DatabaseUrlError(`must have a whole number as ${name}`);
  }
  return Number(text);
}

function tlsOf(parameters: ReadonlyMap<string, string>): DatabaseTls | undefined {
  const verify = verificationOf(parameters);
  if (verify === undefined) return undefined;
  const [rootCert, certFile, keyFile] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) =>
    parameters.get(name),
  );
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new DatabaseUrlError('must have sslcert and sslkey together');
  }
  return { verify, rootCertFile: rootCert === 'system' ? undefined : rootCert, certFile, keyFile };
}

/** How far the server is verified; `undefined` without encryption. */
function verificationOf(
  parameters: ReadonlyMap<string, string>,
): DatabaseTls['verify'] | undefined {
  const rootCert = parameters.get('sslrootcert');
  const mode = parameters.get('sslmode') ?? modeOfSsl(parameters.get('ssl'));
  if (mode === undefined || mode === 'disable') {
    const needing = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => parameters.has(name));
    if (needing !== undefined)
      throw new DatabaseUrlError(`must have sslmode together with ${needing}`);
    if (parameters.get('channel_binding') === 'require') {
      throw new DatabaseUrlError('must have sslmode=require together with channel_binding=require');
    }
    return undefined;
  }
  // libpq refuses less with the public authorities, who sign for everybody.
  if (rootCert === 'system' || mode === 'verify-full') return 'host';
  if (mode === 'require' || mode === 'no-verify') {
    // Neither driver has channel binding. It protects from a server in between, and so does the certificate.
    if (parameters.get('channel_binding') === 'require') return 'host';
    // As libpq does, for compatibility with its first versions.
    return rootCert === undefined || mode === 'no-verify' ? 'nothing' : 'authority';
  }
  if (mode === 'verify-ca') {
    if (rootCert !== undefined) return 'authority';
    throw new DatabaseUrlError(
      'must have sslrootcert with sslmode=verify-ca, or sslmode=verify-full',
    );
  }
  if (mode === 'prefer' || mode === 'allow') {
    throw new DatabaseUrlError(
      `must not have sslmode=${mode}, which sends the password unencrypted to who asks for it: use require, verify-full or disable`,
    );
  }
  throw new DatabaseUrlError('must have sslmode disable, require, verify-ca or verify-full');
}

/** Other drivers' parameter `ssl`, as a mode. */
function modeOfSsl(ssl: string | undefined): string | undefined {
  if (ssl === undefined || ssl === 'false' || ssl === '0') return undefined;
  return ssl === 'true' || ssl === '1' ? 'verify-full' : ssl;
}

/** The address as a URL that node-postgres (`uselibpqcompat`) and libpq understand as `parseDatabaseUrl` did. */
export function libpqUrl(address: DatabaseAddress): string {
  const { host, port, database, user, password, tls } = address;
  const { applicationName, connectTimeout, options } = address;
  const credentials = [user, password]
    .filter((part) => part !== undefined)
    .map(encodeURIComponent)
    .join(':');
  const modes = { nothing: 'require', authority: 'verify-ca', host: 'verify-full' } as const;
  const parameters: readonly (readonly [string, string | number | undefined])[] = [
    ['host', host],
    ['port', port],
    ['application_name', applicationName],
    ['connect_timeout', connectTimeout],
    ['options', options],
    ...(tls === undefined ? [] : tlsParameters(tls, modes[tls.verify])),
  ];
  const query = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const authority = credentials === '' ? 'localhost' : `${credentials}@localhost`;
  // node-postgres decodes no more of it.
  return `postgresql://${authority}/${encodeURI(database ?? '')}?${query.join('&')}`;
}

function tlsParameters(tls: DatabaseTls, mode: string) {
  return [
    ['uselibpqcompat', 'true'],
    ['sslmode', mode],
    ['sslrootcert', tls.rootCertFile],
    ['sslcert', tls.certFile],
    ['sslkey', tls.keyFile],
  ] as const;
}

/** Host and port for people, without the user and the password. */
export function placeOf({ host, port }: DatabaseAddress): string {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
