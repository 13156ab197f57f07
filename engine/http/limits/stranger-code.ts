import { numberToHex, type PublicClient } from 'viem';
import { boundedClient, type JsonRpcRequest, type RpcBounds } from '../../chain/client.ts';
import { isFailedCall } from '../../chain/errors.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';

/**
 * Gas of one call, unless its bounds say otherwise. The heaviest signatures of wallets in use (passkeys,
 * checked in Solidity, of a wallet that is not deployed yet) take about 2 million.
 */
const MAX_GAS = 10_000_000;

/**
 * Gas of a call that only reads a token: a hundred times what tokens need, as some chains count more than the call's own
 * steps. No answer is then longer than some 1.6 MB, and the call is so short that it is not counted as concurrent.
 */
export const READ_GAS = 5_000_000;

/** Concurrent calls of this process that may be long. */
const MAX_CONCURRENT = 16;

/** Limits on the RPC requests of one API request. */
export interface CallBounds extends RpcBounds {
  /** Units of gas of one call; default: 10 million. */
  readonly maxGas?: number;
}

/** A client for contracts that a stranger chose, and whether the RPC failed. */
export interface StrangerCalls {
  readonly client: PublicClient;
  /** True if the RPC gave no answer to a request, or refused it; that a call fails is an answer. */
  readonly outage: () => boolean;
}

/** Number of open requests of each client. */
const openRequests = new WeakMap<PublicClient, number>();

/**
 * A client that lets the chain run a stranger's code: a wallet, a token. It has its own connections, a
 * limit of gas for each call, a limit of concurrent calls for the process, and a deadline at which open
 * requests are cancelled, so that the RPC can stop as well.
 */
export function strangerCalls(
  deps: Pick<AppDeps, 'client' | 'strangersClient'>,
  { maxGas = MAX_GAS, ...bounds }: CallBounds,
): StrangerCalls {
  const chain = deps.strangersClient ?? deps.client;
  let outage = false;
  const client = boundedClient(chain, bounds, async (request, send) => {
    try {
      const call = () => send(withGas(request, maxGas));
      return await (maxGas <= READ_GAS ? call() : limited(chain, call));
    } catch (error) {
      if (!isFailedCall(error)) outage = true;
      throw error;
    }
  });
  return { client, outage: () => outage };
}

/** @throws {HttpError} RATE_LIMITED if the process has too many open requests. */
async function limited<T>(chain: PublicClient, work: () => Promise<T>): Promise<T> {
  const open = openRequests.get(chain) ?? 0;
  if (open >= MAX_CONCURRENT) {
    throw new HttpError('RATE_LIMITED', 'Too many calls of contracts are running: try again.');
  }
  openRequests.set(chain, open + 1);
  try {
    return await work();
  } finally {
    openRequests.set(chain, (openRequests.get(chain) ?? 1) - 1);
  }
}

/** Sets the limit of gas: a call without one may take all that the RPC allows. */
function withGas(request: JsonRpcRequest, maxGas: number): JsonRpcRequest {
  const { method, params } = request;
  if (!['eth_call', 'eth_estimateGas'].includes(method) || !Array.isArray(params)) return request;
  const [call, ...rest] = params;
  return { method, params: [{ ...call, gas: numberToHex(maxGas) }, ...rest] };
}
