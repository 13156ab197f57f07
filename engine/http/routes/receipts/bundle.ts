import { ReceiptBundle } from '../../../contract/shapes/bundle.ts';
import type { Bundle } from '../../../verify/bundle/index.ts';
import {
  BundleImpossibleError,
  BundleUnavailableError,
  type MakeBundleParameters,
  makeBundle,
  NoSaleError,
} from '../../../verify/bundle/make/index.ts';
import { AtOnce } from '../../at-once.ts';
import { NotReadyError, UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { readReceipt } from '../../read-receipt.ts';
import { boundedClient } from '../../verifier.ts';

/** Each reads whole blocks of receipts. */
const atOnce = new AtOnce(4, 'bundles');

/** Enough for the most blocks that a bundle may have, and for their receipts one by one of a few. */
const bounds = { deadlineMs: 15_000, requestsMost: 2_000 } as const;

/** `receipts.bundle`: makes the proofs of a receipt from the chain, as of the settled block. */
export const bundle: Handler<'receipts.bundle'> = async ({ chainId, saleId }, deps) => {
  const { client, deployment } = deps;
  const { receipt, head, chain } = await readReceipt(deps, { chainId, saleId });
  const made = await atOnce.run(deps, () =>
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

/** @throws the errors of this API for those of making a bundle. */
async function proven(parameters: MakeBundleParameters): Promise<Bundle> {
  try {
    return await makeBundle(parameters);
  } catch (error) {
    if (error instanceof BundleImpossibleError) throw new UnprocessableError(error.message);
    if (error instanceof BundleUnavailableError || error instanceof NoSaleError) {
      throw new NotReadyError([{ path: 'chain', message: error.message }]);
    }
    throw error;
  }
}
