import { isAddress } from 'viem';
import { z } from 'zod';
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.ts';

/** A program that reads environment variables: a command of `tributary`. */
export type Program =
  | ('start' | 'worker' | 'api' | 'indexer' | 'status' | 'verify' | 'bundle' | 'verify-bundle')
  | ('migrate' | 'account' | 'audit' | 'alarms' | 'replay' | 'reindex' | 'digest' | 'secret')
  | ('listen' | 'trigger' | 'backup' | 'restore' | 'deploy' | 'gateway' | 'doctor')
  | 'gas-budget';

/** An environment variable. `T` is the type of its parsed value. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** Sentence fragment for people: what the variable sets, with its unit. */
  readonly description: string;
  /** Programs that read the variable. */
  readonly programs: readonly Program[];
  readonly schema: z.ZodType<T>;
  /** Text that is parsed if the variable is not set; without it the value is `undefined`. */
  readonly default?: string;
  /** Text for people about an unset variable without a default. */
  readonly otherwise?: string;
  /** True if the value must not reach a log or a message. */
  readonly secret?: boolean;
}

type Row = Omit<Variable, 'schema'>;

function required<T>(schema: z.ZodType<T>, row: Row & { readonly default: string }): Variable<T> {
  return { ...row, schema };
}

function optional<T>(schema: z.ZodType<T>, row: Row): Variable<T | undefined> {
  return { ...row, schema };
}

