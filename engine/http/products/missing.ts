import type { Issue } from '../../contract/envelope.ts';
import type { Product } from '../../contract/shapes/common.ts';

/** A part that a product needs before it can be `ready`. */
export type MissingPart = NonNullable<Product['missing']>[number];

/** What decides which parts are missing. */
export interface ProductParts {
  readonly title: string;
  readonly outcome: string;
  readonly description: string;
  readonly category: string;
  readonly coverUrl: string | null;
  readonly coverAlt: string | null;
  /** Base units; 0 where none was named. */
  readonly price: bigint;
  readonly hasToken: boolean;
  readonly fulfillmentMode: 'download' | 'external' | 'manual';
  readonly deliverable: string | null;
}

/**
 * The parts that a product lacks, in the order of a form. A price needs a token to mean something;
 * what is delivered by hand needs no deliverable.
 */
export function missingParts(product: ProductParts): MissingPart[] {
  const { price, hasToken, fulfillmentMode, deliverable } = product;
  const lacking: readonly (readonly [MissingPart, boolean])[] = [
    ['title', isBlank(product.title)],
    ['outcome', isBlank(product.outcome)],
    ['description', isBlank(product.description)],
    ['category', isBlank(product.category)],
    ['cover', product.coverUrl === null],
    ['coverAlt', isBlank(product.coverAlt)],
    ['price', price === 0n || !hasToken],
    ['deliverable', fulfillmentMode !== 'manual' && isBlank(deliverable)],
  ];
  return lacking.flatMap(([part, isLacking]) => (isLacking ? [part] : []));
}

/** The same as issues of `products.save`: by the field that brings the part. */
export function missingIssues(parts: readonly MissingPart[], hasToken: boolean): Issue[] {
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

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
