import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import {
  BaseError,
  createPublicClient,
  fallback,
  type Hex,
  HttpRequestError,
  http,
  numberToHex,
  type PublicClient,
  TimeoutError,
} from 'viem';
import { selectors } from './decode.ts';
import type { MinedLog } from './rows.ts';
import { type RefusalKind, refusalKind, waitMs } from './rpc-refusal.ts';

/** The contract and the RPCs that its logs are read from. */
export interface RpcOptions {
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Hex;
  /** HTTP requests per second and RPC; 0 if there is no limit. */
  readonly requestsPerSecond: number;
  /** Milliseconds without a byte of a response after which it is late; default 30 s. */
  readonly timeoutMs?: number;
  /** Called for each range that an RPC refused or was too slow for: a smaller one is requested next. */
  readonly onRefused?: (range: { from: number; to: number; error: unknown }) => void;
}

/** Blocks of one `eth_getLogs`; fewer where an RPC refuses that many, or where they have many logs. */
const MAX_BLOCKS = 2_000;
/**
 * Blocks of the first `eth_getLogs`: an RPC that is too slow for them may go on with its work after the request was
 * cancelled.
 */
const FIRST_BLOCKS = 32;
/** Logs of a response above which the next request asks for fewer, and the part of the longest silence that is slow. */
const MANY_LOGS = 20_000;
const SLOW_PART = 0.4;
/** Most by which the next request asks for more blocks. */
const MAX_FACTOR = 4;
/** Answers after which a size that failed is tried again. */
const ANSWERS_BEFORE_GROWTH = 32;

/** Headers in one JSON-RPC batch: small enough for public RPCs. */
const MAX_BATCH = 100;

/** Bytes of one response; viem's own limit is 10 MiB. */
const MAX_RESPONSE_BYTES = 256 * 1_024 * 1_024;
const TIMEOUT_MS = 30_000;
/** Longest response, and longest silence before one, as multiples of the silence at first: links may be slow. */
const RESPONSE_SILENCES = 6;
const MAX_SILENCES = 12;
/** viem would send a request that took too long up to 16 times: here a smaller one follows it. */
const ONCE = { retryCount: 0 };

/** The contract's logs in some blocks, with the time of each block that has one. */
export interface LogRange {
  /** The last block of the range. */
  readonly to: { readonly number: bigint; readonly timestamp: bigint };
  readonly logs: readonly MinedLog[];
  /** Unix seconds, by block number. */
  readonly timestamps: ReadonlyMap<Hex, bigint>;
}

/** Sizes that the RPCs of a list answer. It outlives a load that failed, which is tried again. */
interface Learned {
  /** Blocks of the next `eth_getLogs`. */
  blocks: number;
  /**
   * The size that failed is remembered, because to try it again costs up to a time-out; not for ever, because an RPC
   * that was away for a moment fails like one that refuses the size.
   */
  limit: number;
  answers: number;
  /** Longest silence before a response; it grows if a single block was too much. */
  silenceMs: number;
  /** False if an RPC refused a batch of requests. */
  hasBatches: boolean;
}

const learnedOf = new Map<string, Learned>();

function learned({ rpcUrls, timeoutMs: silenceMs = TIMEOUT_MS }: RpcOptions): Learned {
  const key = rpcUrls.join(' ');
  const known = learnedOf.get(key) ?? {
    ...{ blocks: FIRST_BLOCKS, limit: MAX_BLOCKS, answers: 0, silenceMs, hasBatches: true },
  };
  learnedOf.set(key, known);
  return known;
}

/** A request for finalized history that an RPC refused. */
class HistoryRefusedError extends Error {
  override readonly name = 'HistoryRefusedError';

