import { z } from 'zod';
import { get, resource } from '../define.ts';
import { MerchantRef } from '../shapes/common.ts';
import {
  Address,
  BlockNumber,
  CampaignId,
  ChainId,
  Hash32,
  Id,
  NodeId,
  SaleId,
  textInput,
} from '../values.ts';

/** Largest number of results of each type. */
const MAX_RESULTS = 20;

const types = [
  ...(['campaign', 'product', 'merchant', 'distributor', 'sale'] as const),
  ...(['link', 'account', 'transaction', 'block'] as const),
] as const;

const SearchResult = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('campaign'),
    campaignId: CampaignId,
    title: z.string().describe('Title of its product.'),
    merchant: MerchantRef,
  }),
  z.strictObject({
    type: z.literal('product'),
    id: Id,
    title: z.string(),
    summary: z.string(),
    merchant: MerchantRef,
  }),
  z.strictObject({ type: z.literal('merchant'), ...MerchantRef.shape }),
  z.strictObject({
    type: z.literal('distributor'),
    handle: z.string(),
    displayName: z.string().nullable(),
    address: Address,
  }),
  z.strictObject({
    type: z.literal('sale'),
    chainId: ChainId,
    saleId: SaleId,
    campaignId: CampaignId,
  }),
  z.strictObject({
    type: z.literal('link'),
    nodeId: NodeId,
    campaignId: CampaignId,
    code: z.string().describe('Its referral code.'),
    owner: Address,
  }),
  z.strictObject({
    type: z.literal('account'),
    address: Address,
    isMerchant: z.boolean().describe('It has a profile here or a campaign.'),
    isDistributor: z.boolean().describe('It owns a link.'),
    isBuyer: z.boolean().describe('It bought something.'),
  }),
  z.strictObject({ type: z.literal('transaction'), hash: Hash32, blockNumber: BlockNumber }),
  z.strictObject({ type: z.literal('block'), number: BlockNumber }),
]);

/** Methods for searching everything that is public. */
export const search = resource('search', {
  about: 'Everything that is public, by words, ids, addresses and hashes.',
  caller: 'public',
  documentedName: null,
})({
  find: get('/v1/search', {
    summary: 'Finds campaigns, products, merchants, distributors, sales, links and hashes.',
    input: {
      query: z.strictObject({
        q: textInput(200)
          .refine((text) => text.trim() !== '', 'must not be blank')
          .describe(
            'Words of a product, merchant or token symbol; a handle; a referral code; an id; an address; an order key; or a hash of a transaction, terms or metadata.',
          ),
        types: z
          .array(z.enum(types))
          .min(1)
          .max(types.length)
          .describe('Only results of these types.')
          .optional(),
        limit: z
          .int()
          .min(1)
          .max(MAX_RESULTS)
          .describe('Largest number of results of each type, 1 to 20; default 5.')
          .optional(),
      }),
    },
    output: z.strictObject({
      items: z
        .array(SearchResult)
        .describe('Exact matches first. Campaigns that lists do not show are not found.'),
    }),
  }),
});
