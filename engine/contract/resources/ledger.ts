import { z } from 'zod';
import { get, resource } from '../define.ts';
import { Token, TxRef } from '../shapes/common.ts';
import { DigestEvent } from '../shapes/digest.ts';
import {
  Address,
  Amount,
  AtBlock,
  CampaignId,
  Count,
  Hash32,
  pageOf,
  pageQuery,
  SaleId,
} from '../values.ts';

const Entry = DigestEvent.shape.entries.element.extend({
  sequence: Count.describe('Number of its event among its campaign’s events, from 1.'),
  ordinal: z.int().min(0).describe('Position among the entries of its event.'),
  event: z.string().describe('Name of its event.'),
  tx: TxRef,
});

const { after: balances } = Entry.shape;

const Balance = z.strictObject({
  campaignId: CampaignId,
  token: Token,
  ...balances.shape,
  credit: Amount.describe('Refunds and rewards that the token refused to pay, not withdrawn.'),
  sequence: Count.describe('Event after which the account has them; 0 if no event moved them.'),
});

const Discrepancy = z.strictObject({
  campaignId: CampaignId,
  sequence: Count.describe('Number of its event among its campaign’s events, from 1.'),
  event: z.string().describe('Name of its event.'),
  kind: z.string().describe('The amount that differs.'),
  saleId: SaleId.nullable(),
  level: z.int().min(1).nullable(),
  account: Address.nullable(),
  expected: z.string().describe('Value that settlement computed.'),
  actual: z.string().describe('Value on the chain.'),
  blockHash: Hash32,
  tx: TxRef,
});

/** Methods for the ledger as it is stored: entries, balances, and what differs from the chain. */
export const ledger = resource('ledger', {
  about: 'Entries and balances of the ledger, and what differs from the chain.',
  caller: 'public',
  documentedName: null,
})({
  entries: get('/v1/campaigns/:campaignId/entries', {
    summary:
      'Movements of accounts’ money in a campaign, oldest first, with the balances after each.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        account: Address.describe('Only movements of this account.').optional(),
        saleId: SaleId.describe('Only movements of this sale.').optional(),
        atBlock: AtBlock.optional(),
      }),
    },
    output: pageOf(Entry),
  }),
  balances: get('/v1/accounts/:address/balances', {
    summary: 'What an account has in each campaign, by campaign id.',
    input: {
      params: z.strictObject({ address: Address }),
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        atBlock: AtBlock.optional(),
      }),
    },
    output: pageOf(Balance),
  }),
  discrepancies: get('/v1/discrepancies', {
    summary: 'Where the chain differs from what settlement computed; healthy ledgers have none.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
      }),
    },
    output: pageOf(Discrepancy),
  }),
});