/** Log levels, most severe first, as pino names them; `silent` logs nothing. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SERVICES = ['start', 'worker', 'api'] as const;
const BACKUP_COMMANDS = ['backup', 'restore'] as const;
const LEDGER_COMMANDS = [
  ...(['account', 'audit', 'alarms', 'replay', 'reindex', 'secret', 'gas-budget'] as const),
  ...BACKUP_COMMANDS,
] as const;
const RECEIPT_COMMANDS = ['verify', 'bundle', 'verify-bundle'] as const;
const API_COMMANDS = ['status', 'verify', 'bundle', 'digest', 'listen'] as const;
const DATABASE_USERS = [...SERVICES, 'indexer', 'migrate', ...LEDGER_COMMANDS] as const;
const CHAIN_READERS = [...DATABASE_USERS, ...RECEIPT_COMMANDS, 'doctor'] as const;
const API: readonly Program[] = ['start', 'api'];
const API_AND_GATEWAY: readonly Program[] = [...API, 'gateway'];
const LISTENERS: readonly Program[] = [...SERVICES, 'indexer', 'gateway'];
const WORKER: readonly Program[] = ['start', 'worker'];
const STORAGE_USERS: readonly Program[] = [...SERVICES, ...BACKUP_COMMANDS];
const CHAIN_CHECKERS: readonly Program[] = [...WORKER, 'replay', 'reindex'];

const database = {
  databaseUrl: optional(databaseAddress(), {
    name: 'DATABASE_URL',
    description: 'PostgreSQL database (14 or later) for this deployment alone',
    programs: DATABASE_USERS,
    otherwise: 'an embedded PostgreSQL',
    secret: true,
  }),
  databaseReplicaUrls: required(
    list(databaseAddress()).refine((urls) => urls.length <= 16, 'must name at most 16 replicas'),
    {
      name: 'DATABASE_REPLICA_URLS',
      description: 'streaming standbys of DATABASE_URL that answer reads, separated by commas',
      programs: ['api'],
      default: '',
      secret: true,
    },
  ),
  redisUrl: optional(url(['redis:', 'rediss:']), {
    name: 'REDIS_URL',
    description: 'Redis for the job queues and the counters of the rate limits',
    programs: SERVICES,
    otherwise: 'PostgreSQL does both',
    secret: true,
  }),
};

const chain = {
  chainId: optional(integer(1, Number.MAX_SAFE_INTEGER), {
    name: 'CHAIN_ID',
    description: 'chain id',
    programs: CHAIN_READERS,
    otherwise: 'a local anvil with sample data',
  }),
  rpcUrls: optional(list(url(['http:', 'https:'])), {
    name: 'RPC_URL',
    description: 'one RPC URL, or several separated by commas',
    programs: CHAIN_READERS,
    otherwise: 'the local anvil',
    secret: true,
  }),
  contractAddress: optional(address(), {
    name: 'CONTRACT_ADDRESS',
    description: 'address of the contract',
    programs: CHAIN_READERS,
    otherwise: 'the contract of the sample',
  }),
  startBlock: optional(integer(0, Number.MAX_SAFE_INTEGER), {
    name: 'START_BLOCK',
    description: 'block that deployed the contract, or an earlier one',
    programs: CHAIN_READERS,
    otherwise: 'the block that deployed the sample',
  }),
  rpcQuorum: optional(integer(1, 16), {
    name: 'RPC_QUORUM',
    description: 'number of RPCs that must give the same answer before facts are settled',
    programs: [...CHAIN_CHECKERS, 'doctor'],
    otherwise: '1',
  }),
  rpcWsUrl: optional(url(['ws:', 'wss:']), {
    name: 'RPC_WS_URL',
    description: 'WebSocket RPC that announces new blocks to the indexer',
    programs: ['start', 'indexer', 'reindex', 'doctor'],
    otherwise: 'the indexer polls',
    secret: true,
  }),
  rpcRequestsPerSecond: optional(integer(20, 10_000), {
    name: 'RPC_REQUESTS_PER_SECOND',
    description: 'initial request rate of the indexer per RPC URL, rounded up to a multiple of 20',
    programs: ['start', 'indexer', 'reindex', 'doctor'],
    otherwise: '20; 500 for a local anvil',
  }),
  checkBlooms: optional(z.enum(['near', 'all'], 'must be near or all'), {
    name: 'CHECK_BLOOMS',
    description: 'blocks whose headers facts are checked against: `near` the head, or `all`',
    programs: CHAIN_CHECKERS,
    otherwise: 'near',
  }),
  finalityBlocks: optional(integer(1, 1_000_000), {
    name: 'FINALITY_BLOCKS',
    description: 'number of blocks behind the newest after which a block counts as final',
    programs: [...CHAIN_CHECKERS, 'doctor'],
    otherwise: "the chain's tags `safe` and `finalized`",
  }),
};

const settlement = {
  workers: required(integer(1, 64), {
    name: 'WORKERS',
    description: 'number of settlement workers that `start` runs',
    programs: ['start'],
    default: '1',
  }),
  pollingIntervalMs: optional(integer(100, 3_600_000), {
    name: 'POLLING_INTERVAL_MS',
    description: 'milliseconds between two polls of the indexer for new blocks',
    programs: ['start', 'indexer', 'reindex'],
    otherwise:
      "the chain's block time, which it follows: 1000 to 4000, or 2000 if blocks come faster than one a second; 100 for a local anvil",
  }),
  stallSeconds: required(integer(1, 86_400), {
    name: 'STALL_SECONDS',
    description: 'seconds without progress of a part after which an alarm is raised',
    programs: API,
    default: '60',
  }),
};

const server = {
  host: required(z.string(), {
    name: 'HOST',
    description: 'address that the API and the metrics listen on',
    programs: [...LISTENERS, ...API_COMMANDS],
    default: '127.0.0.1',
  }),
  port: required(integer(1, 65_535), {
    name: 'PORT',
    description: 'port of the API; if it is not set and 4000 is taken, `start` uses a free port',
    programs: [...LISTENERS, ...API_COMMANDS],
    default: '4000',
  }),
  publicUrl: optional(origin(), {
    name: 'PUBLIC_URL',
    description: 'origin at which the API is reached from outside',
    programs: SERVICES,
    otherwise: 'this machine only',
  }),
  allowedOrigins: required(list(origin()), {
    name: 'ALLOWED_ORIGINS',
    description: 'browser origins that may read responses, sign in and write, separated by commas',
    programs: API_AND_GATEWAY,
    default: '',
  }),
  explorerUrl: optional(
    url(['http:', 'https:']).transform((text) => text.replace(/\/+$/, '')),
    {
      name: 'EXPLORER_URL',
      description: 'block explorer for links in responses',
      programs: API,
      otherwise: 'no links',
    },
  ),
  walletConnectProjectId: optional(z.string().regex(/^[0-9a-fA-F]{32}$/, 'must be 32 hex digits'), {
    name: 'WALLETCONNECT_PROJECT_ID',
    description: 'project at WalletConnect, through whose relay the pages reach wallets on phones',
    programs: API,
    otherwise: 'wallets of the browser only',
  }),
  publicRpcUrl: optional(url(['http:', 'https:']), {
    name: 'PUBLIC_RPC_URL',
    description:
      'RPC that the pages offer to wallets which do not know the chain; public, so without a key',
    programs: API,
    otherwise: 'public RPCs of well-known chains',
  }),
  operators: required(list(address()), {
    name: 'OPERATORS',
    description: 'accounts that may hide campaigns and acknowledge alarms, separated by commas',
    programs: API,
    default: '',
  }),
  designedMethods: required(list(z.enum(['apiKeys', 'team', 'webhooks'])), {
    name: 'DESIGNED_METHODS',
    description:
      'resources to enable that are only designed otherwise, separated by commas: apiKeys, team, webhooks',
    programs: SERVICES,
    default: '',
  }),
  webhookAllowCidrs: required(
    list(z.union([z.cidrv4(), z.cidrv6()], 'must be a range like 10.1.0.0/16')),
    {
      name: 'WEBHOOK_ALLOW_CIDRS',
      description: 'ranges of private addresses that webhooks may be sent to, separated by commas',
      programs: SERVICES,
      default: '',
    },
  ),
  trustedProxies: required(integer(0, 10), {
    name: 'TRUSTED_PROXIES',
    description: 'number of your own proxies in front, whose X-Forwarded-For is believed',
    programs: API_AND_GATEWAY,
    default: '0',
  }),
  rateLimitPerMinute: required(integer(1, 1_000_000), {
    name: 'RATE_LIMIT_PER_MINUTE',
    description: 'maximum requests per minute from one IP address',
    programs: API_AND_GATEWAY,
    default: '1200',
  }),
  responseCacheMiB: required(integer(0, 4_096), {
    name: 'ANSWERS_KEPT_MIB',
    description: 'memory of the response cache of an API in MiB; 0 turns it off',
    programs: API,
    default: '32',
  }),
  drainSeconds: required(integer(0, 600), {
    name: 'DRAIN_SECONDS',
    description: 'seconds that an API still takes requests after SIGTERM while /ready is 503',
    programs: ['api', 'gateway'],
    default: '5',
  }),
};

const secrets = {
  secret: optional(text(32), {
    name: 'SECRET',
    description:
      'key for links, cursors and stored secrets, at least 32 characters, the same for all APIs and workers',
    programs: [...SERVICES, 'secret'],
    otherwise: 'a random key in the database',
    secret: true,
  }),
  secretPrevious: optional(text(32), {
    name: 'SECRET_PREVIOUS',
    description: 'previous value of SECRET, whose links stay valid',
    programs: SERVICES,
    otherwise: 'none',
    secret: true,
  }),
};

const storage = {
  bucket: optional(z.string(), {
    name: 'S3_BUCKET',
    description: 'S3-compatible bucket for uploads and exports',
    programs: STORAGE_USERS,
    otherwise: 'files in DATA_DIR/files',
  }),
  region: required(z.string(), {
    name: 'S3_REGION',
    description: 'region of the bucket',
    programs: STORAGE_USERS,
    default: 'us-east-1',
  }),
  endpoint: optional(url(['http:', 'https:']), {
    name: 'S3_ENDPOINT',
    description: 'endpoint of the bucket',
    programs: STORAGE_USERS,
    otherwise: 'Amazon S3',
  }),
  accessKeyId: optional(z.string(), {
    name: 'S3_ACCESS_KEY_ID',
    description: 'access key id for the bucket',
    programs: STORAGE_USERS,
    otherwise: 'none',
  }),
  secretAccessKey: optional(z.string(), {
    name: 'S3_SECRET_ACCESS_KEY',
    description: 'secret access key for the bucket',
    programs: STORAGE_USERS,
    otherwise: 'none',
    secret: true,
  }),
};

/** Keys of backups, and their bucket (`tributary backup --to s3://…`) if it is not reached as the one of uploads is. */
const backup = {
  recipients: required(
    list(
      z
        .string()
        .regex(/^age1[0-9a-z]{58,4000}$/, 'must be a public key of age: age1 and what follows'),
    ).refine((keys) => keys.length <= 16, 'must name at most 16 public keys'),
    {
      name: 'BACKUP_RECIPIENTS',
      description:
        'public keys of age (`age1…`) for which backups are encrypted, separated by commas',
      programs: BACKUP_COMMANDS,
      default: '',
      otherwise: 'backups are not encrypted',
    },
  ),
  identityFile: optional(z.string(), {
    name: 'BACKUP_IDENTITY_FILE',
    description: 'file with the private keys of age that open encrypted backups',
    programs: BACKUP_COMMANDS,
    otherwise: 'encrypted backups are not opened',
  }),
  region: optional(z.string(), {
    name: 'BACKUP_S3_REGION',
    description: 'region of the bucket of backups',
    programs: BACKUP_COMMANDS,
    otherwise: 'S3_REGION',
  }),
  endpoint: optional(url(['http:', 'https:']), {
    name: 'BACKUP_S3_ENDPOINT',
    description: 'endpoint of the bucket of backups',
    programs: BACKUP_COMMANDS,
    otherwise: 'S3_ENDPOINT',
  }),
  accessKeyId: optional(z.string(), {
    name: 'BACKUP_S3_ACCESS_KEY_ID',
    description: 'access key id for the bucket of backups',
    programs: BACKUP_COMMANDS,
    otherwise: 'S3_ACCESS_KEY_ID',
  }),
  secretAccessKey: optional(z.string(), {
    name: 'BACKUP_S3_SECRET_ACCESS_KEY',
    description: 'secret access key for the bucket of backups',
    programs: BACKUP_COMMANDS,
    otherwise: 'S3_SECRET_ACCESS_KEY',
    secret: true,
  }),
};

