import { NOTHING_ASKED } from './buyer-details.ts';
import { DEFAULT_ACCESS_TIMING } from './fulfillment.ts';

/** Part that a product needs before its status can be `ready`. */
export type MissingPart =
  | 'title'
  | 'outcome'
  | 'description'
  | 'category'
  | 'cover'
  | 'coverAlt'
  | 'price'
  | 'deliverable';

/** Fields of a product that decide which parts are missing. */
export interface ProductParts {
  readonly title: string;
  readonly outcome: string;
  readonly description: string;
  readonly category: string;
  readonly coverUrl: string | null;
  readonly coverAlt: string | null;
  /** Base units; 0 if none was given. */
  readonly price: bigint;
  readonly hasToken: boolean;
  readonly fulfillmentMode: 'download' | 'external' | 'manual';
  readonly deliverable: string | null;
}

/**
 * Parts that a product lacks, in the order of a form. A price without a token means nothing; a product
 * that is delivered manually needs no deliverable.
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

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

/** Fields that a product may omit, with the values that are stored for them. */
const defaults = {
  outcome: '',
  description: '',
  refundPolicy: '',
  deliverable: null,
  accessTiming: DEFAULT_ACCESS_TIMING,
  asks: NOTHING_ASKED,
  token: null,
  media: [],
  coverUrl: null,
  coverAlt: null,
  variants: [],
  billingPeriod: null,
  status: 'ready',
} as const;

type Defaults = typeof defaults;

/** Product in which no field is `undefined`. */
type WithDefaults<T> = Omit<T, keyof Defaults> & {
  readonly [K in keyof Defaults]: K extends keyof T
    ? Exclude<T[K], undefined> | Defaults[K]
    : Defaults[K];
};

/** Product with the default of each optional field that it omits. */
export function withProductDefaults<T extends object>(product: T): WithDefaults<T> {
  const set = Object.entries(product).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) } as WithDefaults<T>;
}
