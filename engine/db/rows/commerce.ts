import type { AskedDetails } from '../../core/buyer-details.ts';
import type { Address, Hex } from '../../core/events.ts';

/** An image of a product, or a file that its buyers get. */
export interface ProductMedia {
  readonly id: string;
  readonly kind: 'image' | 'download';
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly url?: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
}

export interface ProductVariant {
  readonly id: string;
  readonly name: string;
  /** Base units, decimal digits. */
  readonly priceBaseUnits: string;
  /** Its hash on chain; derived from the product's SKU and the id if left out. */
  readonly skuHash?: Hex;
}

export interface ProductToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly name?: string;
}

/** A product as its merchant wrote it. What is left out is empty. */
export interface ProductInput {
  readonly id: string;
  readonly merchantId: string;
  /** Links it to the campaigns of its merchant that sell this SKU. */
  readonly skuHash: Hex;
  readonly title: string;
  readonly summary: string;
  readonly outcome?: string;
  readonly description?: string;
  readonly category: string;
  readonly refundPolicy?: string;
  readonly fulfillmentMode: 'download' | 'external' | 'manual';
  readonly deliverable?: string | null;
  readonly accessTiming?: 'afterPurchase' | 'afterHold';
  /** Details that its checkout asks for; nothing if left out. */
  readonly asks?: AskedDetails;
  /** Base units. */
  readonly price: bigint;
  /** Token of its price, if no campaign sells it yet. */
  readonly token?: ProductToken | null;
  readonly media?: readonly ProductMedia[];
  readonly coverUrl?: string | null;
  readonly coverAlt?: string | null;
  readonly variants?: readonly ProductVariant[];
  readonly billingPeriod?: 'monthly' | 'yearly' | null;
  readonly status?: 'draft' | 'ready' | 'archived';
}

/** A request for a refund, as its buyer makes it, or makes it again after withdrawing it. */
export interface DisputeRequest {
  /** Id of a new one: a request that is made again keeps its own. */
  readonly id: string;
  readonly campaignId: string;
  /** Lower case. */
  readonly buyer: Address;
  readonly orderKey: Hex;
  readonly merchant: Address;
  /** When the hold of the sale ends, unix seconds: the order of lists. */
  readonly holdUntil: number;
  readonly reason: 'not_received' | 'not_as_described' | 'charged_in_error' | 'other';
  /** Base units, above 0. */
  readonly requestedAmount: bigint;
  /** The sale's refunded total now, base units. */
  readonly refundedBefore: bigint;
  readonly at: Date;
}

/**
 * Lowest place of an established distributor in the ranking. Places of new ones are unix seconds, which
 * stay below it.
 */
export const MIN_RANKED_PLACE = 1_000_000_000_000;