const keeper = {
  privateKey: optional(privateKey(), {
    name: 'KEEPER_PRIVATE_KEY',
    description: 'key of the account that finalizes sales after their hold',
    programs: WORKER,
    otherwise: 'no keeper runs',
    secret: true,
  }),
  maxGas: required(integer(100_000, 1_000_000_000).transform(BigInt), {
    name: 'KEEPER_MAX_GAS',
    description: 'maximum gas units of one transaction',
    programs: WORKER,
    default: '5000000',
  }),
  /** Wei per unit of gas. */
  maxFeePerGas: required(
    integer(1, 1_000_000).transform((gwei) => BigInt(gwei) * 1_000_000_000n),
    {
      name: 'KEEPER_MAX_FEE_GWEI',
      description: 'maximum fee per unit of gas in gwei; above it the keeper waits',
      programs: WORKER,
      default: '50',
    },
  ),
};

const relayer = {
  privateKey: optional(privateKey(), {
    name: 'RELAYER_PRIVATE_KEY',
    description: 'key of the account that sends orders which buyers signed; not that of the keeper',
    programs: WORKER,
    otherwise: 'no relayer runs',
    secret: true,
  }),
  maxGas: required(integer(100_000, 1_000_000_000).transform(BigInt), {
    name: 'RELAYER_MAX_GAS',
    description: 'maximum gas units of one transaction',
    programs: WORKER,
    default: '1000000',
  }),
  /** Wei per unit of gas. */
  maxFeePerGas: required(
    integer(1, 1_000_000).transform((gwei) => BigInt(gwei) * 1_000_000_000n),
    {
      name: 'RELAYER_MAX_FEE_GWEI',
      description: 'maximum fee per unit of gas in gwei; above it the relayer waits',
      programs: WORKER,
      default: '50',
    },
  ),
  /** Wei. */
  merchantBudget: required(wei(), {
    name: 'RELAYER_MERCHANT_BUDGET',
    description:
      'wei that a merchant may cost on a day, unless `tributary gas-budget` sets another amount',
    programs: WORKER,
    default: '0',
  }),
  /** Wei. */
  totalBudget: required(wei(), {
    name: 'RELAYER_TOTAL_BUDGET',
    description: 'wei that all merchants together may cost on a day',
    programs: WORKER,
    default: '50000000000000000',
  }),
};

