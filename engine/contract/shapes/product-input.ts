// Products as their merchants write and read them.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Count, Hash32, Id, Timestamp, textInput } from '../values.ts';
import { AskedDetails } from './buyer-details.ts';
import { MediaItem, Product, Token } from './common.ts';
import { PositiveAmountInput } from './policy-input.ts';

const MAX_VARIANTS = 100;
const MAX_MEDIA = 20;

const VariantInput = z.strictObject({
  id: Id.describe('Unique in the product.'),
  name: textInput(100).min(1),
  priceBaseUnits: PositiveAmountInput.describe('Base units of the token.'),
  skuHash: Hash32.describe(
    'SKU in VariantPriced and buy; default keccak-256 of the product’s 32 bytes and the id’s.',
  ).optional(),
});

const uniqueIds = (items: readonly { readonly id: string }[]) =>
  new Set(items.map(({ id }) => id)).size === items.length;

/**
 * A complete product, the body of `products.save`: omitted fields are emptied. `ready` requires every
 * field that `missing` would name; a draft does not.
 */
export const ProductInput = z.strictObject({
  version: z
    .int()
    .min(0)
    .describe('The version read; 0 for a new product. 409 if it has changed since.'),
  status: z.enum(['draft', 'ready', 'archived']),
  title: textInput(200),
  summary: textInput(500),
  outcome: textInput(500).optional(),
  description: textInput(20_000).optional(),
  category: textInput(200),
  refundPolicy: textInput(5_000).optional(),
  token: Address.describe('Token of the price; required if the status is ready.').optional(),
  priceBaseUnits: PositiveAmountInput.describe('Base units of the token.').optional(),
  skuHash: Hash32.describe(
    'Links it to campaigns. If omitted, it stays; for a new product it is keccak-256 of "merchantId/productId". Fixed once a campaign uses it.',
  ).optional(),
  fulfillmentMode: z.enum(['download', 'external', 'manual']),
  deliverable: textInput(2_048)
    .min(1)
    .describe('Media id of a download, address of an external one, or instructions.')
    .optional(),
  accessTiming: z
    .enum(['afterPurchase', 'afterHold'])
    .describe('Default afterPurchase.')
    .optional(),
  asks: AskedDetails.describe('Default: no details.').optional(),
  variants: z
    .array(VariantInput)
    .max(MAX_VARIANTS)
    .refine(uniqueIds, 'must not have two variants of one id')
    .describe('100 at most.')
    .optional(),
  billingPeriod: z.enum(['monthly', 'yearly']).nullable().optional(),
  mediaIds: z
    .array(Id)
    .max(MAX_MEDIA)
    .describe(
      'Uploaded assets in the order to show them, at most 20; others are deleted, at the earliest an hour after their upload.',
    )
    .optional(),
  coverId: Id.nullable().describe('The image among mediaIds that is the cover.').optional(),
  coverAlt: textInput(300)
    .nullable()
    .describe('Description of the cover, for people who cannot see it.')
    .optional(),
});

/** A variant with its SKU. */
export const SkuVariant = Product.shape.variants.element.extend({ skuHash: Hash32 });

/** A product as its merchant reads it, including the fields that otherwise only buyers see. */
export const OwnProduct = Product.extend({
  token: Token.nullable().describe('null in a draft that names none.'),
  priceBaseUnits: Product.shape.priceBaseUnits.describe('Base units; 0 in a draft without price.'),
  variants: z.array(SkuVariant),
  asks: AskedDetails,
  status: z.enum(['draft', 'ready', 'archived']),
  missing: Product.shape.missing.unwrap().describe('Fields that it needs before it can be ready.'),
  coverId: Id.nullable().describe('The cover among media.'),
  liveCampaignCount: Count.describe('Listed campaigns that sell it now.'),
  usedBy: Product.shape.usedBy
    .unwrap()
    .describe('The newest 20 campaigns that sell it, and the version that each used.'),
  updatedAt: Timestamp,
});

/** An uploaded file, as it was stored. */
export const UploadedAsset = z.strictObject({
  asset: MediaItem.describe('Deleted later unless mediaIds names it.'),
  contentType: z.string().describe('Type detected from the content, not from the name.'),
});

nameSchemas({ VariantInput, SkuVariant, ProductInput, OwnProduct, UploadedAsset });
