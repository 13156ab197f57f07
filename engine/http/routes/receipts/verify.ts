import type { Handler } from '../../handler-types.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';
import { receiptOf } from '../../render/receipt.ts';
import { readReceipt } from '../../resources/receipts/read-receipt.ts';
import { verifyReceipt } from '../../resources/receipts/verifier.ts';

/** Limit on concurrent verifications: each costs about a dozen RPC requests. */
const concurrency = new ConcurrencyLimit(16, 'verifications');

/** `receipts.verify`: compares the response of `receipts.get` with the chain. */
export const verify: Handler<'receipts.verify'> = async ({ chainId, saleId }, deps) => {
  const { receipt, head, chain } = await readReceipt(deps, { chainId, saleId });
  const served = receiptOf(deps.deployment, receipt, head);
  const { verdict, block, newestBlock, checks, notCompared } = await concurrency.run(deps, () =>
    verifyReceipt(deps, served, head.number),
  );
  return {
    data: {
      chainId,
      saleId: served.saleId,
      verdict,
      block,
      newestBlock,
      checks: checks.map((check) => ({ ...check, evidence: { ...check.evidence } })),
      notCompared: [...notCompared],
    },
    chain,
  };
};
