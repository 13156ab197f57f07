import { z } from 'zod';
import { designed, get, resource } from '../define.ts';
import { Distributor } from '../shapes/distributor.ts';
import { Address, pageOf, pageQuery, textInput } from '../values.ts';

/** Methods for the public list of distributors. */
export const distributors = resource('distributors', {
  about: 'Distributors to be found.',
  caller: 'public',
})({
  list: get('/v1/distributors', {
    documentedName: null,
    serving: { cached: true },
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
  get: get('/v1/distributors/:address', {
    serving: { cached: true },
    summary: 'A distributor by address: what the list would say of it.',
    input: { params: z.strictObject({ address: Address }) },
    output: Distributor,
  }),
  recommendations: designed(
    'GET /v1/merchant/recommendations',
    'Distributors that fit a campaign of the merchant.',
    { caller: 'viewer' },
  ),
});
