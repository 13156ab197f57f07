import { ReceiptBundle } from '../../../contract/shapes/bundle.ts';
import type { Bundle } from '../../../verify/bundle/index.ts';
import {
  BundleImpossibleError,
  BundleUnavailableError,
  NoSaleError,
} from '../../../verify/bundle/make/index.ts';
import { notReady, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { sharedBundle } from '../../resources/receipts/bundles.ts';
import { readReceipt } from '../../resources/receipts/read-receipt.ts';

/** `receipts.bundle`: creates the proofs of a receipt from the chain, at the settled block. */
export const bundle: Handler<'receipts.bundle'> = async ({ chainId, saleId }, deps) => {
  const { deployment } = deps;
  const { receipt, head, chain } = await readReceipt(deps, { chainId, saleId });
  const made = await inHttp(
    sharedBundle(deps, receipt, {
      contractAddress: deployment.contractAddress,
      saleId,
      fromBlock: BigInt(deployment.startBlock),
      atBlock: BigInt(head.number),
      blockHint: BigInt(receipt.sale.record.blockNumber),
    }),
  );
  return { data: ReceiptBundle.parse(made), chain };
};

/** Converts the errors of making a bundle to HTTP errors. */
async function inHttp(made: Promise<Bundle>): Promise<Bundle> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof BundleImpossibleError) throw unprocessable(error.message);
    if (error instanceof BundleUnavailableError || error instanceof NoSaleError) {
      throw notReady('chain', error.message);
    }
    throw error;
  }
}
