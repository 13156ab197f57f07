import { createPublicClient, fallback, http, type PublicClient } from 'viem';

export interface RpcClientOptions {
  /** Calls that one JSON-RPC batch carries at most. */
  readonly batchSize?: number;
  /** Milliseconds an RPC may take to answer. */
  readonly timeoutMs?: number;
}

/** A client of one or several RPC URLs of the same chain, tried in turn; opens nothing until asked. */
export function rpcClient(urls: readonly string[], options: RpcClientOptions = {}): PublicClient {
  const { batchSize, timeoutMs } = options;
  const batch = batchSize === undefined ? true : { batchSize };
  return createPublicClient({
    transport: fallback(
      [...new Set(urls)].map((url) =>
        http(url, { batch, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }),
      ),
    ),
    // What is asked for twice must be asked for twice: a reorg may lie between.
    cacheTime: 0,
  });
}
