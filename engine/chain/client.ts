import { setTimeout as wait } from 'node:timers/promises';
import {
  createPublicClient,
  custom,
  type FallbackTransport,
  fallback,
  type HttpTransportConfig,
  http,
  type PublicClient,
  TimeoutError,
  type Transport,
} from 'viem';
import { aroundRequests } from './around-requests.ts';
import { callWatch } from './call-watch.ts';
import { isFailedCall, isRateLimited, isRefusedByHttp, isUnanswered } from './errors.ts';
import { type ChainIdentity, onChain } from './identity.ts';
import type { ResponseLimit } from './patience.ts';
import { MAX_RESPONSE_BYTES, rpcFetch } from './rpc-fetch.ts';
import { rpcWatch } from './rpc-watch.ts';

/** Limits of a client's HTTP requests. */
export interface RpcClientOptions {
  /** Calls in one JSON-RPC batch; default: viem's own limit. */
  readonly batchSize?: number;
  /** Milliseconds that an RPC may take to answer; default: viem's own 10 s. */
  readonly timeoutMs?: number;
  /** Milliseconds that a request may take in all, with every RPC, which is asked once; default: no limit. */
  readonly deadlineMs?: number;
  /** Limit of large responses, in place of `timeoutMs`; each RPC is asked once. */
  readonly patience?: ResponseLimit | undefined;
  /**
   * The chain that each RPC is compared with before it is asked (`identityOf`): one of another chain is left out
   * like one that is away.
   */
  readonly identity?: ChainIdentity | undefined;
  /** Place of the first URL among all of the chain, from 1; default 1. */
  readonly first?: number;
  /** False if a batch that an RPC refuses is not sent in parts; default true. */
  readonly splits?: boolean;
}

/** Contract calls in one JSON-RPC batch: small enough for public RPCs. */
export const MAX_BATCH_CALLS = 100;

/** Requests over one or several RPC URLs of the same chain, which are tried in turn. */
export function rpcTransport(
  urls: readonly string[],
  options: RpcClientOptions = {},
): FallbackTransport {
  const { batchSize, deadlineMs, patience, first = 1 } = options;
  const { timeoutMs, identity, splits } = options;
  const transports = [...new Set(urls)].map((url, i) =>
    oneRpc(url, {
      batch: batchSize === undefined ? true : { batchSize },
      ...{ timeoutMs, patience, identity, place: first + i, splits },
    }),
  );
  // viem would ask up to sixteen times: each of its transports four times, and `fallback` four times all of them.
  const all = fallback(transports, { retryCount: 0 });
  // A caller with a deadline asks again, and more slowly.
  return deadlineMs === undefined && patience === undefined ? retrying(all) : all;
}

/** Milliseconds before a request that was not answered is sent again. */
const RETRY_MS = [150, 500];

/** A transport that asks again if no RPC answered. It does not if one refused: it would refuse again, or be asked more. */
function retrying(transport: FallbackTransport): FallbackTransport {
  return aroundRequests(transport, (send) => async (request, options) => {
    for (const ms of RETRY_MS) {
      try {
        return await send(request, options);
      } catch (error) {
        if (!isUnanswered(error) || isRefusedByHttp(error) || isRateLimited(error)) throw error;
        await wait(ms);
      }
    }
    return await send(request, options);
  });
}

/** Milliseconds that an RPC may take to answer, unless the caller says otherwise: viem's own. */
const TIMEOUT_MS = 10_000;

