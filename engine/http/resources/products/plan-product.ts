import { keccak256, stringToBytes } from 'viem';
import type { z } from 'zod';
import type { Issue } from '../../../contract/envelope.ts';
import type { ProductInput as ProductBody } from '../../../contract/shapes/product-input.ts';
import type { Hex } from '../../../core/events.ts';
import { type MissingPart, missingParts, withProductDefaults } from '../../../core/product.ts';
import { variantSku } from '../../../db/read/products/variant.ts';
import type { ProductInput, ProductMedia, ProductToken } from '../../../db/rows/commerce.ts';

type Body = z.infer<typeof ProductBody>;

/** Facts about a product that are not in the request body. */
export interface ProductContext {
  readonly id: string;
  readonly merchantId: string;
  /** SKU hash of the previous version; `undefined` for a new product. */
  readonly skuHash: Hex | undefined;
  /** True if a campaign sells it, at any block. */
  readonly sold: boolean;
  readonly token: ProductToken | null;
  /** Files that `mediaIds` may name, by id. */
  readonly media: ReadonlyMap<string, ProductMedia>;
}

/** Product with all fields set, as it is stored. */
type PlannedProduct = Required<ProductInput>;

/**
 * Product that a request body describes, and the issues that prevent saving it: rules between its fields, its
 * media and campaigns, and the parts that a `ready` product lacks. Pure.
 */
export function planProduct(
  body: Body,
  context: ProductContext,
): { product: PlannedProduct; issues: Issue[] } {
  const skuHash = lower(body.skuHash) ?? context.skuHash ?? defaultSku(context);
  const media = (body.mediaIds ?? []).flatMap((id) => context.media.get(id) ?? []);
  const cover = media.find(({ id }) => id === body.coverId);
  const product: PlannedProduct = withProductDefaults({
    id: context.id,
    merchantId: context.merchantId,
    skuHash,
    title: body.title,
    summary: body.summary,
    outcome: body.outcome,
    description: body.description,
    category: body.category,
    refundPolicy: body.refundPolicy,
    fulfillmentMode: body.fulfillmentMode,
    deliverable: body.deliverable,
    accessTiming: body.accessTiming,
    asks: body.asks,
    price: BigInt(body.priceBaseUnits ?? 0),
    token: context.token,
    media,
    coverUrl: cover?.url,
    coverAlt: body.coverAlt,
    variants: body.variants?.map(({ skuHash: own, ...variant }) => ({
      ...variant,
      ...(own === undefined ? {} : { skuHash: lower(own) ?? own }),
    })),
    billingPeriod: body.billingPeriod,
    status: body.status,
  });
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

/** Issues of SKUs: two variants with one hash could not be distinguished on the chain. */
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

/** Missing parts as issues of `products.save`, each with the field that provides the part. */
function missingIssues(parts: readonly MissingPart[], hasToken: boolean): Issue[] {
  return parts.map((part) => ({
    path: fieldOf(part, hasToken),
    message: `is needed before the product is ready (${part})`,
  }));
}

function fieldOf(part: MissingPart, hasToken: boolean): string {
  if (part === 'cover') return 'coverId';
  if (part === 'price') return hasToken ? 'priceBaseUnits' : 'token';
  return part;
}
