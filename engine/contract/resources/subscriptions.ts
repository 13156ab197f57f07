import { z } from 'zod';
import { defineMethod } from '../define.ts';
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
export const subscriptions = {
  list: defineMethod({
    name: 'subscriptions.list',
    method: 'GET',
    path: '/v1/merchant/subscriptions',
    access: 'session',
    caller: 'viewer',
    availability: 'designed',
    summary: 'Subscriptions that the merchant sells, newest first.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Subscription),
  }),
  get: defineMethod({
    name: 'subscriptions.get',
    method: 'GET',
    path: '/v1/merchant/subscriptions/:id',
    access: 'session',
    caller: 'viewer',
    availability: 'designed',
    summary: 'One subscription.',
    input: { params },
    output: Subscription,
  }),
  save: defineMethod({
    name: 'subscriptions.save',
    method: 'PUT',
    path: '/v1/merchant/subscriptions/:id',
    access: 'session',
    caller: 'admin',
    availability: 'designed',
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
} as const;