const deployer = {
  deployerPrivateKey: optional(privateKey(), {
    name: 'DEPLOYER_PRIVATE_KEY',
    description: 'key of the account that pays for the deployment of the contract',
    programs: ['deploy'],
    otherwise: '`--keystore` or `--signer` names one',
    secret: true,
  }),
  keystorePassword: optional(z.string(), {
    name: 'KEYSTORE_PASSWORD',
    description: 'password of the file of `--keystore`',
    programs: ['deploy'],
    otherwise: '`--password-file`, or the terminal asks',
    secret: true,
  }),
  confirmations: optional(integer(1, 9_999), {
    name: 'CONFIRMATIONS',
    description: 'blocks to wait for, with that of the contract, without `--confirmations`',
    programs: ['deploy'],
    otherwise: 'those of a known network, else 1',
  }),
};

const mail = {
  url: optional(
    url(['smtp:', 'smtps:']).refine(
      (given) => !URL.canParse(given) || /^\/?$/.test(pathAndQueryOf(new URL(given))),
      'must have nothing after the host and port',
    ),
    {
      name: 'SMTP_URL',
      description:
        'mail server for notifications by e-mail: smtp:// (STARTTLS if it is offered) or smtps://',
      programs: SERVICES,
      otherwise: 'no e-mail is sent',
      secret: true,
    },
  ),
  from: optional(z.email('must be an e-mail address').max(254), {
    name: 'SMTP_FROM',
    description: 'address of the sender of e-mails',
    programs: SERVICES,
    otherwise: 'none',
  }),
};

