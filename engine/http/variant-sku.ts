import { concat, keccak256, stringToBytes, toBytes } from 'viem';
import type { Hex } from '../core/events.ts';
import type { ProductVariant } from '../db/commerce/save-product.ts';

/**
 * What the chain names a variant by: what its merchant said, or keccak-256 of the product's SKU
 * hash, 32 bytes, followed by the variant's id in UTF-8.
 */
export function variantSku(productSku: Hex, variant: Pick<ProductVariant, 'id' | 'skuHash'>): Hex {
  return variant.skuHash ?? keccak256(concat([toBytes(productSku), stringToBytes(variant.id)]));
}
