import { z } from 'zod';
import { get, resource } from '../define.ts';
import { MerchantRef, Token } from '../shapes/common.ts';
import {
  Address,
  Amount,
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

const match = z
  .enum(['exact', 'prefix', 'words', 'mentioned', 'similar'])
  .describe(
    'How it matches, best first: the whole text; the beginning of its name, address or hash; words of its name; words of its description or merchant; or a name that a typing mistake explains.',
  );

const SearchResult = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('campaign'),
    match,
    campaignId: CampaignId,
    title: z.string().describe('Title of its product.'),
    merchant: MerchantRef,
  }),
  z.strictObject({
    type: z.literal('product'),
    match,
    id: Id,
    title: z.string(),
    summary: z.string(),
    merchant: MerchantRef,
  }),
  z.strictObject({ type: z.literal('merchant'), match, ...MerchantRef.shape }),
  z.strictObject({
    type: z.literal('distributor'),
    match,
    handle: z.string(),
    displayName: z.string().nullable(),
    address: Address,
  }),
  z.strictObject({
    type: z.literal('sale'),
    match,
    chainId: ChainId,
    saleId: SaleId,
    campaignId: CampaignId,
    title: z.string().describe('Title of its product, as it is now.'),
    amount: Amount.describe('Price that was paid, base units.'),
    token: Token,
  }),
  z.strictObject({
    type: z.literal('link'),
    match,
    nodeId: NodeId,
    campaignId: CampaignId,
    code: z.string().describe('Its referral code.'),
    owner: Address,
    ownerName: z
      .string()
      .nullable()
      .describe('Name or handle of its owner; null if that is not public.'),
  }),
  z.strictObject({
    type: z.literal('account'),
    match,
    address: Address,
    name: z
      .string()
      .nullable()
      .describe('Name of the merchant or public distributor; null if it has none.'),
    isMerchant: z.boolean().describe('It has a profile here or a campaign.'),
    isDistributor: z.boolean().describe('It owns a link.'),
    isBuyer: z.boolean().describe('It bought something.'),
  }),
  z.strictObject({
    type: z.literal('transaction'),
    match,
    hash: Hash32,
    blockNumber: BlockNumber,
  }),
  z.strictObject({ type: z.literal('block'), match, number: BlockNumber }),
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
            'A name, or words of a product, also mistyped; a handle; a token symbol; a referral code; an id; an address, an order key or the hash of a transaction, or its first 4 digits or more after 0x; or a hash of terms or metadata.',
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
        .describe('Best matches first. Campaigns that lists do not show are not found.'),
    }),
  }),
});
