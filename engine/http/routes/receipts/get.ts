import type { Handler } from '../../handler.ts';
import { readReceipt } from '../../read-receipt.ts';
import { receiptOf } from '../../render/receipt.ts';

/** `receipts.get`: everything about a sale. */
export const get: Handler<'receipts.get'> = async (input, deps) => {
  const { receipt, head, chain } = await readReceipt(deps, input);
  return { data: receiptOf(deps.deployment, receipt, head), chain };
};
