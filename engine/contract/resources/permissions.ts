import { z } from 'zod';
import { get, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { TxRef } from '../shapes/common.ts';
import {
  Address,
  Amount,
  AtBlock,
  CampaignId,
  Count,
  pageOf,
  pageQuery,
  Timestamp,
} from '../values.ts';

const Role = z
  .enum(['attester', 'distributor'])
  .describe('attester: may attest sales. distributor: may join an invite-only campaign.');

const AttesterLimits = z.strictObject({
  perOrder: Amount.describe('Largest amount of one sale, base units; 2^128 − 1 limits nothing.'),
  daily: Amount.describe('Largest sum of the sales of one day in UTC; 2^128 − 1 limits nothing.'),
  expiry: Timestamp.describe('It may attest before this time.'),
  attestedToday: Amount.describe(
    'Attested on the day of the block read (UTC), base units; a refund does not lower it.',
  ),
  inForce: z.boolean().describe('False if the expiry has passed at the block read.'),
});

const Permission = z.strictObject({
  role: Role,
  account: Address,
  allowed: z.boolean().describe('False if the merchant withdrew it; an expired one was not.'),
  limits: AttesterLimits.nullable().describe('Of an allowed attester; null for others.'),
  sequence: Count.describe('Number of the event that decided it, among its campaign’s events.'),
  tx: TxRef,
});

nameSchemas({ AttesterLimits });

/** Methods for the allow-lists of a campaign. */
export const permissions = resource('permissions', {
  about: 'Allow-lists of a campaign.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/campaigns/:campaignId/permissions', {
    summary: 'Accounts that a campaign allowed or disallowed to attest or to join.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        role: Role.optional(),
        allowed: z.boolean().describe('Only allowed accounts, or only the others.').optional(),
        account: Address.describe('Only this account.').optional(),
        atBlock: AtBlock.optional(),
      }),
    },
    output: pageOf(Permission),
  }),
});
