import { keccak256, stringToBytes } from 'viem';
import type { z } from 'zod';
import type { Issue } from '../../contract/envelope.ts';
import type { ProductInput as ProductBody } from '../../contract/shapes/product-input.ts';
import type { Hex } from '../../core/events.ts';
import type { ProductInput, ProductMedia, ProductToken } from '../../db/commerce/save-product.ts';
import { variantSku } from '../variant-sku.ts';
import { missingIssues, missingParts } from './missing.ts';

type Body = z.infer<typeof ProductBody>;

/** What a product is made of besides its body. */
export interface ProductContext {
  readonly id: string;
  readonly merchantId: string;
  /** Of the version before; `undefined` for a new product. */
  readonly skuHash: Hex | undefined;
  /** Whether a campaign sells it, on whatever block. */
  readonly sold: boolean;
  readonly token: ProductToken | null;
  /** What `mediaIds` may name, by id. */
  readonly media: ReadonlyMap<string, ProductMedia>;
}

/** A product with every field said, as this plan writes it. */
type PlannedProduct = Required<ProductInput>;

/**
 * The product that a body makes, and why it may not be saved: rules between its fields, what its
 * media and campaigns allow, and what is missing where it shall be ready. Pure.
 */
export function planProduct(
  body: Body,
  context: ProductContext,
): { product: PlannedProduct; issues: Issue[] } {
  const skuHash = lower(body.skuHash) ?? context.skuHash ?? defaultSku(context);
  const media = (body.mediaIds ?? []).flatMap((id) => context.media.get(id) ?? []);
  const cover = media.find(({ id }) => id === body.coverId);
  const product: PlannedProduct = {
    id: context.id,
    merchantId: context.merchantId,
    skuHash,
    title: body.title,
    summary: body.summary,
    outcome: body.outcome ?? '',
    description: body.description ?? '',
    category: body.category,
    refundPolicy: body.refundPolicy ?? '',
    fulfillmentMode: body.fulfillmentMode,
    deliverable: body.deliverable ?? null,
    accessTiming: body.accessTiming ?? null,
    price: BigInt(body.priceBaseUnits ?? 0),
    token: context.token,
    media,
    coverUrl: cover?.url ?? null,
    coverAlt: body.coverAlt ?? null,
    variants: (body.variants ?? []).map(({ skuHash: own, ...variant }) => ({
      ...variant,
      ...(own === undefined ? {} : { skuHash: lower(own) ?? own }),
    })),
    billingPeriod: body.billingPeriod ?? null,
    status: body.status,
  };
  return {
    product,
    issues: [
      ...skuIssues(product, context),
      ...mediaIssues(body, media),
      ...deliverableIssues(product),
      ...statusIssues(product, context),
    ],
  };
}

function defaultSku({ merchantId, id }: ProductContext): Hex {
  return keccak256(stringToBytes(`${merchantId}/${id}`));
}

/** The chain names each SKU once: two of one hash could not be told apart. */
function skuIssues(product: PlannedProduct, { skuHash, sold }: ProductContext): Issue[] {
  const issues: Issue[] = [];
  if (sold && product.skuHash !== skuHash) {
    issues.push({ path: 'skuHash', message: `is fixed as ${skuHash}: a campaign sells it` });
  }
  const seen = new Set([product.skuHash]);
  for (const [index, variant] of product.variants.entries()) {
    const sku = variantSku(product.skuHash, variant);
    if (seen.has(sku)) {
      const path = `variants.${index}.skuHash`;
      issues.push({ path, message: 'is the SKU of the product or of another variant' });
    }
    seen.add(sku);
  }
  return issues;
}

function mediaIssues({ mediaIds = [], coverId }: Body, media: readonly ProductMedia[]): Issue[] {
  const known = new Map(media.map((item) => [item.id, item]));
  const issues = mediaIds.flatMap((id, index): Issue[] => {
    const path = `mediaIds.${index}`;
    if (mediaIds.indexOf(id) < index) return [{ path, message: 'is named twice' }];
    if (known.has(id)) return [];
    return [{ path, message: 'names no file that was uploaded for this product' }];
  });
  if (coverId == null) return issues;
  const cover = known.get(coverId);
  if (cover === undefined) {
    return [...issues, { path: 'coverId', message: 'must be one of mediaIds' }];
  }
  return cover.kind === 'image' && cover.url !== undefined
    ? issues
    : [...issues, { path: 'coverId', message: 'must be an image' }];
}

function deliverableIssues({ fulfillmentMode, deliverable, media }: PlannedProduct): Issue[] {
  if (deliverable === null) return [];
  const path = 'deliverable';
  if (fulfillmentMode === 'external' && !/^https?:$/.test(protocolOf(deliverable))) {
    return [{ path, message: 'must be an http or https address where fulfillment is external' }];
  }
  const named = media.some(({ id, kind }) => id === deliverable && kind === 'download');
  if (fulfillmentMode === 'download' && !named) {
    return [{ path, message: 'must be the id of a download among mediaIds' }];
  }
  return [];
}

function statusIssues(product: PlannedProduct, { sold }: ProductContext): Issue[] {
  if (product.status === 'draft' && sold) {
    const message = 'must not be draft again, because a campaign sells it: archive it instead';
    return [{ path: 'status', message }];
  }
  if (product.status !== 'ready') return [];
  const hasToken = product.token !== null;
  return missingIssues(missingParts({ ...product, hasToken }), hasToken);
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

function lower(hash: Hex | undefined): Hex | undefined {
  return hash && `0x${hash.slice(2).toLowerCase()}`;
}
