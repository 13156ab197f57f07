import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Token } from '../shapes/common.ts';
import { Amount, Count, pageOf, pageQuery } from '../values.ts';

const TokenTotals = z.strictObject({
  token: Token.required({ testnet: true }).describe('As its newest campaign describes it.'),
  campaigns: Count,
  sales: Count.describe('Sales recorded, in whatever state.'),
  settledSales: Count.describe('Sales finalized and not reversed.'),
  deposited: Amount.describe('Deposits for rewards, base units.'),
  rewardsClaimed: Amount.describe('Rewards paid or credited, base units.'),
  nativeVolume: Amount.describe('Paid to the contract by buyers, with refunds; base units.'),
});

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