const gateway = {
  deployments: required(list(deployment()), {
    name: 'DEPLOYMENTS',
    description:
      'origins of the APIs of the deployments to serve, separated by commas, each with its identity in front: 8453/0x…=https://base.example. Without it a deployment gets reads alone, without credentials',
    programs: ['gateway'],
    default: '',
  }),
};

const monitoring = {
  logLevel: required(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), {
    name: 'LOG_LEVEL',
    description: 'fatal, error, warn, info, debug, trace or silent',
    programs: LISTENERS,
    default: 'info',
  }),
  dataDir: required(z.string(), {
    name: 'DATA_DIR',
    description: 'folder of the embedded database and chain, of uploads, exports and logs',
    programs: [
      ...[...SERVICES, ...LEDGER_COMMANDS, ...RECEIPT_COMMANDS],
      ...(['status', 'digest', 'listen', 'trigger'] as const),
    ],
    default: '.tributary',
  }),
  metricsPort: optional(integer(1, 65_471), {
    name: 'METRICS_PORT',
    description:
      'port of Prometheus metrics and /health; under `start` of the first worker, then one port per process',
    programs: LISTENERS,
    otherwise: 'no metrics of workers; the API serves /metrics on its own port',
  }),
  metricsToken: optional(text(16), {
    name: 'METRICS_TOKEN',
    description: 'Bearer token for reading metrics, at least 16 characters',
    programs: LISTENERS,
    otherwise: 'no token is needed',
    secret: true,
  }),
};

