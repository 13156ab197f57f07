import { fileURLToPath } from 'node:url';
import { announcerProblem } from '../../chain/announcer.ts';
import { rpcClient } from '../../chain/client.ts';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { knownChain, MAX_POLLING_MS, pollingIntervalOf } from '../../core/known-chains.ts';
import type { RpcState } from '../../core/rpc-health.ts';
import { libpqUrl, parseDatabaseUrl } from '../../database-url.ts';
import { freePort } from './free-port.ts';
import { isConfigurationError } from './indexer-end.ts';
import {
  type Child,
  describeExit,
  type Exit,
  FRUGAL,
  projectRoot,
  spawnChild,
} from './processes.ts';

/** Ponder, as a child process. */
export type Indexer = Child & {
  /** The reason of the end is the last error of Ponder's log. */
  readonly exited: Promise<Exit>;
  /** PostgreSQL schema that it writes. */
  readonly schema: string;
  /** Port of `/ready`, `/status`, `/metrics` and `/health`, once it listens. */
  port(): Promise<number>;
  /** Resolves when the first backfill is done; rejects if the process ends before. */
  ready(): Promise<void>;
};

/** Options of `startIndexer`. */
export type IndexerOptions = {
  databaseUrl: string;
  /** From `indexerSchemaName`. */
  schema: string;
  /** Schema of Ponder's views, whose notifications settlement listens to. */
  viewsSchema?: string;
  /** Schema of its cache of RPC responses, from `cacheSchemaName`. Default: Ponder's own. */
  cacheSchema?: string;
  rpcUrls: readonly string[];
  /** WebSocket RPC that announces new blocks; without it the indexer polls. */
  rpcWsUrl?: string | undefined;
  /** Initial request rate per RPC URL, rounded up to a multiple of 20. Default 20; anvil 500. */
  rpcRequestsPerSecond?: number;
  chainId: number;
  contractAddress: `0x${string}`;
  startBlock: number;
  /** Hash by which the ledger has recorded the chain, which each of several RPCs is compared with. */
  genesisHash?: `0x${string}`;
  /** Default: a free port. If it is in use, Ponder takes the next one. */
  port?: number;
  /** Default: `defaultPollingIntervalMs`. */
  pollingIntervalMs?: number | undefined;
  /** Without it, only `log` receives Ponder's log. */
  logFile?: string;
  /** Receives a sentence if a part of the configuration is left out. */
  warn?: (sentence: string) => void;
  /** Receives each change of what an RPC of `rpcUrls` does, by its place among the distinct ones, from 1. */
  onRpcState?: (change: { place: number; state: RpcState; until: number | null }) => void;
  /** Receives every line of Ponder's log (mostly NDJSON) without secrets. */
  log?: (line: string) => void;
  /** Root folder of the project that Ponder runs. */
  root?: string;
};

/** Thrown if the indexer ends before it is ready. `retry` is false if a restart cannot help. */
export class IndexerEndedError extends Error {
  override readonly name = 'IndexerEndedError';
  readonly retry: boolean;

  constructor(exit: Exit, logFile: string | undefined) {
    const why = exit.reason ?? 'it gave no reason';
    const where = logFile === undefined ? '' : ` (see ${logFile})`;
    super(`The indexer ended ${describeExit(exit)}: ${why}${where}.`);
    this.retry = !isPermanent(exit);
  }
}

/** True if Ponder would end the same way again, until a person changes the configuration. */
export function isPermanent(exit: Exit): boolean {
  return isConfigurationError(exit, exit.reason);
}

// Ponder starts at 20 requests a second per URL, and counts the same URL twice if it is listed twice.
// anvil has no limit: at 500 a second a backfill took 4.5 s, at 20 it took 44.5 s.
const ANVIL_REQUESTS_PER_SECOND = 500;
const PONDER_REQUESTS_PER_SECOND = 20;

const ANVIL_POLLING_MS = 100;

