import { z } from 'zod';
import { get, resource } from '../define.ts';
import { OrderChange, OrdersOfKey } from '../shapes/order.ts';
import { saleLookup } from '../shapes/purchase.ts';
import { Address, CampaignId, Hash32, pageQuery, textInput } from '../values.ts';

/** Methods for orders of a merchant. */
export const orders = resource('orders', {
  about: 'Sales of a merchant, to find and to follow.',
  caller: 'viewer',
  documentedName: null,
})({
  list: get('/v1/merchant/orders', {
    summary: 'Orders of the merchant, oldest first, and then every change of them.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        since: textInput(2_000)
          .describe('`since` of an earlier response: only what changed after it.')
          .optional(),
        campaignId: CampaignId.describe('Only this campaign of the merchant.').optional(),
        ...saleLookup,
      }),
    },
    output: z.strictObject({
      items: z.array(OrderChange).describe('In the order in which they must be applied.'),
      nextCursor: z
        .string()
        .nullable()
        .describe('Pass it as cursor; null if there is nothing more now.'),
      since: z.string().describe('Position after these items: pass it as since later.'),
      reset: z
        .boolean()
        .describe(
          'The list begins with this page: forget all orders from before. True without since, and if since is too old.',
        ),
    }),
  }),
  get: get('/v1/merchant/orders/:orderKey', {
    summary: 'Sale, dispute and intent of an order key in campaigns of the merchant.',
    input: {
      params: z.strictObject({ orderKey: Hash32 }),
      query: z.strictObject({
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        buyer: Address.describe('Only this buyer: others may use the same key.').optional(),
      }),
    },
    output: OrdersOfKey,
  }),
});
