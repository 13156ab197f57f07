import { probeId } from '../../../db/ids.ts';
import { salesById } from '../../../db/read/lookups/receipts.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { chainMeta, type Handler, requireChain } from '../../handler-types.ts';
import { receiptSummary } from '../../render/receipt.ts';

/** `lookups.receipts`: sales by their ids, in the order of the request. */
export const receipts: Handler<'lookups.receipts'> = async (input, deps) => {
  const { deployment, pool } = deps;
  requireChain(deps, input.chainId);
  const { head, value: sales } = await readOne(pool, salesById(input.saleIds.map(probeId)));
  const found = input.saleIds.flatMap((saleId) => sales.get(saleId) ?? []);
  const newest = Math.max(...found.map(({ newestBlock }) => newestBlock));
  const campaignIds = found.map(({ campaignId }) => campaignId);
  return {
    data: {
      items: found.map((sale) => receiptSummary(deployment, sale, head)),
      missing: input.saleIds.filter((saleId) => !sales.has(saleId)),
    },
    chain: chainMeta(deployment, head, found.length === 0 ? head.number : newest, campaignIds),
  };
};