/** Blocks over which the block time is measured. */
const MEASURED_BLOCKS = 100;

/**
 * Milliseconds between two polls for new blocks at first: by the block time of a known chain, or the one that was measured.
 * A chain that does not answer is polled as rarely as possible.
 */
export async function defaultPollingIntervalMs({
  chainId,
  rpcUrls,
}: Pick<IndexerOptions, 'chainId' | 'rpcUrls'>): Promise<number> {
  if (chainId === LOCAL_CHAIN_ID) return ANVIL_POLLING_MS;
  const known = knownChain(chainId);
  if (known !== undefined) return pollingIntervalOf(known.blockMs);
  try {
    const client = rpcClient(rpcUrls);
    const head = await client.getBlock();
    const blocks = BigInt(MEASURED_BLOCKS) < head.number ? BigInt(MEASURED_BLOCKS) : head.number;
    const first = await client.getBlock({ blockNumber: head.number - blocks });
    const ms = Number((head.timestamp - first.timestamp) * 1_000n) / Number(blocks);
    return pollingIntervalOf(ms);
  } catch {
    return MAX_POLLING_MS;
  }
}

/** How Ponder polls for new blocks. */
interface Polling {
  /** Milliseconds between two polls, at first. */
  readonly ms: number;
  /** False if the interval follows the chain's block time. */
  readonly isFixed: boolean;
}

async function pollingOf(options: IndexerOptions): Promise<Polling> {
  const { pollingIntervalMs: ms } = options;
  if (ms !== undefined) return { ms, isFixed: true };
  // A local anvil has a block when somebody does something, and costs nothing.
  const isFixed = options.chainId === LOCAL_CHAIN_ID;
  return { ms: await defaultPollingIntervalMs(options), isFixed };
}

/**
 * Starts `ponder start` with its own variables only. It listens on 127.0.0.1,
 * because it responds to every origin.
 */
export async function startIndexer(options: IndexerOptions): Promise<Indexer> {
  const port = options.port ?? (await freePort());
  const polling = await pollingOf(options);
  const rpcWsUrl = await announcerOf(options);
  const log = watchLog(options);
  const child = spawnChild({
    name: 'indexer',
    command: process.execPath,
    args: ponderArguments(options, port),
    cwd: options.root ?? projectRoot,
    env: ponderEnvironment({ ...options, rpcWsUrl }, polling),
    secrets: [...databaseSecretsOf(options.databaseUrl), ...rpcsOf(options).flatMap(secretsOf)],
    ...(options.logFile !== undefined && { logFile: options.logFile }),
    onLine: log.onLine,
    // SIGTERM would leave its lock, and the next start would wait 25 s for it.
    stopSignal: 'SIGINT',
    graceMs: 15_000,
  });
  const exited = child.exited.then((exit): Exit => {
    const reason = log.reason() ?? exit.reason;
    return reason === undefined ? exit : { ...exit, reason };
  });
  const failed = exited.then((exit) => {
    throw new IndexerEndedError(exit, options.logFile);
  });
  failed.catch(() => {});
  return {
    ...child,
    exited,
    schema: options.schema,
    port: () => Promise.race([log.port, failed]),
    ready: () => Promise.race([log.ready, failed]),
  };
}

function rpcsOf({ rpcUrls, rpcWsUrl }: IndexerOptions): readonly string[] {
  return rpcWsUrl === undefined ? rpcUrls : [...rpcUrls, rpcWsUrl];
}

function ponderArguments(options: IndexerOptions, port: number): string[] {
  const root = options.root ?? projectRoot;
  return [
    ...FRUGAL.node,
    fileURLToPath(new URL('./ponder/run.mjs', import.meta.url)),
    'start',
    ...['--root', root],
    ...['--schema', options.schema],
    ...(options.viewsSchema ? ['--views-schema', options.viewsSchema] : []),
    ...['--hostname', '127.0.0.1'],
    ...['--port', String(port)],
    ...['--log-format', 'json'],
  ];
}

