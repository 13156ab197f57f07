import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { CheckoutIntent, IntentState, IntentSummary } from '../shapes/checkout.ts';
import { CampaignId, Id, pageOf, pageQuery } from '../values.ts';

/** Methods for all checkout intents of a buyer; `checkout.createIntent` makes one. */
export const intents = resource('intents', {
  about: 'Checkout intents of a buyer, to go on with or to give up.',
  caller: 'account',
  documentedName: null,
})({
  list: get('/v1/checkout/intents', {
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
  cancel: post('/v1/checkout/intents/:id/cancel', {
    summary: 'Gives up an intent that is not paid; repeating it does nothing.',
    input: { params: z.strictObject({ id: Id }) },
    output: CheckoutIntent,
  }),
});
