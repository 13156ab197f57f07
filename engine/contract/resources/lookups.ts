import { z } from 'zod';
import { post, resource } from '../define.ts';
import { ReceiptSummary } from '../shapes/receipt.ts';
import { Address, ChainId, SaleId } from '../values.ts';

/** Largest number of sales, or of accounts, of one request. */
const MAX = 100;

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
          .max(MAX)
          .refine(distinct, 'must not name a sale twice')
          .describe('1 to 100 different sales.'),
      }),
    },
    output: z.strictObject({
      items: z.array(ReceiptSummary),
      missing: z.array(SaleId).describe('Sales that do not exist at the block read.'),
    }),
  }),
  names: post('/v1/lookups/names', {
    summary: 'The public names of up to 100 accounts; accounts without one are left out.',
    input: {
      body: z.strictObject({
        addresses: z
          .array(Address)
          .min(1)
          .max(MAX)
          .refine(
            (all) => distinct(all.map((one) => one.toLowerCase())),
            'must not name an account twice',
          )
          .describe('1 to 100 different accounts.'),
      }),
    },
    output: z.strictObject({
      items: z.array(
        z.strictObject({
          address: Address,
          merchant: z
            .strictObject({ name: z.string(), slug: z.string() })
            .nullable()
            .describe('As a merchant; null without a profile.'),
          distributor: z
            .strictObject({ handle: z.string(), displayName: z.string().nullable() })
            .nullable()
            .describe('As a distributor; null if its handle is not public.'),
        }),
      ),
    }),
  }),
});
