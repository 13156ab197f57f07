import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { TokenTotals } from '../shapes/token-totals.ts';
import { pageOf, pageQuery } from '../values.ts';

/** Methods for tokens that campaigns use. */
export const tokens = {
  list: defineMethod({
    name: 'tokens.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/tokens',
    access: 'public',
    availability: 'live',
    summary: 'Tokens of all campaigns with their totals, by address.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(TokenTotals),
  }),
} as const;
