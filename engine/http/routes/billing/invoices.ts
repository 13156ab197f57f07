import { listInvoices } from '../../../db/commerce/invoices.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorMicroseconds, cursorText, ListPage } from '../../input/cursor.ts';

const position = { from: cursorMicroseconds, id: cursorText };

/**
 * `billing.invoices`: newest period first. The service charges nothing and issues no invoices: the list
 * has those that an operator with its own fee wrote into `commerce.invoice`.
 */
export const invoices: Handler<'billing.invoices'> = async (input, { pool }, { merchant }) => {
  const page = new ListPage('billing.invoices', input, position);
  const { items, next } = await listInvoices(pool, merchant, page);
  return {
    data: {
      items: items.map(({ from, to, ...invoice }) => ({
        ...invoice,
        period: { from: from.toISOString(), to: to.toISOString() },
      })),
      nextCursor: page.cursor(next),
    },
  };
};
