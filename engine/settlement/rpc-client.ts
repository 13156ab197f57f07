import { createPublicClient, fallback, http, type PublicClient } from 'viem';

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
