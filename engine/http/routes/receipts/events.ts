import { z } from 'zod';
import { saleEvents } from '../../../db/read/sales/events.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { receiptEvent } from '../../render/event.ts';
import { requireSale } from '../../resources/receipts/read-receipt.ts';

const METHOD = 'receipts.events';
const Position = z.tuple([cursorId]);

/** `receipts.events`: a sale's history, oldest first. */
export const events: Handler<'receipts.events'> = async (input, deps) => {
  const { chainId, saleId, atBlock, limit = PAGE_LIMIT } = input;
  requireChain(deps, chainId);
  const scope = { method: METHOD, input };
  const after = decodeCursor(scope, Position);
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const { sql, head } = snapshot;
    const sale = await requireSale(snapshot, saleId);
    const found = await saleEvents(sql, {
      campaignId: sale.campaignId,
      saleId: sale.saleId,
      ...(after ? { afterSeq: after[0] } : {}),
      throughSeq: sale.at.seq,
      limit: limit + 1,
    });
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [String(one.seq)]);
    return {
      data: {
        items: items.map((event) =>
          receiptEvent(deps.deployment, { ...event, campaignId: sale.campaignId }, head),
        ),
        nextCursor,
      },
      chain: chainMeta(deps.deployment, head, sale.newestBlock, sale.campaignId),
    };
  });
};
