import { AtOnce } from '../../at-once.ts';
import type { Handler } from '../../handler.ts';
import { readReceipt } from '../../read-receipt.ts';
import { receiptOf } from '../../render/receipt.ts';
import { verifyReceipt } from '../../verifier.ts';

/** Each costs the RPC a dozen questions. */
const atOnce = new AtOnce(16, 'verifications');

/** `receipts.verify`: holds what `receipts.get` serves against the chain. */
export const verify: Handler<'receipts.verify'> = async ({ chainId, saleId }, deps) => {
  const { receipt, head, chain } = await readReceipt(deps, { chainId, saleId });
  const served = receiptOf(deps.deployment, receipt, head);
  const { verdict, block, checks } = await atOnce.run(deps, () =>
    verifyReceipt(deps, served, head.number),
  );
  return {
    data: {
      chainId,
      saleId: served.saleId,
      verdict,
      block,
      checks: checks.map((check) => ({ ...check, evidence: { ...check.evidence } })),
    },
    chain,
  };
};