/** The variables that decide if traces are sent. OpenTelemetry reads them, and all other `OTEL_*`. */
const tracing = {
  exporter: optional(z.string(), {
    name: 'OTEL_TRACES_EXPORTER',
    description: 'exporter of traces, or none',
    programs: SERVICES,
    otherwise: 'off, unless an endpoint is set',
  }),
  endpoint: optional(z.string(), {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description: 'OpenTelemetry collector',
    programs: SERVICES,
    otherwise: 'off',
  }),
  tracesEndpoint: optional(z.string(), {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    description: 'OpenTelemetry collector for traces',
    programs: SERVICES,
    otherwise: 'off',
  }),
  serviceName: optional(z.string(), {
    name: 'OTEL_SERVICE_NAME',
    description: 'service name in traces',
    programs: SERVICES,
    otherwise: 'tributary-api, tributary-worker',
  }),
  disabled: optional(z.string(), {
    name: 'OTEL_SDK_DISABLED',
    description: 'true turns tracing off',
    programs: SERVICES,
    otherwise: 'tracing follows the other variables',
  }),
};

/** All environment variables, grouped by what they configure. Every other list follows from this. */
export const variables = {
  database,
  chain,
  settlement,
  server,
  secrets,
  storage,
  backup,
  keeper,
  relayer,
  deployer,
  mail,
  gateway,
  monitoring,
  tracing,
};

/** Every variable, in the order of its group. */
export const allVariables: readonly Variable[] = Object.values(variables).flatMap(
  (group): Variable[] => Object.values(group),
);

/** Text that applies if a variable is not set, for people. */
export function unsetText({ default: value, otherwise }: Variable): string {
  return otherwise ?? (value || 'none');
}

function text(minLength: number) {
  return z.string().min(minLength, `must have at least ${minLength} characters`);
}

function list<T>(entry: z.ZodType<T, string>): z.ZodType<readonly T[]> {
  return z
    .string()
    .transform((all) => (all === '' ? [] : all.split(',').map((one) => one.trim())))
    .pipe(z.array(entry));
}

function privateKey() {
  return z
    .string()
    .refine((key) => /^0x[0-9a-fA-F]{64}$/.test(key), 'must be 0x and 64 hexadecimal digits')
    .transform((key) => key as `0x${string}`);
}

function address() {
  return z
    .string()
    .refine((given) => isAddress(given), 'must be an address: 0x and 40 hexadecimal digits')
    .transform((given) => given.toLowerCase() as `0x${string}`);
}

function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`);
}

/** An amount of the chain's coin. */
function wei() {
  return z
    .string()
    .regex(/^\d{1,30}$/, 'must be a whole number of wei')
    .transform(BigInt);
}

// The messages never repeat a URL: it may hold a password or an API key.
function url(protocols: readonly string[]) {
  const expected = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return z
    .string()
    .refine(
      (given) => URL.canParse(given) && protocols.includes(new URL(given).protocol),
      `must be a URL that starts with ${expected}`,
    );
}

/** A database's URL that both drivers follow. */
function databaseAddress() {
  return z.string().superRefine((given, context) => {
    try {
      parseDatabaseUrl(given);
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });
}

function pathAndQueryOf({ pathname, search, hash }: URL): string {
  return `${pathname}${search}${hash}`;
}

/** `https://base.example`, or `8453/0x…=https://base.example`. */
function deployment() {
  return z
    .string()
    .refine(
      (given) => splitDeployment(given) !== undefined,
      'must be an origin like https://base.example, or chain/contract=origin like 8453/0x…=https://base.example',
    )
    .transform((given) => {
      const { chainId, contract = '', url = '' } = splitDeployment(given) ?? {};
      const contractAddress = contract.toLowerCase() as `0x${string}`;
      const identity = chainId === undefined ? undefined : { chainId, contractAddress };
      return { url, identity };
    });
}

function splitDeployment(text: string) {
  const [, chain, contract, url = ''] =
    /^(?:([1-9][0-9]{0,14})\/(0x[0-9a-fA-F]{40})=)?(https?:\/\/.+)$/.exec(text) ?? [];
  if (!URL.canParse(url) || new URL(url).origin !== url) return undefined;
  return { chainId: chain === undefined ? undefined : Number(chain), contract, url };
}

function origin() {
  return z
    .string()
    .refine(
      (given) => URL.canParse(given) && new URL(given).origin === given,
      'must be an origin like https://example.com, without a path',
    );
}
