import { z } from 'zod';
import { post, resource } from '../define.ts';
import { ReceiptSummary } from '../shapes/receipt.ts';
import { ChainId, SaleId } from '../values.ts';

/** Largest number of sales of one request. */
const MAX_SALES = 100;

const distinct = (ids: readonly string[]) => new Set(ids).size === ids.length;

/** Methods that look up many things in one request. */
export const lookups = resource('lookups', {
  about: 'Many things in one request.',
  caller: 'public',
  documentedName: null,
})({
  receipts: post('/v1/lookups/receipts', {
    summary: 'Up to 100 sales in one request, in the order in which they were named.',
    input: {
      body: z.strictObject({
        chainId: ChainId,
        saleIds: z
          .array(SaleId)
          .min(1)
          .max(MAX_SALES)
          .refine(distinct, 'must not name a sale twice')
          .describe('1 to 100 different sales.'),
      }),
    },
    output: z.strictObject({
      items: z.array(ReceiptSummary),
      missing: z.array(SaleId).describe('Sales that do not exist at the block read.'),
    }),
  }),
});
