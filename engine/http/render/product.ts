import type { z } from 'zod';
import type {
  MediaItem,
  MerchantRef,
  Product,
  ProductSummary,
  Token,
} from '../../contract/shapes/common.ts';
import type { Address, Hex } from '../../core/events.ts';
import { UNKNOWN_CATEGORY } from '../../db/read/campaign-filters.ts';
import type { SkuKey } from '../../db/read/get-product.ts';
import type { MerchantView, ProductView, SoldProduct } from '../../db/read/product-rows.ts';

/** What is sold, as far as the chain and, where there is a profile, the merchant say. */
export interface Sold {
  readonly campaignId: string;
  readonly seller: MerchantView;
  readonly product: ProductView | null;
  /** The campaign's own SKU. */
  readonly skuHash: Hex;
  /** Price on the chain, base units. */
  readonly price: bigint;
  readonly token: Token;
}

/** A merchant without a profile goes by its address. */
export function merchantRef({ address, profile }: MerchantView): MerchantRef {
  return {
    name: profile?.name ?? shortHex(address),
    slug: profile?.slug ?? address,
    address,
  };
}

export function tokenOf(token: {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly name: string;
}): Token {
  const { name, ...rest } = token;
  return name === '' ? rest : { ...rest, name };
}

export function productSummary(sold: Sold): z.infer<typeof ProductSummary> {
  const { id, title, summary, media, category } = productOf(sold);
  return { id, title, summary, media, category };
}

/** The product in full, for anybody: without its deliverable and the addresses of downloads. */
export function productOf(sold: Sold): Product {
  const { product, seller, skuHash, token } = sold;
  if (product === null) return unknownProduct(sold);
  return {
    ...describedProduct(product),
    merchantId: seller.profile?.id ?? seller.address,
    token,
    skuHash,
    variants: product.variants.map(({ id, name, priceBaseUnits }) => ({
      id,
      name,
      priceBaseUnits,
    })),
  };
}

/** What a merchant wrote, as anybody may read it. */
export function describedProduct(product: Omit<ProductView, 'variants'>) {
  return {
    id: product.id,
    title: product.title,
    summary: product.summary,
    outcome: product.outcome,
    description: product.description,
    category: product.category,
    refundPolicy: product.refundPolicy,
    media: product.media.map(publicMedia),
    priceBaseUnits: product.price.toString(),
    fulfillmentMode: product.fulfillmentMode,
    version: product.version,
    billingPeriod: product.billingPeriod,
    coverUrl: product.coverUrl,
    coverAlt: product.coverAlt,
    ...(product.accessTiming === null ? {} : { accessTiming: product.accessTiming }),
    updatedAt: product.updatedAt.toISOString(),
  };
}

/** What a sale tells of what was sold. */
export function soldProduct({
  campaignId,
  seller,
  product,
  skuHash,
}: Pick<Sold, 'campaignId' | 'seller' | 'skuHash'> & { readonly product: SoldProduct | null }) {
  if (product === null) return unknownHead({ campaignId, seller, skuHash });
  const { id, title, summary, category } = product;
  return { id, title, summary, category };
}

function unknownHead({
  campaignId,
  seller,
  skuHash,
}: Pick<Sold, 'campaignId' | 'seller' | 'skuHash'>) {
  return {
    id: unknownProductId(seller.address, skuHash),
    title: `SKU ${shortHex(skuHash)}`,
    summary: `Sold by campaign ${campaignId} on the chain; its merchant has not described it here.`,
    category: UNKNOWN_CATEGORY,
  };
}

/** A product that nobody described here: what the chain knows (design §7). */
function unknownProduct(sold: Sold): Product {
  const { seller, skuHash, price, token } = sold;
  const { id, title, summary, category } = unknownHead(sold);
  return {
    id,
    merchantId: seller.profile?.id ?? seller.address,
    title,
    summary,
    outcome: '',
    description: '',
    category,
    refundPolicy: '',
    media: [],
    priceBaseUnits: price.toString(),
    token,
    fulfillmentMode: 'manual',
    version: 1,
    skuHash,
    variants: [],
    billingPeriod: null,
  };
}

/**
 * The id of a product that is known by its SKU alone: the merchant's address and the first 28 bytes
 * of the SKU's hash, so that it can be found again and stays within 100 characters.
 */
function unknownProductId(merchant: Address, skuHash: Hex): string {
  return `${merchant.slice(2)}-${skuHash.slice(2, 58)}`;
}

/** The merchant and SKU of such an id; `undefined` where it is another. */
export function unknownProductKey(id: string): SkuKey | undefined {
  const [, merchant, skuStart] = /^([0-9a-f]{40})-([0-9a-f]{56})$/.exec(id) ?? [];
  if (merchant === undefined || skuStart === undefined) return undefined;
  return { merchant: `0x${merchant}`, skuStart };
}

export function publicMedia({ url, ...item }: MediaItem): MediaItem {
  return item.kind === 'download' || url === undefined ? item : { ...item, url };
}

/** 0x1234…abcd */
function shortHex(hex: Hex): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
