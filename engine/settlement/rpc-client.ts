import {
  createPublicClient,
  custom,
  fallback,
  http,
  type PublicClient,
  RpcRequestError,
} from 'viem';

export interface RpcClientOptions {
  /** Calls that one JSON-RPC batch carries at most. */
  readonly batchSize?: number;
  /** Milliseconds an RPC may take to answer. */
  readonly timeoutMs?: number;
}

/**
 * Bytes that an answer may have: the receipts of a full block are some megabytes, and those of several
 * come as one answer. viem's own limit is 10 MiB.
 */
const ANSWER_BYTES_MOST = 64 * 1_024 * 1_024;

/** A client of one or several RPC URLs of the same chain, tried in turn; opens nothing until asked. */
export function rpcClient(urls: readonly string[], options: RpcClientOptions = {}): PublicClient {
  const { batchSize, timeoutMs: timeout } = options;
  const batch = batchSize === undefined ? true : { batchSize };
  return createPublicClient({
    transport: fallback(
      [...new Set(urls)].map((url) =>
        http(url, {
          batch,
          maxResponseBodySize: ANSWER_BYTES_MOST,
          ...(timeout === undefined ? {} : { timeout }),
        }),
      ),
    ),
    // What is asked for twice must be asked for twice: a reorg may lie between.
    cacheTime: 0,
  });
}

/** What goes with a question: `signal` cancels it, down to the connection. */
type QuestionOptions = { readonly signal?: AbortSignal };

/**
 * A client for questions that may be slow on purpose. Each is an HTTP request of its own, so none is in
 * a batch with others, and can be cancelled; the URLs are tried in turn.
 */
export function cancellableClient(urls: readonly string[], timeoutMs: number): PublicClient {
  const rpcs = [...new Set(urls)].map((url) =>
    http(url, { batch: false, retryCount: 0, timeout: timeoutMs })({}),
  );
  const request = async (
    question: { method: string; params?: unknown },
    options: QuestionOptions = {},
  ) => {
    let last: unknown = new Error('there is no RPC to ask');
    for (const rpc of rpcs) {
      try {
        return await rpc.request(question, options);
      } catch (error) {
        // An answer, if only that a call reverts, is the same from each of them.
        if (error instanceof RpcRequestError || options.signal?.aborted) throw error;
        last = error;
      }
    }
    throw last;
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}
