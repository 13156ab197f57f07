import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

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
  /** What the chain names it by; left out, it follows from the product's SKU and the id. */
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
  readonly accessTiming?: 'afterPurchase' | 'afterHold' | null;
  /** Base units. */
  readonly price: bigint;
  /** What it is priced in where no campaign sells it yet. */
  readonly token?: ProductToken | null;
  readonly media?: readonly ProductMedia[];
  readonly coverUrl?: string | null;
  readonly coverAlt?: string | null;
  readonly variants?: readonly ProductVariant[];
  readonly billingPeriod?: 'monthly' | 'yearly' | null;
  readonly status?: 'draft' | 'ready' | 'archived';
}

/**
 * Writes a product by its id. A change raises its version by one and keeps it as that version; the
 * same again changes nothing, and neither does an id that another merchant has.
 * @param now when it was written; left out, now.
 * @throws PostgresError where the merchant is unknown or sells that SKU under another id.
 */
export async function saveProduct(sql: Sql, product: ProductInput, now?: Date): Promise<void> {
  const row = {
    id: product.id,
    merchant_id: product.merchantId,
    sku_hash: product.skuHash.toLowerCase(),
    title: product.title,
    summary: product.summary,
    outcome: product.outcome ?? '',
    description: product.description ?? '',
    category: product.category,
    refund_policy: product.refundPolicy ?? '',
    fulfillment_mode: product.fulfillmentMode,
    deliverable: product.deliverable ?? null,
    access_timing: product.accessTiming ?? null,
    price: product.price.toString(),
    token: product.token ? sql.json({ ...product.token }) : null,
    media: sql.json((product.media ?? []).map((item) => ({ ...item }))),
    cover_url: product.coverUrl ?? null,
    cover_alt: product.coverAlt ?? null,
    variants: sql.json((product.variants ?? []).map((variant) => ({ ...variant }))),
    billing_period: product.billingPeriod ?? null,
    status: product.status ?? 'ready',
  };
  const [, , ...content] = Object.keys(row);
  const columns = (table: string) => sql(content.map((column) => `${table}.${column}`));
  const at = (now ?? new Date()).toISOString();
  // postgres.js takes the word before a list for how to write it: the spaces before ( matter.
  await sql`
    with saved as (insert into commerce.product ${sql({ ...row, created_at: at, updated_at: at })}
      on conflict (id) do update set
        ( ${sql(content)} ) = row ( ${columns('excluded')} ),
        version = product.version + 1, updated_at = excluded.updated_at
      where product.merchant_id = excluded.merchant_id
        and row ( ${columns('product')} ) is distinct from row ( ${columns('excluded')} )
      returning *
    )
    insert into commerce.product_version (product_id, version, body, saved_at)
    select id, version, to_jsonb(saved) - 'words', updated_at from saved`;
}
