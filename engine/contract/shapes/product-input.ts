/** A product as its merchant writes it: the body of `products.save`. */
import { z } from 'zod';
import { Address, Count, Hash32, Id, Timestamp, textInput } from '../values.ts';
import { MediaItem, Product, Token } from './common.ts';
import { PositiveAmountInput } from './policy-input.ts';

const VARIANTS_MOST = 100;
const MEDIA_MOST = 20;

const VariantInput = z.strictObject({
  id: Id.describe('Unique in the product.'),
  name: textInput(100).min(1),
  priceBaseUnits: PositiveAmountInput.describe('Base units of the token.'),
  skuHash: Hash32.describe(
    'What VariantPriced and buy name; default keccak-256 of the product’s 32 bytes and the id’s.',
  ).optional(),
});

const uniqueIds = (items: readonly { readonly id: string }[]) =>
  new Set(items.map(({ id }) => id)).size === items.length;

/**
 * The whole product: what is left out is emptied. `ready` needs everything that `missing` would
 * name; a draft may lack any of it.
 */
export const ProductInput = z.strictObject({
  version: z
    .int()
    .min(0)
    .describe('The version that was read; 0 for a new product. Another one by now is a 409.'),
  status: z.enum(['draft', 'ready', 'archived']),
  title: textInput(200),
  summary: textInput(500),
  outcome: textInput(500).optional(),
  description: textInput(20_000).optional(),
  category: textInput(200),
  refundPolicy: textInput(5_000).optional(),
  token: Address.describe(
    'The token it is priced in; needed where the status is ready.',
  ).optional(),
  priceBaseUnits: PositiveAmountInput.describe('Base units of the token.').optional(),
  skuHash: Hash32.describe(
    'Links it to campaigns. Left out it stays; of a new product it is keccak-256 of «merchantId/productId». Fixed once a campaign uses it.',
  ).optional(),
  fulfillmentMode: z.enum(['download', 'external', 'manual']),
  deliverable: textInput(2_048)
    .min(1)
    .describe('Media id of a download, address of an external one, or instructions.')
    .optional(),
  accessTiming: z.enum(['afterPurchase', 'afterHold']).optional(),
  variants: z
    .array(VariantInput)
    .max(VARIANTS_MOST)
    .refine(uniqueIds, 'must not have two variants of one id')
    .describe('100 at most.')
    .optional(),
  billingPeriod: z.enum(['monthly', 'yearly']).nullable().optional(),
  mediaIds: z
    .array(Id)
    .max(MEDIA_MOST)
    .describe(
      'Uploaded assets in the order to show them, 20 at most; the others are dropped, an hour after their upload at the soonest.',
    )
    .optional(),
  coverId: Id.nullable().describe('The image among mediaIds that is the cover.').optional(),
  coverAlt: textInput(300)
    .nullable()
    .describe('What the cover shows, for who cannot see it.')
    .optional(),
});

/** The same product as its merchant reads it: with what only buyers see besides. */
export const OwnProduct = Product.extend({
  token: Token.nullable().describe('null in a draft that names none.'),
  priceBaseUnits: Product.shape.priceBaseUnits.describe('Base units; 0 in a draft without price.'),
  variants: z.array(Product.shape.variants.element.extend({ skuHash: Hash32 })),
  status: z.enum(['draft', 'ready', 'archived']),
  missing: Product.shape.missing.unwrap().describe('What it needs before it can be ready.'),
  coverId: Id.nullable().describe('The cover among media.'),
  liveCampaignCount: Count.describe('Listed campaigns that sell it now.'),
  usedBy: Product.shape.usedBy
    .unwrap()
    .describe('Campaigns that sell it, the newest 20, and the version that each was made with.'),
  updatedAt: Timestamp,
});

/** What became of an uploaded file. */
export const UploadedAsset = z.strictObject({
  asset: MediaItem.describe('Name it in mediaIds to keep it.'),
  contentType: z.string().describe('As the content shows, whatever its name said.'),
});
