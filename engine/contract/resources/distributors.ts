import { z } from 'zod';
import { defineMethod, designed } from '../define.ts';
import { Distributor } from '../shapes/distributor.ts';
import { Address, pageOf, pageQuery, textInput } from '../values.ts';

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
  recommendations: designed(
    'distributors.recommendations',
    'GET /v1/merchant/recommendations',
    'viewer',
    'Distributors that fit a campaign of the merchant.',
  ),
} as const;