  /**
   * @param isRateLimited true if the RPC limits how much it is asked.
   * @param waitMs milliseconds that the RPC said to wait; 0 if it did not say.
   */
  constructor(
    readonly isRateLimited: boolean,
    readonly waitMs: number,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Reads the contract's logs from a block up to another one, range by range. The next range is requested while
 * the caller stores one. If a refusal is about the size of a range, a smaller one is requested immediately; after every
 * other refusal by the next call.
 * @throws if the RPC does not answer, or its answers contradict each other.
 */
export async function* readRanges(
  options: RpcOptions,
  from: number,
  last: number,
): AsyncGenerator<LogRange> {
  if (from > last) return;
  const known = learned(options);
  const rpc = clientsOf(options, known);
  const readNext = async (first: number): Promise<LogRange> => {
    for (;;) {
      const to = Math.min(last, first + known.blocks - 1);
      const started = performance.now();
      try {
        const range = await readRange(rpc, known, options.contractAddress, first, to);
        grow(known, range.logs.length, performance.now() - started);
        return range;
      } catch (error) {
        if (to === first && isLate(error)) {
          const { timeoutMs = TIMEOUT_MS } = options;
          known.silenceMs = Math.min(MAX_SILENCES * timeoutMs, 2 * known.silenceMs);
        }
        const kind = refusalOf(error);
        if (kind === undefined) throw error;
        if (to > first && kind !== 'rate') {
          options.onRefused?.({ from: first, to, error });
          known.blocks = Math.ceil((to - first + 1) / 2);
          known.limit = known.blocks;
          known.answers = 0;
          if (kind === 'size') continue;
        }
        throw kind === 'rate' ? new HistoryRefusedError(true, waitOf(error), error) : error;
      }
    }
  };
  let next = readNext(from);
  for (let at = from; at <= last; ) {
    const range = await next;
    at = Number(range.to.number) + 1;
    if (at <= last) next = readNext(at);
    // Its error is thrown when the range is awaited.
    next.catch(() => {});
    yield range;
  }
}

function isLate(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof TimeoutError) !== null;
}

/** After an answer with so many logs: the next may take as long as is not slow, and have as many as are not many. */
function grow(known: Learned, found: number, ms: number): void {
  known.answers += 1;
  if (known.answers % ANSWERS_BEFORE_GROWTH === 0) {
    known.limit = Math.min(MAX_BLOCKS, 2 * known.limit);
  }
  const room = Math.min(MANY_LOGS / (1 + found), (SLOW_PART * known.silenceMs) / (1 + ms));
  const factor = room < 1 ? 0.5 : Math.min(MAX_FACTOR, Math.floor(room));
  known.blocks = Math.max(1, Math.min(known.limit, Math.floor(factor * known.blocks)));
}

/** The meaning of a failed request for its size; `undefined` if the RPC is away, or the error is not one of a request. */
function refusalOf(error: unknown): RefusalKind | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const found = (name: string) =>
    error.walk((one) => Object(one).name === name) as (BaseError & Refused) | null;
  if (found('ResponseBodyTooLargeError')) return 'size';
  const refused = found('RpcRequestError') ?? found('HttpRequestError') ?? found('TimeoutError');
  if (refused === null) return undefined;
  const { code, status } = refused;
  const isUnreachable = refused instanceof HttpRequestError && status === undefined;
  if (isUnreachable || status === 401 || status === 403) return undefined;
  const words = refused.name === 'RpcRequestError' ? refused.details : '';
  return refusalKind({ code, words, status });
}

interface Refused {
  readonly code?: number;
  readonly status?: number;
  readonly headers?: Headers;
  readonly data?: unknown;
}

function waitOf(error: unknown): number {
  const refused = error instanceof BaseError ? error.walk((one) => 'headers' in Object(one)) : null;
  const { headers, data }: Refused = Object(refused);
  const words = refused instanceof BaseError ? refused.details : '';
  return waitMs({ retryAfter: headers?.get('retry-after'), words, data }, Date.now());
}

/** Clients of the same RPCs. */
interface Clients {
  /** Sends each request alone. */
  readonly single: PublicClient;
  /** Sends concurrent requests as one batch. */
  readonly batching: PublicClient;
}

