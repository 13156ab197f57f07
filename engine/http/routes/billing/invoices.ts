import { z } from 'zod';
import { listInvoices } from '../../../db/commerce/invoices.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorMicroseconds, cursorText, decodeCursor, encodeCursor } from '../../input/cursor.ts';

const Position = z.tuple([cursorMicroseconds, cursorText]);

/**
 * `billing.invoices`: newest period first. The service charges nothing and issues no invoices: the list
 * has those that an operator with its own fee wrote into `commerce.invoice`.
 */
export const invoices: Handler<'billing.invoices'> = async (input, { pool }, { merchant }) => {
  const scope = { method: 'billing.invoices', input };
  const position = decodeCursor(scope, Position);
  const after = position && { from: position[0], id: position[1] };
  const limit = input.limit ?? PAGE_LIMIT;
  const { items, next } = await listInvoices(pool, merchant, { after, limit });
  return {
    data: {
      items: items.map(({ from, to, ...invoice }) => ({
        ...invoice,
        period: { from: from.toISOString(), to: to.toISOString() },
      })),
      nextCursor: next && encodeCursor(scope, [next.from, next.id]),
    },
  };
};
