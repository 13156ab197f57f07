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
import { type MinedLog, selectors } from './rows.ts';

/** The contract and the RPCs that its logs are read from. */
export interface RpcOptions {
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Hex;
  /** HTTP requests per second and RPC; 0 if there is no limit. */
  readonly requestsPerSecond: number;
  /** Milliseconds that a whole response may take; default 30 s. */
  readonly timeoutMs?: number;
  /** Called for each range that an RPC refused or was too slow for: a smaller one is requested. */
  readonly onRefused?: (range: { from: number; to: number; error: unknown }) => void;
}

/** Blocks of one `eth_getLogs`; fewer where an RPC refuses that many, or where they have many logs. */
const MAX_BLOCKS = 2_000;
/** Blocks of the first `eth_getLogs`, and the number of logs above which the next asks for fewer. */
const FIRST_BLOCKS = 500;
const MANY_LOGS = 20_000;
/** Answers after which a size that failed is tried again. */
const ANSWERS_BEFORE_GROWTH = 32;

/** Headers in one JSON-RPC batch: small enough for public RPCs. */
const MAX_BATCH = 100;

/** Bytes of one response; viem's own limit is 10 MiB. */
const MAX_RESPONSE_BYTES = 256 * 1_024 * 1_024;
const TIMEOUT_MS = 30_000;
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

/**
 * Reads the contract's logs from a block up to another one, range by range. The next range is requested while
 * the caller stores one.
 * @throws if the RPC does not answer, or its answers contradict each other.
 */
export async function* readRanges(
  options: RpcOptions,
  from: number,
  last: number,
): AsyncGenerator<LogRange> {
  const client = clientOf(options);
  let blocks = FIRST_BLOCKS;
  // The size that failed is remembered, because to try it again costs up to a time-out; not for ever, because an
  // RPC that was away for a moment fails like one that refuses the size.
  let limit = MAX_BLOCKS;
  let answers = 0;
  const readNext = async (first: number): Promise<LogRange> => {
    for (;;) {
      const to = Math.min(last, first + blocks - 1);
      try {
        const range = await readRange(client, options.contractAddress, first, to);
        const found = range.logs.length;
        answers += 1;
        if (answers % ANSWERS_BEFORE_GROWTH === 0) limit = Math.min(MAX_BLOCKS, 2 * limit);
        if (found > MANY_LOGS) blocks = Math.max(1, Math.floor(blocks / 2));
        else if (found < MANY_LOGS / 2) blocks = Math.min(limit, blocks * 2);
        return range;
      } catch (error) {
        if (to === first || !mayBeTooLarge(error)) throw error;
        options.onRefused?.({ from: first, to, error });
        blocks = Math.ceil((to - first + 1) / 2);
        limit = blocks;
        answers = 0;
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

/** True if a smaller range may be answered; false if the RPC is away, or refuses any request. */
function mayBeTooLarge(error: unknown): boolean {
  const found = error instanceof BaseError && error.walk((one) => one instanceof HttpRequestError);
  if (!(found instanceof HttpRequestError)) return true;
  return found.status !== undefined && ![401, 403, 429].includes(found.status);
}

function clientOf({
  rpcUrls,
  requestsPerSecond,
  timeoutMs = TIMEOUT_MS,
}: RpcOptions): PublicClient {
  const send = requestsPerSecond === 0 ? fetch : pacedFetch(requestsPerSecond);
  const transports = [...new Set(rpcUrls)].map((url) =>
    http(url, {
      batch: { batchSize: MAX_BATCH },
      maxResponseBodySize: MAX_RESPONSE_BYTES,
      timeout: timeoutMs,
      ...ONCE,
      fetchFn: limitedFetch(timeoutMs, send),
    }),
  );
  return createPublicClient({ transport: fallback(transports, ONCE), cacheTime: 0 });
}

/** Cancels a request whose whole response takes too long: viem's limit ends with the headers. */
function limitedFetch(timeoutMs: number, send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const late = new AbortController();
    const end = () => late.abort(new TimeoutError({ body: {}, url: 'the RPC' }));
    setTimeout(end, timeoutMs).unref();
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    return await send(input, { ...init, signal });
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
  client: PublicClient,
  address: Hex,
  from: number,
  to: number,
): Promise<LogRange> {
  const [found, last] = await Promise.all([
    client.request({
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
    client.getBlock({ blockNumber: BigInt(to) }),
  ]);
  const logs = found.filter((log) => !log.removed).map((log) => minedLog(log, from, to));
  return { to: last, logs, timestamps: await timestampsOf(client, logs) };
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
  client: PublicClient,
  logs: readonly MinedLog[],
): Promise<ReadonlyMap<Hex, bigint>> {
  const timestamps = new Map<Hex, bigint>();
  const missing = new Map<Hex, Hex>();
  for (const { blockNumber, blockHash, blockTimestamp } of logs) {
    if (blockTimestamp && BigInt(blockTimestamp) > 0n) {
      timestamps.set(blockNumber, BigInt(blockTimestamp));
    } else missing.set(blockNumber, blockHash);
  }
  await Promise.all(
    [...missing].map(async ([number, hash]) => {
      const block = await client.getBlock({ blockNumber: BigInt(number) });
      if (block.hash !== hash) {
        throw new Error(`the RPC has two blocks ${Number(number)}: ${hash} and ${block.hash}`);
      }
      timestamps.set(number, block.timestamp);
    }),
  );
  return timestamps;
}
