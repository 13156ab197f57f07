import { z } from 'zod';
import { get, resource } from '../define.ts';
import { TokenTotals } from '../shapes/token-totals.ts';
import { pageOf, pageQuery } from '../values.ts';

/** Methods for tokens that campaigns use. */
export const tokens = resource('tokens', {
  about: 'Tokens of all campaigns.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/tokens', {
    serving: { cached: true, long: true },
    summary: 'Tokens of all campaigns with their totals, by address.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(TokenTotals),
  }),
});