/** The WebSocket RPC; `undefined` if there is none that is known to be of the chain. */
async function announcerOf({ warn, ...options }: IndexerOptions): Promise<string | undefined> {
  const { rpcWsUrl } = options;
  if (rpcWsUrl === undefined) return undefined;
  const problem = await announcerProblem(rpcWsUrl, options);
  if (problem === undefined) return rpcWsUrl;
  warn?.(problem);
  return undefined;
}

function ponderEnvironment(options: IndexerOptions, polling: Polling): Record<string, string> {
  const isAnvil = options.chainId === LOCAL_CHAIN_ID;
  const {
    rpcRequestsPerSecond: rate = isAnvil ? ANVIL_REQUESTS_PER_SECOND : PONDER_REQUESTS_PER_SECOND,
  } = options;
  const copies = Math.ceil(rate / PONDER_REQUESTS_PER_SECOND);
  const urls = Array.from({ length: copies }, () => options.rpcUrls).flat();
  return {
    NODE_ENV: 'production',
    DATABASE_URL: libpqUrl(parseDatabaseUrl(options.databaseUrl)),
    CHAIN_ID: String(options.chainId),
    RPC_URL: urls.join(','),
    RPC_REQUESTS_PER_SECOND: String(isAnvil ? 0 : rate),
    ...(options.rpcWsUrl === undefined ? {} : { RPC_WS_URL: options.rpcWsUrl }),
    CONTRACT_ADDRESS: options.contractAddress,
    START_BLOCK: String(options.startBlock),
    ...(options.genesisHash === undefined ? {} : { GENESIS_HASH: options.genesisHash }),
    POLLING_INTERVAL_MS: String(polling.ms),
    POLLING_IS_FIXED: String(polling.isFixed),
    ...(options.cacheSchema === undefined ? {} : { PONDER_CACHE_SCHEMA: options.cacheSchema }),
  };
}

/** An error that only follows another one: Ponder was not done with its connections in time when it ended. */
const LATE_SHUTDOWN = 'Failed to shutdown within 5 seconds';

/** Reads Ponder's log for its port, its readiness and the reason of its end. */
function watchLog({ log, onRpcState }: Pick<IndexerOptions, 'log' | 'onRpcState'>) {
  const port = deferred<number>();
  const ready = deferred<void>();
  let reason: string | undefined;
  const onLine = (line: string) => {
    const entry = parseLine(line);
    if (entry.msg === 'Created HTTP server' && typeof entry.port === 'number') {
      port.resolve(entry.port);
    }
    if (entry.endpoint === '/ready') ready.resolve();
    if (entry.rpc_state !== undefined) onRpcState?.(entry.rpc_state);
    if (typeof entry.level === 'number' && entry.level >= 50 && entry.msg !== LATE_SHUTDOWN) {
      reason = entry.error?.message ?? entry.msg ?? reason;
    }
    log?.(line);
  };
  return { onLine, port: port.promise, ready: ready.promise, reason: () => reason };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

type LogEntry = {
  level?: unknown;
  msg?: string;
  port?: unknown;
  endpoint?: string;
  rpc_state?: { place: number; state: RpcState; until: number | null };
  error?: { message?: string };
};

function parseLine(line: string): LogEntry {
  try {
    return (JSON.parse(line) as LogEntry | null) ?? {};
  } catch {
    return {};
  }
}

/** Forms of a database's URL that no log may show. */
function databaseSecretsOf(databaseUrl: string): string[] {
  return [databaseUrl, libpqUrl(parseDatabaseUrl(databaseUrl))];
}

/** The parts of an RPC's URL that no log may show: all of it, unless it is a local one without credentials. */
function secretsOf(text: string): string[] {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return isLocal(text) ? [] : [text];
  url.username = '';
  url.password = '';
  const parts = [decodeURIComponent(password), password].filter((part) => part !== '');
  return [text, ...(isLocal(text) ? [] : [url.href]), ...parts];
}

function isLocal(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}
