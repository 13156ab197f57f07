import { boundedClient } from '../../../chain/client.ts';
import type { ReceiptFields } from '../../../core/receipt.ts';
import { type Verification, verifySale } from '../../../verify/index.ts';
import type { AppDeps } from '../../deps.ts';

/** Milliseconds that one verification may take; checks still open afterwards are `unavailable`. */
const DEADLINE_MS = 10_000;
/** Requests to the RPC of one verification. */
const MAX_REQUESTS = 300;

/**
 * Verifies a receipt against the chain, as of the receipt's settled block: neither has what was mined
 * later. Time and requests are limited; checks that the RPC does not answer are `unavailable`.
 */
export async function verifyReceipt(
  { client, deployment }: Pick<AppDeps, 'client' | 'deployment'>,
  receipt: ReceiptFields,
  settledNumber: number,
): Promise<Verification> {
  return await verifySale({
    client: boundedClient(client, { deadlineMs: DEADLINE_MS, maxRequests: MAX_REQUESTS }),
    contractAddress: deployment.contractAddress,
    saleId: receipt.saleId,
    served: receipt,
    fromBlock: BigInt(deployment.startBlock),
    atBlock: BigInt(settledNumber),
  });
}
