import { getReceipt } from '../../../db/read/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { AtOnce } from '../../at-once.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, requireChain } from '../../handler.ts';
import { newestBlockOf, receiptOf } from '../../render/receipt.ts';
import { verifyReceipt } from '../../verifier.ts';

/** Each costs the RPC a dozen questions. */
const atOnce = new AtOnce(16, 'verifications');

/** `receipts.verify`: holds what `receipts.get` serves against the chain. */
export const verify: Handler<'receipts.verify'> = async ({ chainId, saleId }, deps) => {
  requireChain(deps, chainId);
  const { served, head, newest } = await readLedger(deps.pool, async (snapshot) => {
    const receipt = await getReceipt(snapshot, saleId);
    if (receipt === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
    return {
      served: receiptOf(deps.deployment, receipt, snapshot.head),
      head: snapshot.head,
      newest: newestBlockOf(receipt),
    };
  });
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
    chain: chainMeta(deps.deployment, head, newest),
  };
};
