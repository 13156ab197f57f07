import { z } from 'zod';
import { get, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { BuyerDetails } from '../shapes/buyer-details.ts';
import { Token } from '../shapes/common.ts';
import {
  Address,
  Amount,
  CampaignId,
  Hash32,
  pageOf,
  pageQuery,
  SaleId,
  Timestamp,
} from '../values.ts';

const { email, address, note } = BuyerDetails.shape;

/** A sale with the details that its buyer gave. */
const OrderDelivery = z.strictObject({
  saleId: SaleId,
  campaignId: CampaignId,
  buyer: Address,
  orderKey: Hash32,
  skuHash: Hash32,
  title: z.string().describe('Of the product now; empty if it has no description.'),
  amount: Amount.describe('Price that was paid, base units.'),
  token: Token.pick({ symbol: true, decimals: true }),
  recordedAt: Timestamp,
  email,
  address,
  note,
  givenAt: Timestamp,
  updatedAt: Timestamp.describe('When the buyer last changed them.'),
  readable: z
    .boolean()
    .describe('false if the secret of the deployment that encrypted them is lost.'),
});

nameSchemas({ OrderDelivery });

/** Methods for the details that buyers gave with their orders. */
export const deliveries = resource('deliveries', {
  about: 'Contact and delivery details of orders. A permission of its own: they are personal data.',
  caller: 'admin',
  documentedName: null,
})({
  list: get('/v1/merchant/deliveries', {
    summary: 'Sales of the merchant with details of their buyers, those given last first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        saleId: SaleId.describe('Only this sale.').optional(),
        campaignId: CampaignId.describe('Only this campaign of the merchant.').optional(),
      }),
    },
    output: pageOf(OrderDelivery),
  }),
});
