import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { CheckoutIntent, IntentState, IntentSummary } from '../shapes/checkout.ts';
import { CampaignId, Id, pageOf, pageQuery } from '../values.ts';

const session = {
  documentedName: null,
  access: 'session',
  caller: 'account',
  availability: 'live',
} as const;

/** Methods for all checkout intents of a buyer; `checkout.createIntent` makes one. */
export const intents = {
  list: defineMethod({
    ...session,
    name: 'intents.list',
    method: 'GET',
    path: '/v1/checkout/intents',
    summary:
      'Intents of the caller as they are stored, newest first; checkout.getIntent reconciles one with the chain.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        state: IntentState.describe('Only those whose stored state is this one.').optional(),
        campaignId: CampaignId.describe('Only this campaign.').optional(),
      }),
    },
    output: pageOf(IntentSummary),
  }),
  cancel: defineMethod({
    ...session,
    name: 'intents.cancel',
    method: 'POST',
    path: '/v1/checkout/intents/:id/cancel',
    summary: 'Gives up an intent that is not paid; repeating it does nothing.',
    input: { params: z.strictObject({ id: Id }) },
    output: CheckoutIntent,
  }),
} as const;
