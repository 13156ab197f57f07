import { isAddress } from 'viem';
import { z } from 'zod';

/** The chain that a deployment serves, where it is not the embedded one. */
export type ChainEnv = {
  readonly chainId: number;
  readonly rpcUrls: readonly string[];
  /** Lower case. */
  readonly contractAddress: `0x${string}`;
  /** The block that the contract was deployed in, or one before it. */
  readonly startBlock: number;
  /** So many RPCs must give the same answer before facts are settled; default 1. */
  readonly rpcQuorum?: number;
  /** Announces new blocks to the indexer; without it they are polled for. */
  readonly rpcWsUrl?: string;
  /** What the indexer asks each RPC at most, to begin with, rounded up to twenties; default 20. */
  readonly rpcRequestsPerSecond?: number;
  /** Whose headers facts are checked by: of blocks near the head (default), or of all. */
  readonly checkBlooms?: 'near' | 'all';
};

/** An S3-compatible bucket for uploads and exports. */
export type StorageEnv = {
  readonly bucket: string;
  readonly region: string;
  /** Where it is not Amazon's. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** The keeper of a deployment (docs/operations.md, «Keeper»). */
export type KeeperEnv = {
  readonly privateKey: `0x${string}`;
  /** Gas units that one transaction may take. */
  readonly maxGas: bigint;
  /** Wei that a unit of gas may cost. */
  readonly maxFeePerGas: bigint;
};

/** The whole configuration, from the environment. Absent parts are the embedded ones. */
export type Env = {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly chain: ChainEnv | undefined;
  readonly host: string;
  readonly port: number;
  /** True if `PORT` is not set: `start` may then take another one. */
  readonly portIsDefault: boolean;
  /** Of a block explorer, without a slash at the end. */
  readonly explorerUrl: string | undefined;
  /** The origin that the API is reached at from outside; `undefined` where only this machine does. */
  readonly publicUrl: string | undefined;
  /** Browser origins that may read answers, sign in and write, exactly as they send them. */
  readonly allowedOrigins: readonly string[];
  /** Accounts that may moderate, in lower case. */
  readonly operators: readonly `0x${string}`[];
  /** Where uploads and exports are kept; `undefined` for files under `dataDir`. */
  readonly storage: StorageEnv | undefined;
  /** What the API derives its keys from; `undefined` uses a random one that the database holds. */
  readonly secret: string | undefined;
  /** The value of `secret` before it was changed: its links are accepted, and it signs nothing. */
  readonly secretPrevious: string | undefined;
  /** How many proxies of ours each request passes: their `X-Forwarded-For` is believed. */
  readonly trustedProxies: number;
  /** Requests a minute of one IP address. */
  readonly rateLimitPerMinute: number;
  /** MiB of answers that an API keeps to give them again; 0 keeps none. */
  readonly answersKeptMiB: number;
  /** Seconds that an API goes on taking requests after SIGTERM, while `/ready` says that it stops. */
  readonly drainSeconds: number;
  readonly logLevel: LogLevel;
  /** Where embedded PostgreSQL, anvil and the logs keep their files. */
  readonly dataDir: string;
  /** How many settlement workers run. */
  readonly workers: number;
  readonly pollingIntervalMs: number;
  /** Seconds that a head may stand still behind another before it is an alarm. */
  readonly stallSeconds: number;
  /**
   * Where a process serves its metrics. Under `start` the first worker takes it, each further one the
   * port after, and the API the last. `undefined`: workers serve none, and the API at its own port.
   */
  readonly metricsPort: number | undefined;
  /** What a reader of metrics must send (`Authorization: Bearer …`); `undefined` asks for nothing. */
  readonly metricsToken: string | undefined;
  /** Who finalizes sales whose hold is over; `undefined` where nobody of this deployment does. */
  readonly keeper: KeeperEnv | undefined;
  /** Set where spans are sent by OpenTelemetry: one of its usual variables names where to. */
  readonly tracing: { readonly serviceName: string | undefined } | undefined;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How much is logged, as pino names it. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Thrown where the environment is wrong: one sentence for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

const STORAGE_VARIABLES = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
const CHAIN_VARIABLES = ['CHAIN_ID', 'RPC_URL', 'CONTRACT_ADDRESS', 'START_BLOCK'] as const;

/** Any of them switches tracing on; the rest of OTEL_* is read by OpenTelemetry itself. */
const TRACING_VARIABLES = [
  'OTEL_TRACES_EXPORTER',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
] as const;

// The sentences name no value of a URL: it may hold a password or an API key.
const schema = z.object({
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  REDIS_URL: url(['redis:', 'rediss:']).optional(),
  CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER).optional(),
  RPC_URL: z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .pipe(z.array(url(['http:', 'https:'])))
    .optional(),
  CONTRACT_ADDRESS: address().optional(),
  START_BLOCK: integer(0, Number.MAX_SAFE_INTEGER).optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(1, 65_535).default(4000),
  EXPLORER_URL: url(['http:', 'https:'])
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .pipe(z.array(origin()))
    .default([]),
  PUBLIC_URL: origin().optional(),
  OPERATORS: z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .pipe(z.array(address()))
    .default([]),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ENDPOINT: url(['http:', 'https:']).optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
  TRUSTED_PROXIES: integer(0, 10).default(0),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000).default(1_200),
  ANSWERS_KEPT_MIB: integer(0, 4_096).default(32),
  DRAIN_SECONDS: integer(0, 600).default(5),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  DATA_DIR: z.string().default('.tributary'),
  WORKERS: integer(1, 64).default(1),
  POLLING_INTERVAL_MS: integer(100, 3_600_000).default(100),
  RPC_QUORUM: integer(1, 16).optional(),
  RPC_WS_URL: url(['ws:', 'wss:']).optional(),
  RPC_REQUESTS_PER_SECOND: integer(20, 10_000).optional(),
  CHECK_BLOOMS: z.enum(['near', 'all'], 'must be near or all').optional(),
  STALL_SECONDS: integer(1, 86_400).default(60),
  KEEPER_PRIVATE_KEY: z
    .string()
    .refine((text) => /^0x[0-9a-fA-F]{64}$/.test(text), 'must be 0x and 64 hexadecimal digits')
    .transform((text) => text as `0x${string}`)
    .optional(),
  KEEPER_MAX_GAS: integer(100_000, 1_000_000_000).default(5_000_000),
  KEEPER_MAX_FEE_GWEI: integer(1, 1_000_000).default(50),
  METRICS_PORT: integer(1, 65_471).optional(),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
});

