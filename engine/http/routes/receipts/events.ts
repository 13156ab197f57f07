import { saleEvents } from '../../../db/read/sales/events.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, requireChain } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { receiptEvent } from '../../render/event.ts';
import { requireSale } from '../../resources/receipts/read-receipt.ts';

/** `receipts.events`: a sale's history, oldest first. */
export const events: Handler<'receipts.events'> = async (input, deps) => {
  const { chainId, saleId, atBlock } = input;
  requireChain(deps, chainId);
  const page = new ListPage('receipts.events', input, { seq: cursorId });
  const { after, limit } = page.query;
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const { sql, head } = snapshot;
    const sale = await requireSale(snapshot, saleId);
    const found = await saleEvents(sql, {
      campaignId: sale.campaignId,
      saleId: sale.saleId,
      ...(after && { afterSeq: after.seq }),
      throughSeq: sale.at.seq,
      limit,
    });
    return {
      data: mapItems(page.of(found), (event) =>
        receiptEvent(deps.deployment, { ...event, campaignId: sale.campaignId }, head),
      ),
      chain: chainMeta(deps.deployment, head, sale.newestBlock, sale.campaignId),
    };
  });
};
