import { z } from 'zod';
import { listInvoices } from '../../../db/commerce/invoices.ts';
import { cursorMicroseconds, cursorText, encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';

const Place = z.tuple([cursorMicroseconds, cursorText]);

/**
 * `billing.invoices`: newest period first. The service charges nothing, and so issues none: the
 * list has what an operator with a fee of its own wrote into `commerce.invoice`.
 */
export const invoices: Handler<'billing.invoices'> = async (input, { pool }, { session }) => {
  const place = placeOf('billing.invoices', input, Place);
  const after = place && { from: place[0], id: place[1] };
  const limit = input.limit ?? PAGE_LIMIT;
  const { items, next } = await listInvoices(pool, session.address, { after, limit });
  return {
    data: {
      items: items.map(({ from, to, ...invoice }) => ({
        ...invoice,
        period: { from: from.toISOString(), to: to.toISOString() },
      })),
      nextCursor: next && encodeCursor({ method: 'billing.invoices', input }, [next.from, next.id]),
    },
  };
};
