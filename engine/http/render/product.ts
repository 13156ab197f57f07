import type { z } from 'zod';
import type {
  MediaItem,
  MerchantRef,
  Product,
  ProductSummary,
  Token,
} from '../../contract/shapes/common.ts';
import type { Address, Hex } from '../../core/events.ts';
import { DEFAULT_ACCESS_TIMING } from '../../core/fulfillment.ts';
import { UNKNOWN_CATEGORY } from '../../db/read/campaigns/filters.ts';
import type { SkuKey } from '../../db/read/products/get.ts';
import type { MerchantView, ProductView, SoldProduct } from '../../db/read/products/rows.ts';

/** Product that is sold, with data from the chain and from its merchant's profile, if there is one. */
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

/** Name and slug of a merchant; its address if it has no profile. */
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

/** Public view of a product: without its deliverable and the URLs of downloads. */
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

/** Public fields that a merchant wrote about a product. */
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
    // Versions from before the default was stored have none.
    accessTiming: product.accessTiming ?? DEFAULT_ACCESS_TIMING,
    updatedAt: product.updatedAt.toISOString(),
  };
}

/** Product fields that a sale shows. */
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
    summary: `Sold by campaign ${campaignId} on the chain; its merchant has not described it.`,
    category: UNKNOWN_CATEGORY,
  };
}

/** Product that its merchant did not describe: it has only data from the chain. */
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
    accessTiming: DEFAULT_ACCESS_TIMING,
  };
}

/**
 * Id of a product that is known only by its SKU: the merchant's address and the first 28 bytes of the SKU
 * hash, so that it can be looked up and has at most 100 characters.
 */
function unknownProductId(merchant: Address, skuHash: Hex): string {
  return `${merchant.slice(2)}-${skuHash.slice(2, 58)}`;
}

/** Merchant and SKU that `unknownProductId` encoded; `undefined` for any other id. */
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
