import {
  BaseError,
  createPublicClient,
  custom,
  numberToHex,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import type { AppDeps } from './deps.ts';
import { TooManyAtOnceError } from './errors.ts';

/**
 * Gas that one call may take, unless its bounds say otherwise. The heaviest signatures of wallets in use (passkeys, checked in Solidity,
 * of a wallet that is yet to be deployed) take about 2 million.
 */
const MAX_GAS = 10_000_000;

/** Calls that run concurrently in this process. */
const MAX_CONCURRENT = 16;

/** What may be asked of the RPC for one request. */
export interface CallBounds {
  /** Milliseconds after which what is still asked is cancelled. */
  readonly deadlineMs: number;
  readonly maxRequests: number;
  readonly maxGas?: number;
}

/** A client for contracts that a stranger chose, and what became of its questions. */
export interface StrangerCalls {
  readonly client: PublicClient;
  /** True if the RPC gave no answer to a question; that a call reverts is an answer. */
  readonly outage: () => boolean;
}

/** Questions under way, of each client. */
const underWay = new WeakMap<PublicClient, number>();

/**
 * Asks the chain to run a stranger's code: a wallet, a token. It goes over connections of its own, with
 * a limit of gas for each call, a limit of concurrent calls for the process, and an end for each
 * question: one that is too slow is cancelled, so that the RPC can stop as well. The code cannot send
 * us to servers of its choice (CCIP read, ERC-3668).
 */
export function strangerCalls(
  deps: Pick<AppDeps, 'client' | 'strangersClient'>,
  { deadlineMs, maxRequests, maxGas = MAX_GAS }: CallBounds,
): StrangerCalls {
  const chain = deps.strangersClient ?? deps.client;
  const signal = AbortSignal.timeout(deadlineMs);
  let left = maxRequests;
  let outage = false;
  const request = async (question: { method: string; params?: unknown }) => {
    left -= 1;
    try {
      if (left < 0) throw new Error('a request has asked the RPC too much');
      return await limited(chain, () => asked(chain, withGas(question, maxGas), signal));
    } catch (error) {
      if (!isAnswer(error)) outage = true;
      throw error;
    }
  };
  const client = createPublicClient({
    transport: custom({ request }, { retryCount: 0 }),
    cacheTime: 0,
    ccipRead: false,
  });
  return { client, outage: () => outage };
}

async function limited<T>(chain: PublicClient, work: () => Promise<T>): Promise<T> {
  const running = underWay.get(chain) ?? 0;
  if (running >= MAX_CONCURRENT) {
    throw new TooManyAtOnceError('Too many calls of contracts run just now: try again.');
  }
  underWay.set(chain, running + 1);
  try {
    return await work();
  } finally {
    underWay.set(chain, (underWay.get(chain) ?? 1) - 1);
  }
}

/** Waits for the answer, and no longer than the signal says, whether or not the transport heeds it. */
async function asked(
  chain: PublicClient,
  question: { method: string; params?: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  let stop = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    const rpc = custom({ request: chain.request }, { retryCount: 0 })({ retryCount: 0 });
    return await Promise.race([rpc.request(question, { signal }), late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A call without a limit of gas may take all that the RPC allows. */
function withGas(question: { method: string; params?: unknown }, maxGas: number) {
  const { method, params } = question;
  if (!['eth_call', 'eth_estimateGas'].includes(method) || !Array.isArray(params)) return question;
  const [call, ...rest] = params;
  return { method, params: [{ ...call, gas: numberToHex(maxGas) }, ...rest] };
}

/** Whether the RPC answered, if only that the call reverts. */
function isAnswer(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof RpcRequestError) !== null;
}
