import { getReceipt } from '../../../db/read/receipt.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import { NotFoundError, TooManyAtOnceError } from '../../errors.ts';
import { chainMeta, type Handler, requireChain } from '../../handler.ts';
import { newestBlockOf, receiptOf } from '../../render/receipt.ts';
import { verifyReceipt } from '../../verifier.ts';

/** Verifications that run at once: each costs the RPC a dozen questions. */
const AT_ONCE_MOST = 16;
const running = new WeakMap<AppDeps, number>();

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
  const { verdict, block, checks } = await inTurn(deps, () =>
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

async function inTurn<T>(deps: AppDeps, work: () => Promise<T>): Promise<T> {
  const count = running.get(deps) ?? 0;
  if (count >= AT_ONCE_MOST) {
    throw new TooManyAtOnceError('Too many verifications run just now: try again.');
  }
  running.set(deps, count + 1);
  try {
    return await work();
  } finally {
    running.set(deps, (running.get(deps) ?? 1) - 1);
  }
}
