import { boundedClient } from '../../../chain/client.ts';
import { ReceiptBundle } from '../../../contract/shapes/bundle.ts';
import type { Bundle } from '../../../verify/bundle/index.ts';
import {
  BundleImpossibleError,
  BundleUnavailableError,
  type MakeBundleParameters,
  makeBundle,
  NoSaleError,
} from '../../../verify/bundle/make/index.ts';
import { notReady, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';
import { readReceipt } from '../../resources/receipts/read-receipt.ts';

/** Limit on concurrent bundles: each reads all receipts of whole blocks. */
const concurrency = new ConcurrencyLimit(4, 'bundles');

/** Enough for the maximum of blocks in a bundle, and for single receipts of a few blocks. */
const bounds = { deadlineMs: 15_000, maxRequests: 2_000 } as const;

/** `receipts.bundle`: creates the proofs of a receipt from the chain, at the settled block. */
export const bundle: Handler<'receipts.bundle'> = async ({ chainId, saleId }, deps) => {
  const { client, deployment } = deps;
  const { receipt, head, chain } = await readReceipt(deps, { chainId, saleId });
  const made = await concurrency.run(deps, () =>
    proven({
      client: boundedClient(client, bounds),
      contractAddress: deployment.contractAddress,
      saleId,
      fromBlock: BigInt(deployment.startBlock),
      atBlock: BigInt(head.number),
      blockHint: BigInt(receipt.sale.record.blockNumber),
    }),
  );
  return { data: ReceiptBundle.parse(made), chain };
};

/** Creates a bundle, and converts its errors to HTTP errors. */
async function proven(parameters: MakeBundleParameters): Promise<Bundle> {
  try {
    return await makeBundle(parameters);
  } catch (error) {
    if (error instanceof BundleImpossibleError) throw unprocessable(error.message);
    if (error instanceof BundleUnavailableError || error instanceof NoSaleError) {
      throw notReady('chain', error.message);
    }
    throw error;
  }
}
