import type { Handler } from '../../handler-types.ts';
import { receiptOf } from '../../render/receipt.ts';
import { readReceipt } from '../../resources/receipts/read-receipt.ts';

/** `receipts.get`: the complete receipt of a sale. */
export const get: Handler<'receipts.get'> = async (input, deps) => {
  const { receipt, head, chain } = await readReceipt(deps, input);
  return { data: receiptOf(deps.deployment, receipt, head), chain };
};
