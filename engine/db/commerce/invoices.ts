import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { as, date, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';

const invoiceRow = rowCodec({
  id: text,
  from: date.from('period_from'),
  to: date.from('period_to'),
  /** Decimal, in the currency. */
  amount: text,
  currency: text,
  status: as<'draft' | 'issued' | 'paid' | 'void'>(),
  url: nullable(text),
});

/** The service's charge to a merchant for a period. */
export type Invoice = View<typeof invoiceRow>;

/** Where a page of invoices ended. */
export interface InvoicePlace {
  /** Microseconds since 1970, of the period's beginning. */
  readonly from: string;
  readonly id: string;
}

export interface InvoicePage {
  readonly items: readonly Invoice[];
  /** `null` where this is the last page. */
  readonly next: InvoicePlace | null;
}

/** Invoices of an account's profile, newest period first: one statement. */
export async function listInvoices(
  sql: Sql,
  merchant: Address,
  { after, limit }: { readonly after: InvoicePlace | undefined; readonly limit: number },
): Promise<InvoicePage> {
  const rows = await sql<(StoredRow & { id: string; from_micros: string })[]>`
    select invoice.id, invoice.period_from, invoice.period_to,
      trim_scale(invoice.amount) as amount, invoice.currency, invoice.status, invoice.url,
      (extract(epoch from invoice.period_from) * 1000000)::bigint as from_micros
    from commerce.merchant merchant
    join commerce.invoice invoice on invoice.merchant_id = merchant.id
    where merchant.address = ${merchant}
      ${after === undefined ? sql`` : sql`and ${afterInvoice(sql, after)}`}
    order by invoice.period_from desc, invoice.id desc limit ${limit + 1}`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map((row) => {
      const invoice = invoiceRow.decode(row);
      return invoice.status === 'draft' ? { ...invoice, url: null } : invoice;
    }),
    next: last ? { from: last.from_micros, id: last.id } : null,
  };
}

function afterInvoice(sql: Sql, { from, id }: InvoicePlace) {
  return sql`(invoice.period_from, invoice.id)
    < (timestamptz 'epoch' + ${from}::bigint * interval '1 microsecond', ${id})`;
}
