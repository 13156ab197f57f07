import { z } from 'zod';
import { get, put, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Token } from '../shapes/common.ts';
import {
  Amount,
  AmountInput,
  CampaignId,
  Count,
  Id,
  pageOf,
  pageQuery,
  Timestamp,
  textInput,
} from '../values.ts';

const Interval = z.enum(['monthly', 'yearly']).describe('How often it is paid.');
const Status = z.enum(['draft', 'active', 'paused', 'ended']);

const Subscription = z.strictObject({
  id: Id,
  campaignId: CampaignId,
  name: z.string(),
  productId: Id,
  variantId: Id.nullable().describe('null for the product’s own SKU.'),
  interval: Interval,
  price: Amount.describe('Price of one interval, base units.'),
  token: Token,
  graceSeconds: Count.describe('Seconds that access outlives a missed payment.'),
  status: Status,
  subscribers: Count.describe('Accounts that pay for it now.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const params = z.strictObject({ id: Id });

nameSchemas({ SubscriptionInterval: Interval, SubscriptionStatus: Status, Subscription });

/** Methods for subscriptions of a merchant. They are not built yet. */
export const subscriptions = resource('subscriptions', {
  about: 'Products paid by the month or year (designed).',
  caller: 'viewer',
  availability: 'designed',
})({
  list: get('/v1/merchant/subscriptions', {
    summary: 'Subscriptions that the merchant sells, newest first.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Subscription),
  }),
  get: get('/v1/merchant/subscriptions/:id', {
    summary: 'One subscription.',
    input: { params },
    output: Subscription,
  }),
  save: put('/v1/merchant/subscriptions/:id', {
    caller: 'admin',
    summary: 'Creates a subscription, or replaces it completely.',
    input: {
      params,
      body: z.strictObject({
        campaignId: CampaignId,
        name: textInput(200).min(1).describe('1 to 200 characters.'),
        productId: Id,
        variantId: Id.nullable().describe('null for the product’s own SKU.').optional(),
        interval: Interval,
        price: AmountInput.describe('Price of one interval, base units.'),
        graceSeconds: z
          .int()
          .min(0)
          .max(7_776_000)
          .describe('Seconds that access outlives a missed payment; default 0.')
          .optional(),
        status: Status.exclude(['ended']).describe('Default draft.').optional(),
      }),
    },
    output: Subscription,
  }),
});
