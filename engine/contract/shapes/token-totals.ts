// Totals of a token over campaigns.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Amount, Count } from '../values.ts';
import { Token } from './common.ts';

/** A token, with whether it has a value. */
const ChainToken = Token.extend({
  testnet: z.boolean().describe('True if it has no value, as on a test network.'),
});

/** Totals of campaigns in a token. */
export const TokenTotals = z.strictObject({
  token: ChainToken.describe('As its newest campaign describes it.'),
  campaigns: Count,
  sales: Count.describe('Sales recorded, in whatever state.'),
  settledSales: Count.describe('Sales finalized and not reversed.'),
  deposited: Amount.describe('Deposits for rewards, base units.'),
  rewardsClaimed: Amount.describe('Rewards paid or credited, base units.'),
  nativeVolume: Amount.describe('Paid to the contract by buyers, with refunds; base units.'),
});

nameSchemas({ ChainToken, TokenTotals });
