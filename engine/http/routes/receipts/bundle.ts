import { ReceiptBundle } from '../../../contract/shapes/bundle.ts';
import { getReceipt } from '../../../db/read/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Bundle } from '../../../verify/bundle/index.ts';
import {
  BundleImpossibleError,
  BundleUnavailableError,
  type MakeBundleParameters,
  makeBundle,
  NoSaleError,
} from '../../../verify/bundle/make/index.ts';
import { AtOnce } from '../../at-once.ts';
import { NotFoundError, NotReadyError, UnprocessableError } from '../../errors.ts';
import { chainMeta, type Handler, requireChain } from '../../handler.ts';
import { newestBlockOf } from '../../render/receipt.ts';
import { boundedClient } from '../../verifier.ts';

/** Each reads whole blocks of receipts. */
const atOnce = new AtOnce(4, 'bundles');

/** Enough for the most blocks that a bundle may have, and for their receipts one by one of a few. */
const bounds = { deadlineMs: 15_000, requestsMost: 2_000 } as const;

/** `receipts.bundle`: makes the proofs of a receipt from the chain, as of the settled block. */
export const bundle: Handler<'receipts.bundle'> = async ({ chainId, saleId }, deps) => {
  const { client, deployment, pool } = deps;
  requireChain(deps, chainId);
  const { recordedIn, head, newest } = await readLedger(pool, async (snapshot) => {
    const receipt = await getReceipt(snapshot, saleId);
    if (receipt === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
    return {
      recordedIn: receipt.sale.record.blockNumber,
      head: snapshot.head,
      newest: newestBlockOf(receipt),
    };
  });
  const made = await atOnce.run(deps, () =>
    proven({
      client: boundedClient(client, bounds),
      contractAddress: deployment.contractAddress,
      saleId,
      fromBlock: BigInt(deployment.startBlock),
      atBlock: BigInt(head.number),
      blockHint: BigInt(recordedIn),
    }),
  );
  return { data: ReceiptBundle.parse(made), chain: chainMeta(deployment, head, newest) };
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
