import { z } from 'zod';
import { get, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Token } from '../shapes/common.ts';
import { Period } from '../shapes/period.ts';
import { Amount, Id, pageOf, pageQuery, Uri } from '../values.ts';

const Summary = z.strictObject({
  feeBps: z.literal(0).describe('Fee of the service, basis points: none.'),
  period: Period.describe('The current month in UTC.'),
  totals: z
    .array(
      z.strictObject({
        token: Token,
        settledValue: Amount.describe('Of the sales settled in the period, base units.'),
        protocolFees: Amount.describe('Fees on them, base units.'),
      }),
    )
    .describe('Amounts of different tokens are never added.'),
});

const Invoice = z.strictObject({
  id: Id,
  period: Period,
  amount: z.string().describe('Decimal amount in the currency.'),
  currency: z.string().describe('Symbol of a token, or an ISO 4217 code.'),
  status: z.enum(['draft', 'issued', 'paid', 'void']),
  url: Uri.nullable().describe('Where it can be fetched; null for a draft.'),
});

nameSchemas({ BillingSummary: Summary, Invoice });

/** Methods for fees and invoices of the service. */
export const billing = resource('billing', {
  about: 'What the service charges: nothing.',
  caller: 'viewer',
})({
  summary: get('/v1/merchant/billing', {
    summary: 'What the service charges the merchant in the current period.',
    input: {},
    output: Summary,
  }),
  invoices: get('/v1/merchant/billing/invoices', {
    summary: 'Invoices of the merchant, newest period first.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Invoice),
  }),
});
