import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { PartnerDetail, PartnerList, PartnerSale } from '../shapes/partner.ts';
import { Address, CampaignId, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ address: Address });

/** Methods for distributors of a merchant. */
export const partners = {
  list: defineMethod({
    name: 'partners.list',
    method: 'GET',
    path: '/v1/merchant/partners',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Distributors with a link in the merchant’s campaigns, with their totals.',
    input: {
      query: z.strictObject({
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        ...pageQuery,
        status: textInput(100)
          .describe('active: has settled a sale; inactive: has not.')
          .optional(),
        q: textInput(200).describe('Handle, name or address, or the beginning of one.').optional(),
        sort: textInput(100).describe('sales (default), value, rewards or newest.').optional(),
      }),
    },
    output: PartnerList,
  }),
  get: defineMethod({
    name: 'partners.get',
    method: 'GET',
    path: '/v1/merchant/partners/:address',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'A partner of the merchant: its nodes, sales and rewards.',
    input: { params },
    output: PartnerDetail,
  }),
  sales: defineMethod({
    name: 'partners.sales',
    documentedName: null,
    method: 'GET',
    path: '/v1/merchant/partners/:address/sales',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Every level of the merchant’s sales that rewarded a partner, newest sale first.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(PartnerSale),
  }),
} as const;
