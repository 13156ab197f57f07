import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

/** The service's charge to a merchant for a period. */
export interface Invoice {
  readonly id: string;
  readonly from: Date;
  readonly to: Date;
  /** Decimal, in the currency. */
  readonly amount: string;
  readonly currency: string;
  readonly status: 'draft' | 'issued' | 'paid' | 'void';
  readonly url: string | null;
}

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

interface InvoiceRow {
  id: string;
  period_from: Date;
  period_to: Date;
  amount: string;
  currency: string;
  status: Invoice['status'];
  url: string | null;
  from_micros: string;
}

/** Invoices of an account's profile, newest period first: one statement. */
export async function listInvoices(
  sql: Sql,
  merchant: Address,
  { after, limit }: { readonly after: InvoicePlace | undefined; readonly limit: number },
): Promise<InvoicePage> {
  const rows = await sql<InvoiceRow[]>`
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
    items: rows.slice(0, limit).map((row) => ({
      id: row.id,
      from: row.period_from,
      to: row.period_to,
      amount: row.amount,
      currency: row.currency,
      status: row.status,
      url: row.status === 'draft' ? null : row.url,
    })),
    next: last ? { from: last.from_micros, id: last.id } : null,
  };
}

function afterInvoice(sql: Sql, { from, id }: InvoicePlace) {
  return sql`(invoice.period_from, invoice.id)
    < (timestamptz 'epoch' + ${from}::bigint * interval '1 microsecond', ${id})`;
}
