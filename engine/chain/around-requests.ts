import type { Transport } from 'viem';

/** A JSON-RPC request, as a transport gets it. */
export interface RpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** Sends a request. The options are viem's. */
export type SendRequest = (request: RpcRequest, options?: unknown) => Promise<unknown>;

/**
 * The transport with something done around each of its requests.
 * @param around makes the function that takes the place of `send`. It is called for each client, and by `fallback` for
 * each request: what has to outlive one is outside of it.
 */
export function aroundRequests<T extends Transport>(
  transport: T,
  around: (send: SendRequest) => SendRequest,
): T {
  const wrapped = (parameters: Parameters<Transport>[0]) => {
    const rpc = transport(parameters);
    return { ...rpc, request: around(rpc.request as SendRequest) };
  };
  return wrapped as T;
}
