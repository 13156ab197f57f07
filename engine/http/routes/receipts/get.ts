import { getReceipt } from '../../../db/read/receipt.ts';
import { readAsOf } from '../../as-of.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, requireChain } from '../../handler.ts';
import { newestBlockOf, receiptOf } from '../../render/receipt.ts';

/** `receipts.get`: everything about a sale. */
export const get: Handler<'receipts.get'> = async ({ chainId, saleId, atBlock }, deps) => {
  requireChain(deps, chainId);
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const receipt = await getReceipt(snapshot, saleId);
    if (receipt === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
    return {
      data: receiptOf(deps.deployment, receipt, snapshot.head),
      chain: chainMeta(deps.deployment, snapshot.head, newestBlockOf(receipt)),
    };
  });
};
