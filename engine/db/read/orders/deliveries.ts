import type { Address } from '../../../core/events.ts';
import { hexBytes } from '../../hex.ts';
import { ledgerId } from '../../ids.ts';
import {
  amount,
  date,
  hex,
  id,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { detailsRow } from '../../rows/buyer-details.ts';
import { joinProduct } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const deliveryRow = rowCodec({
  ...detailsRow.fields,
  saleId: id,
  campaignId: id,
  orderKey: hex,
  skuHash: hex,
  /** Base units. */
  amount,
  recordedAt: seconds,
  /** Empty if its merchant has not described it. */
  title: text,
  symbol: text.from('token_symbol'),
  decimals: small.from('token_decimals'),
  /** `given_at` in microseconds since 1970. */
  givenMicros: id,
  givenAt: date,
});

/** A sale with the details that its buyer gave, encrypted. */
export type DeliveryRow = View<typeof deliveryRow>;

/** Position in a list of deliveries: the last one of a page. */
export interface DeliveryCursor {
  readonly givenAt: string;
  readonly id: string;
}

/** Filters of a merchant's deliveries; `undefined` does not filter. */
export interface DeliveryFilter {
  readonly merchant: Address;
  readonly saleId: string | undefined;
  readonly campaignId: string | undefined;
}

/**
 * Sales of a merchant whose buyers gave details, those first whose details were given last: one statement. Without a
 * sale at the settled block there is nothing to deliver, so that a purchase which was not paid, or which a reorg
 * removed, is not listed.
 */
export async function deliveries(
  { sql, head }: Snapshot,
  { merchant, saleId, campaignId }: DeliveryFilter,
  { after, limit }: { readonly after: DeliveryCursor | undefined; readonly limit: number },
): Promise<{ items: DeliveryRow[]; next: DeliveryCursor | null }> {
  const [sale, campaign] = [saleId, campaignId].map((one) => one && ledgerId(one));
  const isUnknown =
    (saleId !== undefined && sale === undefined) ||
    (campaignId !== undefined && campaign === undefined);
  if (isUnknown) return { items: [], next: null };
  const rows = await sql<StoredRow[]>`
    select details.*, sale.sale_id, sale.campaign_id, intent.order_key, intent.sku_hash, sale.amount,
      sale.block_timestamp as recorded_at, coalesce(product.title, '') as title,
      campaign.token_symbol, campaign.token_decimals,
      (extract(epoch from details.given_at) * 1000000)::bigint as given_micros
    from commerce.buyer_details details
    join commerce.checkout_intent intent on intent.id = details.intent_id
    join ledger.campaign campaign on campaign.campaign_id = intent.campaign_id
      and campaign.terms_hash = intent.terms_hash and campaign.merchant = details.merchant
    join ledger.sale sale on sale.buyer = ${hexBytes(sql, sql`intent.buyer`)}
      and sale.order_key = ${hexBytes(sql, sql`intent.order_key`)} and sale.campaign_id = intent.campaign_id
      and sale.block_number <= ${head.number}
    ${joinProduct(sql)}
    where details.merchant = ${merchant}
      ${sale === undefined ? sql`` : sql`and sale.sale_id = ${sale}`}
      ${campaign === undefined ? sql`` : sql`and intent.campaign_id = ${campaign}`}
      ${
        after === undefined
          ? sql``
          : sql`and (details.given_at, details.intent_id) < (timestamptz 'epoch'
              + ${after.givenAt}::bigint * interval '1 microsecond', ${after.id})`
      }
    order by details.given_at desc, details.intent_id desc limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(deliveryRow.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { givenAt: last.givenMicros, id: last.intentId } : null };
}
