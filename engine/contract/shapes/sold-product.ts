// The product of a sale, in the version and the variant that were sold.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Hash32, Id } from '../values.ts';
import { Product, ProductHead } from './common.ts';

/** A variant of a product. */
export const VariantRef = z
  .strictObject({ id: Id, name: z.string() })
  .nullable()
  .describe('Variant of the product; null for the product itself.');

const SoldProduct = ProductHead.extend({ skuHash: Hash32.describe('The SKU that was sold.') });

nameSchemas({ SoldProduct });

/** Fields that say what a sale sold. */
export const soldFields = {
  product: SoldProduct.describe(
    'In the version that was sold, whatever its merchant changed since.',
  ),
  productVersion: Product.shape.version
    .nullable()
    .describe('Version that was sold: versions.get has it. null if its merchant described none.'),
  variant: VariantRef.describe(
    'Variant that was sold; null for the product itself, or if that version describes none of that SKU.',
  ),
} as const;

/** Refund policy of the version that was sold. */
export const RefundTerms = Product.shape.refundPolicy
  .nullable()
  .describe('Refund policy of the version that was sold; null if its merchant described none.');
