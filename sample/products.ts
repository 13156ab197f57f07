import type { ProductInput } from '../engine/db/rows/commerce.ts';

/** Texts of a product; ids, SKU and prices come from its campaign's scenario. */
type ProductText = Omit<
  ProductInput,
  'id' | 'merchantId' | 'skuHash' | 'price' | 'variants' | 'media'
> & {
  /** Names of the priced variants, by their part of the SKU. */
  readonly variants?: Readonly<Record<string, string>>;
};

/** The products of the sample, by SKU. A campaign whose SKU is not here has none. */
export const products: Readonly<Record<string, ProductText>> = {
  'harbor-roasters/single-origin-subscription': {
    title: 'Single-origin subscription',
    summary: 'One farm a month, roasted on Tuesday, at your door by Friday.',
    outcome: 'A fresh coffee from a different farm every month.',
    description:
      'We buy one lot a month from a grower we have visited, roast it in small batches and send 340 g of it with notes on the farm and how to brew it.',
    category: 'Food & drink',
    refundPolicy: 'Not to your taste? The full price back within two days of payment.',
    fulfillmentMode: 'manual',
    billingPeriod: 'monthly',
    variants: { 'family-box': 'Family box, 1 kg' },
  },
  'harbor-roasters/barista-starter-kit': {
    title: 'Barista starter kit',
    summary: 'Grinder, scale, kettle and dripper, chosen to work together.',
    outcome: 'Café filter coffee in your own kitchen.',
    description:
      'A hand grinder with steel burrs, a scale with a timer, a gooseneck kettle and a ceramic dripper. The professional kit has an electric grinder and a kettle that holds its temperature.',
    category: 'Kitchen',
    refundPolicy: 'Return it unused within four days; used parts are refunded at half their price.',
    fulfillmentMode: 'manual',
    asks: { email: 'required', address: 'required', note: 'optional' },
    variants: { professional: 'Professional kit' },
  },
  'northlight-studio/type-design-course': {
    title: 'Draw your first typeface',
    summary: 'Eight weeks from the letter n to a font that installs.',
    outcome: 'A typeface of your own, with a licence you can sell.',
    description:
      'Eight video lessons, a workbook and two reviews of your drawings by a working type designer. You need a computer and patience.',
    category: 'Courses',
    refundPolicy: 'The full price back within two days, if you have seen at most two lessons.',
    fulfillmentMode: 'external',
    deliverable: 'https://northlight.example/courses/typeface/enter',
    accessTiming: 'afterPurchase',
  },
  'northlight-studio/icon-library-licence': {
    title: 'Icon library, yearly licence',
    summary: '2,400 icons on one grid, and every new one for a year.',
    outcome: 'One visual language for all your screens.',
    description: 'SVG and font files in three weights, for one product and any number of screens.',
    category: 'Design assets',
    refundPolicy: 'Refunded within a day where nothing was downloaded.',
    fulfillmentMode: 'download',
    accessTiming: 'afterHold',
    billingPeriod: 'yearly',
  },
  'fjord-outfitters/alpine-shell-jacket': {
    title: 'Alpine shell jacket',
    summary: 'Three layers, taped seams, and a hood that goes over a helmet.',
    outcome: 'Dry on the ridge, and on the bus home.',
    description: 'Cut and sewn in Ålesund from recycled nylon. Repairs are free for ten years.',
    category: 'Outdoor',
    refundPolicy: 'Five days to try it on indoors, then repair or exchange.',
    fulfillmentMode: 'manual',
  },
  'fjord-outfitters/guided-ridge-weekend': {
    title: 'Guided ridge weekend',
    summary: 'Two days on the Romsdal ridge, six guests, one guide.',
    outcome: 'Your first ridge crossing, roped and well fed.',
    description:
      'Booked and paid at the shop in Åndalsnes; we attest the booking, so that the person who sent you is rewarded.',
    category: 'Experiences',
    refundPolicy: 'Free to cancel up to three days after booking; bad weather moves the date.',
    fulfillmentMode: 'manual',
  },
  'meridian-press/quarterly-atlas': {
    title: 'The quarterly atlas',
    summary: 'Four printed maps a year of places that are changing.',
    outcome: 'A shelf that shows how a coast moves.',
    description:
      'Sold through bookshops. An independent auditor attests each copy that a reader’s recommendation sold.',
    category: 'Books',
    refundPolicy: 'Unopened copies within six days, through the bookshop.',
    fulfillmentMode: 'manual',
    billingPeriod: 'yearly',
  },
};

/**
 * First version of a product that was `ready`; `undefined` if the sample has no product of that SKU. One whose
 * file is uploaded later begins as a draft.
 */
export function firstReadyVersion(sku: string): number | undefined {
  const text = products[sku];
  return text && (text.fulfillmentMode === 'download' ? 2 : 1);
}
