import { z } from 'zod';
import { get, resource } from '../define.ts';
import { PartnerDetail, PartnerList, PartnerSale } from '../shapes/partner.ts';
import { Address, CampaignId, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ address: Address });

/** Methods for distributors of a merchant. */
export const partners = resource('partners', {
  about: 'Distributors who work with a merchant.',
  caller: 'viewer',
})({
  list: get('/v1/merchant/partners', {
    serving: { cached: true, long: true, replica: true },
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
  get: get('/v1/merchant/partners/:address', {
    serving: { long: true, replica: true },
    summary: 'A partner of the merchant: its nodes, sales and rewards.',
    input: { params },
    output: PartnerDetail,
  }),
  sales: get('/v1/merchant/partners/:address/sales', {
    documentedName: null,
    serving: { long: true, replica: true },
    summary: 'Every level of the merchant’s sales that rewarded a partner, newest sale first.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(PartnerSale),
  }),
});
