import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Distributor } from '../shapes/distributor.ts';
import { Address, CampaignId, pageOf, pageQuery, textInput } from '../values.ts';

/** Methods for the public list of distributors. */
export const distributors = {
  list: defineMethod({
    name: 'distributors.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/distributors',
    access: 'public',
    availability: 'live',
    summary: 'Distributors by the order discovery-v1: the ranked first, then the new ones.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        slot: z.enum(['ranked', 'new']).describe('Of this slot alone.').optional(),
        category: textInput(200).describe('Who settled sales of this category.').optional(),
      }),
    },
    output: pageOf(Distributor),
  }),
  get: defineMethod({
    name: 'distributors.get',
    method: 'GET',
    path: '/v1/distributors/:address',
    access: 'public',
    availability: 'live',
    summary: 'A distributor by address: what the list would say of it.',
    input: { params: z.strictObject({ address: Address }) },
    output: Distributor,
  }),
  recommendations: defineMethod({
    name: 'distributors.recommendations',
    method: 'GET',
    path: '/v1/merchant/recommendations',
    access: 'session',
    caller: 'viewer',
    availability: 'designed',
    summary: 'Distributors that fit a campaign of the merchant.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('For this campaign; omit for all.').optional(),
      }),
    },
    output: pageOf(
      Distributor.extend({
        reasons: z.array(z.string()).describe('Sentences: why it fits, the strongest first.'),
      }),
    ),
  }),
} as const;
