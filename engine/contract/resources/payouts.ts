import { z } from 'zod';
import { post, resource } from '../define.ts';
import { Token } from '../shapes/common.ts';
import { Reason, Steps } from '../shapes/operation.ts';
import { Amount, CampaignId, Count, SaleId } from '../values.ts';

/** Methods that pay a distributor. */
export const payouts = resource('payouts', {
  about: 'Payment of all rewards of a distributor.',
  caller: 'account',
  documentedName: null,
})({
  prepareAll: post('/v1/me/payouts', {
    summary: 'The transactions that pay the caller all rewards of all campaigns, in their order.',
    input: {},
    output: z.strictObject({
      byToken: z
        .array(
          z.strictObject({
            token: Token,
            campaigns: Count.describe('Number of campaigns in the totals.'),
            claimable: Amount.describe('What the claim pays without finalizing, base units.'),
            readyToFinalize: Amount.describe(
              'What finalizing all due sales adds to it, base units.',
            ),
          }),
        )
        .describe('Totals of the campaigns that the transactions cover; tokens are never added.'),
      campaignIds: z.array(CampaignId).max(50).describe('Campaigns that the claim pays.'),
      saleIds: z.array(SaleId).max(300).describe('Sales to finalize first, 100 a transaction.'),
      leftOut: z
        .array(Reason.extend({ campaignId: CampaignId }))
        .max(50)
        .describe(
          'Campaigns whose token would revert a claim now; the others are paid without them.',
        ),
      more: z
        .boolean()
        .describe('True if campaigns or sales are left: prepare again once these have settled.'),
      transactions: Steps,
      reasons: z
        .array(Reason)
        .describe('Why the chain would refuse one of them; then it has none.'),
    }),
  }),
});