/**
 * Reads the configuration. Entry points call it once; nothing else reads the environment. An empty
 * variable counts as absent. The four chain variables go together.
 *
 * @throws ConfigError with one sentence for each variable that is missing or bad.
 */
export function readEnv(source: Readonly<Record<string, string | undefined>> = process.env): Env {
  const given = Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value?.trim() ? [[name, value.trim()]] : [],
    ),
  );
  const parsed = schema.safeParse(given);
  const sentences = [
    ...badVariables(parsed.error),
    ...missingOf(given, CHAIN_VARIABLES, 'a chain'),
    ...missingOf(given, STORAGE_VARIABLES, 'a bucket'),
    ...tooFewRpcs(parsed.data),
    ...previousAlone(given),
  ];
  if (!parsed.success || sentences.length > 0) throw new ConfigError(sentences);
  const { data } = parsed;
  return {
    databaseUrl: data.DATABASE_URL,
    redisUrl: data.REDIS_URL,
    chain: chainOf(data),
    host: data.HOST,
    port: data.PORT,
    portIsDefault: given.PORT === undefined,
    explorerUrl: data.EXPLORER_URL,
    allowedOrigins: data.ALLOWED_ORIGINS,
    publicUrl: data.PUBLIC_URL,
    operators: data.OPERATORS,
    storage: storageOf(data),
    secret: data.SECRET,
    secretPrevious: data.SECRET_PREVIOUS,
    trustedProxies: data.TRUSTED_PROXIES,
    rateLimitPerMinute: data.RATE_LIMIT_PER_MINUTE,
    answersKeptMiB: data.ANSWERS_KEPT_MIB,
    drainSeconds: data.DRAIN_SECONDS,
    logLevel: data.LOG_LEVEL,
    dataDir: data.DATA_DIR,
    workers: data.WORKERS,
    pollingIntervalMs: data.POLLING_INTERVAL_MS,
    stallSeconds: data.STALL_SECONDS,
    metricsPort: data.METRICS_PORT,
    metricsToken: data.METRICS_TOKEN,
    keeper: keeperOf(data),
    tracing: tracingOf(given),
  };
}

