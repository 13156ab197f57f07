import { concat, keccak256, stringToBytes, toBytes } from 'viem';
import type { Hex } from '../../../core/events.ts';
import type { ProductVariant } from '../../rows/commerce.ts';

/** A variant as responses name it. */
export interface VariantName {
  readonly id: string;
  readonly name: string;
}

/**
 * SKU hash that names a variant on the chain: the one that its merchant gave, or else keccak-256 of the
 * product's SKU hash (32 bytes) followed by the variant's id in UTF-8.
 */
export function variantSku(productSku: Hex, variant: Pick<ProductVariant, 'id' | 'skuHash'>): Hex {
  return variant.skuHash ?? keccak256(concat([toBytes(productSku), stringToBytes(variant.id)]));
}

/**
 * The variant of a product that a SKU names; `null` for the product's own SKU and for one that its merchant has
 * not described.
 */
export function variantOfSku(
  productSku: Hex,
  variants: readonly ProductVariant[],
  skuHash: Hex,
): VariantName | null {
  if (skuHash === productSku) return null;
  const found = variants.find((variant) => variantSku(productSku, variant) === skuHash);
  return found === undefined ? null : { id: found.id, name: found.name };
}
