import { z } from 'zod';
import { MAX_FINALIZED_SALES } from '../../core/finalizing.ts';
import { post, resource } from '../define.ts';
import { PreparedOperation, PreparedSaleOperation } from '../shapes/operation.ts';
import { CompletePolicy, PositiveAmountInput } from '../shapes/policy-input.ts';
import {
  Address,
  Amount,
  CampaignId,
  ConfirmationToken,
  Count,
  Hash32,
  Id,
  SaleId,
  Signature,
  Timestamp,
  textInput,
} from '../values.ts';

const params = z.strictObject({ campaignId: CampaignId });
const saleParams = z.strictObject({ saleId: SaleId });

/** Largest number of accounts of one request: each is a transaction of its own. */
const MAX_ACCOUNTS = 20;

const reason = textInput(500)
  .min(1)
  .describe('Why, for the record: only its hash goes to the chain; at most 500 characters.')
  .optional();

const approval = z
  .strictObject({
    signature: Signature.describe('Of the typed data, by the attester; at most 10000 bytes.'),
    deadline: Timestamp.describe('`deadline` of the answer whose typed data was signed.'),
  })
  .describe('The attester’s signature, once it has signed.')
  .optional();

const limitFields = ['perOrder', 'daily', 'expiry'] as const;

/** An attester needs all of its limits, and one that is no longer allowed has none. */
function refuseWrongLimits(
  input: { readonly allowed: boolean } & Partial<
    Record<(typeof limitFields)[number], string | undefined>
  >,
  context: z.RefinementCtx,
): void {
  const message = input.allowed
    ? 'is needed if allowed is true'
    : 'must be left out if allowed is false';
  for (const field of limitFields) {
    if ((input[field] !== undefined) === input.allowed) continue;
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

/** Methods with which a merchant runs a campaign on the chain. Each returns unsigned transactions. */
export const operations = resource('operations', {
  about: 'Running a campaign on the chain: what a merchant signs, and what it changes.',
  caller: 'admin',
  documentedName: null,
})({
  finalize: post('/v1/merchant/campaigns/:campaignId/finalize', {
    summary: 'Finalizes sales of a campaign whose hold is over, sales without a link too.',
    input: {
      params,
      body: z.strictObject({
        saleIds: z
          .array(SaleId)
          .min(1)
          .max(MAX_FINALIZED_SALES)
          .describe(
            'Only these; default the 100 that are due for longest, without those under a dispute.',
          )
          .optional(),
      }),
    },
    output: PreparedOperation.extend({
      saleIds: z.array(SaleId).describe('Sales that the transaction finalizes.'),
      dueSales: Count.describe('All sales of the campaign whose hold is over.'),
      dueAmount: Amount.describe('Amount of these sales less refunds, base units.'),
    }),
  }),
  pause: post('/v1/merchant/campaigns/:campaignId/pause', {
    summary: 'Stops sales and joining of a campaign until it is resumed.',
    input: { params },
    output: PreparedOperation,
  }),
  resume: post('/v1/merchant/campaigns/:campaignId/resume', {
    summary: 'Lets a paused campaign take sales and distributors again.',
    input: { params },
    output: PreparedOperation,
  }),
  end: post('/v1/merchant/campaigns/:campaignId/end', {
    summary: 'Ends a campaign for good; needs a fresh signature.',
    input: { params, body: z.strictObject({ confirmationToken: ConfirmationToken }) },
    output: PreparedOperation,
  }),
  schedulePolicy: post('/v1/merchant/campaigns/:campaignId/policies', {
    summary: 'Schedules the next version of the reward policy, and shows what it changes.',
    input: {
      params,
      body: z.strictObject({
        policy: CompletePolicy,
        effectiveAt: Timestamp.describe('At least 3600 s after the settled block.'),
      }),
    },
    output: PreparedOperation.extend({
      version: z.int().min(1).describe('Number of the version.'),
      effectiveAt: Timestamp.describe('Time from which sales use it.'),
      eligibilityHash: Hash32.describe('keccak-256 of regions and sharingRules.'),
      policyHash: Hash32.describe('keccak-256 of the policy, as the chain registers it.'),
    }),
  }),
  priceVariant: post('/v1/merchant/campaigns/:campaignId/prices', {
    summary: 'Sets the price of the campaign’s own SKU, or of a variant.',
    input: {
      params,
      body: z.strictObject({
        variantId: Id.describe('A variant of the campaign’s product.').optional(),
        skuHash: Hash32.describe('Any SKU; default the campaign’s own.').optional(),
        price: PositiveAmountInput.describe('The new price, base units.'),
      }),
    },
    output: PreparedOperation.extend({ skuHash: Hash32.describe('The SKU that is priced.') }),
  }),
  fund: post('/v1/merchant/campaigns/:campaignId/fund', {
    summary: 'Deposits rewards: an approval if the allowance is too small, and the deposit.',
    input: {
      params,
      body: z.strictObject({ amount: PositiveAmountInput.describe('To deposit, base units.') }),
    },
    output: PreparedOperation,
  }),
  raiseCapacity: post('/v1/merchant/campaigns/:campaignId/capacity', {
    summary: 'Raises how many links and sales a campaign may have.',
    input: {
      params,
      body: z
        .strictObject({
          nodes: Count.describe('New total of links; default the present one.').optional(),
          sales: Count.describe('New total of sales; default the present one.').optional(),
        })
        .refine(({ nodes, sales }) => nodes !== undefined || sales !== undefined, {
          path: ['nodes'],
          message: 'is needed, or sales',
        }),
    },
    output: PreparedOperation,
  }),
  allowDistributors: post('/v1/merchant/campaigns/:campaignId/allow-list', {
    summary: 'Puts accounts on the allow-list of a campaign, or takes them off it.',
    input: {
      params,
      body: z.strictObject({
        accounts: z
          .array(Address)
          .min(1)
          .max(MAX_ACCOUNTS)
          .describe('1 to 20; each needs a transaction of its own.'),
        allowed: z.boolean().describe('Whether they may join from now on; nodes that exist stay.'),
      }),
    },
    output: PreparedOperation,
  }),
  allowAttester: post('/v1/merchant/campaigns/:campaignId/attesters', {
    summary:
      'Lets an account attest sales of a THIRD_PARTY_VERIFIED campaign within limits, or no longer.',
    input: {
      params,
      body: z
        .strictObject({
          account: Address.describe('The attester.'),
          allowed: z
            .boolean()
            .describe(
              'Whether it may attest from now on, within the limits that this needs; its sales stay.',
            ),
          perOrder: PositiveAmountInput.describe(
            'Largest amount of one sale, base units; 2^128 − 1 limits nothing.',
          ).optional(),
          daily: PositiveAmountInput.describe(
            'Largest sum of the sales of one day in UTC, base units; what was attested today counts.',
          ).optional(),
          expiry: Timestamp.describe('It may attest before this time.').optional(),
        })
        .superRefine(refuseWrongLimits),
    },
    output: PreparedOperation,
  }),
  refund: post('/v1/merchant/sales/:saleId/refund', {
    summary: 'Refunds a pending sale, in whole or in part.',
    input: {
      params: saleParams,
      body: z.strictObject({
        amount: PositiveAmountInput.describe(
          'To refund now, base units; default everything that was not refunded yet.',
        ).optional(),
        reason,
        approval,
      }),
    },
    output: PreparedSaleOperation,
  }),
  reverse: post('/v1/merchant/sales/:saleId/reverse', {
    summary: 'Reverses an attested sale within 30 days of its finalization.',
    input: { params: saleParams, body: z.strictObject({ reason, approval }) },
    output: PreparedSaleOperation,
  }),
});
