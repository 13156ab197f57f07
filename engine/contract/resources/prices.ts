import { z } from 'zod';
import { get, resource } from '../define.ts';
import { TxRef } from '../shapes/common.ts';
import { VariantRef } from '../shapes/sold-product.ts';
import { Amount, AtBlock, CampaignId, Count, Hash32, pageOf, pageQuery } from '../values.ts';

const Price = z.strictObject({
  skuHash: Hash32.describe('SKU in buy.'),
  isOwnSku: z.boolean().describe('True for the SKU that the campaign was created with.'),
  variant: VariantRef.describe(
    'Variant of the product as it is now; null if its merchant described none of that SKU.',
  ),
  price: Amount.describe('Price of one, base units.'),
  isCurrent: z.boolean().describe('True if no later event changed the price of the SKU.'),
  sequence: Count.describe('Number of the event that set it, among its campaign’s events.'),
  tx: TxRef,
});

/** Methods for prices on the chain. */
export const prices = resource('prices', {
  about: 'Prices of a campaign on the chain.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/campaigns/:campaignId/prices', {
    summary: 'Every price that a campaign set for a SKU, oldest first.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        current: z
          .boolean()
          .describe('Only prices that are current, or only the others.')
          .optional(),
        skuHash: Hash32.describe('Only prices of this SKU.').optional(),
        atBlock: AtBlock.optional(),
      }),
    },
    output: pageOf(Price),
  }),
});