function clientsOf({ rpcUrls, requestsPerSecond }: RpcOptions, known: Learned): Clients {
  const send = requestsPerSecond === 0 ? fetch : pacedFetch(requestsPerSecond);
  const clientOf = (batch: { readonly batchSize: number } | false) => {
    const transports = [...new Set(rpcUrls)].map((url) =>
      http(url, {
        batch,
        maxResponseBodySize: MAX_RESPONSE_BYTES,
        // viem's limit is one of the whole response.
        timeout: 0,
        ...ONCE,
        fetchFn: limitedFetch(known, send),
      }),
    );
    return createPublicClient({ transport: fallback(transports, ONCE), cacheTime: 0 });
  };
  return { single: clientOf(false), batching: clientOf({ batchSize: MAX_BATCH }) };
}

/** Cancels a request whose response does not begin, stops, or takes too long as a whole. */
function limitedFetch(known: Learned, send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const late = new AbortController();
    const end = () => late.abort(new TimeoutError({ body: {}, url: 'the RPC' }));
    const silence = setTimeout(end, known.silenceMs).unref();
    const whole = setTimeout(end, RESPONSE_SILENCES * known.silenceMs).unref();
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    const response = await send(input, { ...init, signal });
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        silence.refresh();
        controller.enqueue(chunk);
      },
      flush: () => {
        clearTimeout(silence);
        clearTimeout(whole);
      },
    });
    return new Response(response.body?.pipeThrough(watched) ?? null, response);
  };
}

function pacedFetch(perSecond: number): typeof fetch {
  const limiter = new RateLimiterQueue(new RateLimiterMemory({ points: perSecond, duration: 1 }));
  return async (...request) => {
    await limiter.removeTokens(1);
    return await fetch(...request);
  };
}

async function readRange(
  rpc: Clients,
  known: Learned,
  address: Hex,
  from: number,
  to: number,
): Promise<LogRange> {
  const [found, last] = await Promise.all([
    rpc.single.request({
      method: 'eth_getLogs',
      params: [
        {
          address,
          topics: [[...selectors]],
          fromBlock: numberToHex(from),
          toBlock: numberToHex(to),
        },
      ],
    }),
    rpc.single.getBlock({ blockNumber: BigInt(to) }),
  ]);
  const all = found.filter((log) => !log.removed).map((log) => minedLog(log, from, to));
  // An RPC may repeat a log.
  const logs = [...new Map(all.map((log) => [placeOf(log), log])).values()];
  return { to: last, logs, timestamps: await timestampsOf(rpc, known, logs) };
}

function placeOf({ blockHash, transactionHash, logIndex }: MinedLog): string {
  return `${blockHash} ${transactionHash} ${logIndex}`;
}

function minedLog(
  log: object & Partial<Record<keyof MinedLog, unknown>>,
  from: number,
  to: number,
) {
  const mined = log as MinedLog;
  const number = Number(mined.blockNumber);
  if (!mined.blockHash || !mined.transactionHash || number < from || number > to) {
    throw new Error(`the RPC returned a log that is not of blocks ${from} to ${to}`);
  }
  return mined;
}

/** The time of each block with a log: by the log itself, or by the block's header. */
async function timestampsOf(
  rpc: Clients,
  known: Learned,
  logs: readonly MinedLog[],
): Promise<ReadonlyMap<Hex, bigint>> {
  const timestamps = new Map<Hex, bigint>();
  const missing = new Map<Hex, Hex>();
  for (const { blockNumber, blockHash, blockTimestamp } of logs) {
    if (blockTimestamp && BigInt(blockTimestamp) > 0n) {
      timestamps.set(blockNumber, BigInt(blockTimestamp));
    } else missing.set(blockNumber, blockHash);
  }
  const read = (client: PublicClient) =>
    Promise.all(
      [...missing].map(async ([number, hash]) => {
        const block = await client.getBlock({ blockNumber: BigInt(number) });
        if (block.hash !== hash) {
          throw new Error(`the RPC has two blocks ${Number(number)}: ${hash} and ${block.hash}`);
        }
        timestamps.set(number, block.timestamp);
      }),
    );
  if (!known.hasBatches) await read(rpc.single);
  else {
    try {
      await read(rpc.batching);
    } catch (error) {
      const kind = refusalOf(error);
      if (kind === undefined || kind === 'rate') throw error;
      known.hasBatches = false;
      await read(rpc.single);
    }
  }
  return timestamps;
}
