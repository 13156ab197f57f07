import type { api, DataOf } from '../../../api.ts';
import { amountText, readPositive } from '../../../read-input.ts';

export type OwnProduct = DataOf<typeof api.products.list>['items'][number];
export type ProductBody = Parameters<typeof api.products.save>[0]['product'];

/** Value of the token's choice for a token that no campaign uses yet. */
export const OTHER_TOKEN = 'other';

/** A product as the texts of its form. */
export interface ProductValues {
  title: string;
  summary: string;
  outcome: string;
  description: string;
  category: string;
  refundPolicy: string;
  /** Address of a known token, or `OTHER_TOKEN`. */
  token: string;
  otherToken: string;
  price: string;
  fulfillmentMode: ProductBody['fulfillmentMode'];
  deliverable: string;
  accessTiming: 'afterPurchase' | 'afterHold';
  asks: OwnProduct['asks'];
  variants: { variantId: string; name: string; price: string; skuHash: string }[];
  mediaIds: { mediaId: string }[];
  coverId: string;
  coverAlt: string;
}

/** The texts of the form for a product. */
export function valuesOf(product: OwnProduct): ProductValues {
  const { token } = product;
  const textOf = (price: string) =>
    token === null || price === '0' ? '' : amountText(price, token.decimals);
  return {
    title: product.title,
    summary: product.summary,
    outcome: product.outcome,
    description: product.description,
    category: product.category,
    refundPolicy: product.refundPolicy,
    token: token?.address ?? '',
    otherToken: '',
    price: textOf(product.priceBaseUnits),
    fulfillmentMode: product.fulfillmentMode,
    deliverable: product.deliverable ?? '',
    accessTiming: product.accessTiming,
    asks: product.asks,
    variants: product.variants.map(({ id, name, priceBaseUnits, skuHash }) => ({
      variantId: id,
      name,
      price: textOf(priceBaseUnits),
      skuHash,
    })),
    mediaIds: product.media.map(({ id }) => ({ mediaId: id })),
    coverId: product.coverId ?? '',
    coverAlt: product.coverAlt ?? '',
  };
}

/** Fields of the product that was read that its form does not show. */
type Unshown = Pick<OwnProduct, 'version' | 'billingPeriod'>;

/**
 * The body of `products.save` for a form whose fields were checked.
 * @param decimals of the token; `undefined` if they are unknown, and then the product gets no price yet.
 */
export function bodyOf(
  values: ProductValues,
  { version, billingPeriod }: Unshown,
  status: ProductBody['status'],
  decimals: number | undefined,
): ProductBody {
  const token = values.token === OTHER_TOKEN ? values.otherToken.trim() : values.token;
  const priceOf = (text: string) =>
    decimals === undefined ? undefined : readPositive(text, decimals).value?.toString();
  const price = priceOf(values.price);
  const deliverable = values.deliverable.trim();
  return {
    version,
    status,
    billingPeriod,
    title: values.title,
    summary: values.summary,
    outcome: values.outcome,
    description: values.description,
    category: values.category,
    refundPolicy: values.refundPolicy,
    fulfillmentMode: values.fulfillmentMode,
    accessTiming: values.accessTiming,
    asks: values.asks,
    ...(token === '' ? {} : { token: token as `0x${string}` }),
    ...(price === undefined ? {} : { priceBaseUnits: price }),
    ...(deliverable === '' ? {} : { deliverable }),
    variants: values.variants.map(({ variantId, name, price: text, skuHash }) => ({
      id: variantId,
      name,
      priceBaseUnits: priceOf(text) ?? '0',
      ...(skuHash === '' ? {} : { skuHash: skuHash as `0x${string}` }),
    })),
    mediaIds: values.mediaIds.map(({ mediaId }) => mediaId),
    coverId: values.coverId === '' ? null : values.coverId,
    coverAlt: values.coverAlt === '' ? null : values.coverAlt,
  };
}

/** The field of the form for a path of the body. */
export function fieldOfBody(path: string): string {
  return path
    .replace(/^priceBaseUnits$/, 'price')
    .replace(/^(variants\.\d+)\.priceBaseUnits$/, '$1.price')
    .replace(/^(variants\.\d+)\.id$/, '$1.variantId')
    .replace(/^(variants\.\d+)\.skuHash$/, '$1.variantId');
}

/** Names for the parts that a product needs before it can be sold. */
export const missingNames: Readonly<Record<OwnProduct['missing'][number], string>> = {
  title: 'a title',
  outcome: 'what the buyer gets',
  description: 'a description',
  category: 'a category',
  cover: 'a cover picture',
  coverAlt: 'a description of the cover',
  price: 'a token and a price',
  deliverable: 'the file or address that buyers get',
};

/** An id for a new product: reserved for the merchant by its slug, and readable. */
export function newProductId(slug: string, title: string): string {
  const words = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${slug}_${`${words || 'product'}`.slice(0, 30)}-${random.toString(36).slice(0, 5)}`;
}
