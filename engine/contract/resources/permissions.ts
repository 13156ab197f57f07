import { z } from 'zod';
import { get, resource } from '../define.ts';
import { TxRef } from '../shapes/common.ts';
import { Address, AtBlock, CampaignId, Count, pageOf, pageQuery } from '../values.ts';

const Role = z
  .enum(['attester', 'distributor'])
  .describe('attester: may attest sales. distributor: may join an invite-only campaign.');

const Permission = z.strictObject({
  role: Role,
  account: Address,
  allowed: z.boolean().describe('False if the merchant withdrew it.'),
  sequence: Count.describe('Number of the event that decided it, among its campaign’s events.'),
  tx: TxRef,
});

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
