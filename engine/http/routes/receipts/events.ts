import { z } from 'zod';
import { getSale } from '../../../db/read/receipt.ts';
import { saleEvents } from '../../../db/read/sale-events.ts';
import { readAsOf } from '../../as-of.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler.ts';
import { receiptEvent } from '../../render/event.ts';

const METHOD = 'receipts.events';
const Place = z.tuple([cursorId]);

/** `receipts.events`: a sale's history, oldest first. */
export const events: Handler<'receipts.events'> = async (input, deps) => {
  const { chainId, saleId, atBlock, limit = PAGE_LIMIT } = input;
  requireChain(deps, chainId);
  const after = placeOf(METHOD, input, Place);
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const { sql, head } = snapshot;
    const sale = await getSale(snapshot, saleId);
    if (sale === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
    const found = await saleEvents(sql, {
      campaignId: sale.campaignId,
      saleId: sale.saleId,
      ...(after ? { afterSeq: after[0] } : {}),
      throughSeq: sale.at.seq,
      limit: limit + 1,
    });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return {
      data: {
        items: items.map((event) =>
          receiptEvent(deps.deployment, { ...event, campaignId: sale.campaignId }, head),
        ),
        nextCursor: last ? encodeCursor({ method: METHOD, input }, [String(last.seq)]) : null,
      },
      chain: chainMeta(deps.deployment, head, sale.newestBlock, sale.campaignId),
    };
  });
};
