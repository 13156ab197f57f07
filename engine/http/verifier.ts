import { createPublicClient, custom, type PublicClient } from 'viem';
import type { ReceiptFigures } from '../core/receipt.ts';
import { type Verification, verifySale } from '../verify/index.ts';
import type { AppDeps } from './deps.ts';

/** Milliseconds after which a verification asks nothing more; what is open is `unavailable`. */
const DEADLINE_MS = 10_000;
/** Questions to the RPC that one verification may cost. */
const REQUESTS_MOST = 300;

/** What somebody who asks may cost the RPC. */
export interface RpcBounds {
  /** Milliseconds after which nothing more is answered. */
  readonly deadlineMs: number;
  readonly requestsMost: number;
}

/**
 * Verifies a receipt against the chain as of the settled block that the receipt is of: what was
 * mined since is in neither. Bounded in time and in requests; an RPC that fails makes checks
 * `unavailable`.
 */
export async function verifyReceipt(
  { client, deployment }: Pick<AppDeps, 'client' | 'deployment'>,
  receipt: ReceiptFigures,
  settledNumber: number,
): Promise<Verification> {
  return await verifySale({
    client: boundedClient(client, { deadlineMs: DEADLINE_MS, requestsMost: REQUESTS_MOST }),
    contractAddress: deployment.contractAddress,
    saleId: receipt.saleId,
    served: receipt,
    fromBlock: BigInt(deployment.startBlock),
    atBlock: BigInt(settledNumber),
  });
}

/** The same chain, for so many questions, and so long. */
export function boundedClient(
  client: PublicClient,
  { deadlineMs, requestsMost }: RpcBounds,
): PublicClient {
  let left = requestsMost;
  const late = rejectAfter(deadlineMs);
  const rpc = custom({ request: client.request }, { retryCount: 0 })({ retryCount: 0 });
  const request = async (question: { method: string; params?: unknown }) => {
    left -= 1;
    if (left < 0) throw new Error('the RPC was asked too much');
    return await Promise.race([rpc.request(question), late]);
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 });
}

function rejectAfter(milliseconds: number): Promise<never> {
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error('the RPC did not answer in time');
    setTimeout(() => reject(error), milliseconds).unref();
  });
  // Nobody may be waiting any more when the time is up.
  late.catch(() => {});
  return late;
}