/** What a child process inherits: where programs, home and temporary files are, OTEL_*, and no more. */
export function inheritedEnv(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot'];
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => {
      const inherited = names.includes(name) || name.startsWith('OTEL_');
      return value === undefined || !inherited ? [] : [[name, value]];
    }),
  );
}

function chainOf(data: z.infer<typeof schema>): ChainEnv | undefined {
  const { CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK } = data;
  if (CHAIN_ID === undefined || RPC_URL === undefined) return undefined;
  if (CONTRACT_ADDRESS === undefined || START_BLOCK === undefined) return undefined;
  return {
    chainId: CHAIN_ID,
    rpcUrls: RPC_URL,
    contractAddress: CONTRACT_ADDRESS,
    startBlock: START_BLOCK,
    ...(data.RPC_QUORUM === undefined ? {} : { rpcQuorum: data.RPC_QUORUM }),
    ...(data.RPC_WS_URL === undefined ? {} : { rpcWsUrl: data.RPC_WS_URL }),
    ...(data.RPC_REQUESTS_PER_SECOND === undefined
      ? {}
      : { rpcRequestsPerSecond: data.RPC_REQUESTS_PER_SECOND }),
    ...(data.CHECK_BLOOMS === undefined ? {} : { checkBlooms: data.CHECK_BLOOMS }),
  };
}

function keeperOf(data: z.infer<typeof schema>): KeeperEnv | undefined {
  if (data.KEEPER_PRIVATE_KEY === undefined) return undefined;
  return {
    privateKey: data.KEEPER_PRIVATE_KEY,
    maxGas: BigInt(data.KEEPER_MAX_GAS),
    maxFeePerGas: BigInt(data.KEEPER_MAX_FEE_GWEI) * 1_000_000_000n,
  };
}

function tracingOf(given: Record<string, string>): Env['tracing'] {
  if (given.OTEL_TRACES_EXPORTER === 'none' || given.OTEL_SDK_DISABLED === 'true') return undefined;
  const named = TRACING_VARIABLES.some((name) => given[name] !== undefined);
  return named ? { serviceName: given.OTEL_SERVICE_NAME } : undefined;
}

function storageOf(data: z.infer<typeof schema>): StorageEnv | undefined {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = data;
  if (S3_BUCKET === undefined) return undefined;
  if (S3_ACCESS_KEY_ID === undefined || S3_SECRET_ACCESS_KEY === undefined) return undefined;
  return {
    bucket: S3_BUCKET,
    region: data.S3_REGION,
    endpoint: data.S3_ENDPOINT,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  };
}

function badVariables(error: z.ZodError | undefined): string[] {
  const first = new Map<string, string>();
  for (const { path, message } of error?.issues ?? []) {
    const name = String(path[0]);
    const entry = typeof path[1] === 'number' ? ` (entry ${path[1] + 1})` : '';
    if (!first.has(name)) first.set(name, `${name}${entry} ${message}.`);
  }
  return [...first.values()];
}

function previousAlone(given: Record<string, string>): string[] {
  if (given.SECRET_PREVIOUS === undefined || given.SECRET !== undefined) return [];
  return ['SECRET_PREVIOUS is set without SECRET: set the secret that replaced it, too.'];
}

function tooFewRpcs(data: z.infer<typeof schema> | undefined): string[] {
  const given = new Set(data?.RPC_URL).size;
  const { RPC_QUORUM: needed = 1 } = data ?? {};
  if (given === 0 || needed <= given) return [];
  return [
    `RPC_QUORUM is ${needed}, but RPC_URL names ${given === 1 ? 'one RPC' : `${given} RPCs`}.`,
  ];
}

/** Variables that go together: all of them, or none. */
function missingOf(
  given: Record<string, string>,
  group: readonly string[],
  thing: string,
): string[] {
  const missing = group.filter((name) => given[name] === undefined);
  if (missing.length === group.length) return [];
  return missing.map((name) => `${name} is missing: ${thing} needs all of ${group.join(', ')}.`);
}

function address() {
  return z
    .string()
    .refine((text) => isAddress(text), 'must be an address: 0x and 40 hexadecimal digits')
    .transform((text) => text.toLowerCase() as `0x${string}`);
}

function integer(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((n) => n >= least && n <= most, `must be a whole number from ${least} to ${most}`);
}

function url(protocols: readonly string[]) {
  const expected = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${expected}`,
    );
}

function origin() {
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && new URL(text).origin === text,
      'must be an origin like https://example.com, without a path',
    );
}