/** Requests to one RPC: each is limited as a whole, watched, and sent only if the RPC is of the chain. */
function oneRpc(
  url: string,
  {
    timeoutMs = TIMEOUT_MS,
    patience,
    identity,
    place,
    splits,
    ...config
  }: Pick<HttpTransportConfig, 'batch'> & {
    readonly timeoutMs?: number | undefined;
    readonly patience?: ResponseLimit | undefined;
    readonly identity: ChainIdentity | undefined;
    readonly place: number;
    readonly splits?: boolean | undefined;
  },
): Transport {
  const transport = http(url, {
    ...config,
    retryCount: 0,
    // viem's limit is one of the whole response: without it, `rpcFetch` alone decides.
    timeout: patience === undefined ? timeoutMs : 0,
    fetchFn: rpcFetch(patience ?? { silenceMs: timeoutMs, maxMs: timeoutMs }, splits),
    maxResponseBodySize: MAX_RESPONSE_BYTES,
  });
  const watched = callWatch.watched(rpcWatch.watched(transport, url, place), url, place);
  // Watched outside as well, because the inside sees no comparison of chains.
  return identity === undefined
    ? watched
    : rpcWatch.compared(onChain(watched, identity, place), place);
}

/** A client of one or several RPC URLs of the same chain. It opens no connection until it is used. */
export function rpcClient(urls: readonly string[], options: RpcClientOptions = {}): PublicClient {
  const transport = rpcTransport(urls, options);
  // No cache: a reorg may lie between two requests for the same thing.
  const client = createPublicClient({ transport, cacheTime: 0 });
  const { deadlineMs } = options;
  if (deadlineMs === undefined) return client;
  const request = (body: JsonRpcRequest) =>
    beforeDeadline(client.request(body as never), deadlineMs);
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

/** Fails with viem's own error for a timeout. `rpcFetch` cancels the HTTP request: each RPC has less time than all. */
async function beforeDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const end = () => reject(new TimeoutError({ body: {}, url: 'the RPC' }));
    timer = setTimeout(end, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One JSON-RPC request. */
export interface JsonRpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

/**
 * A client for requests that may be slow on purpose. Each is an HTTP request of its own and can be
 * cancelled by a signal, which viem's `fallback` does not pass on. The URLs are tried in turn.
 * @param identity as in `RpcClientOptions`.
 */
export function cancellableClient(
  urls: readonly string[],
  timeoutMs: number,
  identity?: ChainIdentity,
): PublicClient {
  const rpcs = [...new Set(urls)].map((url, i) =>
    oneRpc(url, { batch: false, timeoutMs, identity, place: i + 1 })({}),
  );
  const request = async (body: JsonRpcRequest, options: { readonly signal?: AbortSignal } = {}) => {
    let last: unknown = new Error('there is no RPC to ask');
    for (const rpc of rpcs) {
      try {
        return await rpc.request(body, options);
      } catch (error) {
        // Each RPC would give the same answer; a refusal of one says nothing about the others.
        if (isFailedCall(error) || options.signal?.aborted) throw error;
        last = error;
      }
    }
    throw last;
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

/** Limits of what one piece of work may request from the RPC. */
export interface RpcBounds {
  /** Milliseconds after which open requests are cancelled and new ones fail. */
  readonly deadlineMs: number;
  readonly maxRequests: number;
}

/** Sends a JSON-RPC request and returns its result. */
export type SendRequest = (request: JsonRpcRequest) => Promise<unknown>;

/**
 * A client for the same chain that fails after a deadline or too many requests. It never follows a
 * contract to another server (CCIP read, ERC-3668).
 * @param around is called for each request, and may change, limit or watch it.
 */
export function boundedClient(
  chain: PublicClient,
  { deadlineMs, maxRequests }: RpcBounds,
  around: (request: JsonRpcRequest, send: SendRequest) => Promise<unknown> = (request, send) =>
    send(request),
): PublicClient {
  const signal = AbortSignal.timeout(deadlineMs);
  const rpc = custom({ request: chain.request }, { retryCount: 0 })({ retryCount: 0 });
  let left = maxRequests;
  const send = async (request: JsonRpcRequest) => {
    left -= 1;
    if (left < 0) throw new Error('the limit of requests to the RPC is reached');
    signal.throwIfAborted();
    return await untilAborted(signal, rpc.request(request, { signal }));
  };
  const request = (body: JsonRpcRequest) => around(body, send);
  return createPublicClient({
    transport: custom({ request }, { retryCount: 0 }),
    cacheTime: 0,
    ccipRead: false,
  });
}

/** Fails when the signal does, even if the transport ignores the signal. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
