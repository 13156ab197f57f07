import type { DisputeStatus } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import { ledgerId } from '../../ids.ts';
import { nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  type DisputeView,
  disputeColumns,
  disputeStatusSql,
  disputesWithSales,
  disputeView,
  ofItsMerchant,
} from './rows.ts';

/** Cursor of a page of disputes: its last dispute. */
export interface DisputeCursor {
  readonly holdUntil: string;
  readonly id: string;
}

/** Filters of a merchant's disputes; `undefined` does not filter. */
export interface DisputeFilter {
  readonly merchant: Address;
  readonly status: DisputeStatus | undefined;
  readonly campaignId: string | undefined;
}

/** Disputes about sales of a merchant, the first hold to end first: one statement. */
export async function listDisputes(
  { sql, head }: Snapshot,
  { merchant, status, campaignId }: DisputeFilter,
  { after, limit }: { readonly after: DisputeCursor | undefined; readonly limit: number },
): Promise<{ items: DisputeView[]; next: DisputeCursor | null }> {
  const campaign = campaignId === undefined ? undefined : ledgerId(campaignId);
  if (campaignId !== undefined && campaign === undefined) return { items: [], next: null };
  const rows = await sql<StoredRow[]>`
    select ${disputeColumns(sql)} from ${disputesWithSales(sql, head)}
    where dispute.merchant = ${merchant} and ${ofItsMerchant(sql)}
      ${campaign === undefined ? sql`` : sql`and dispute.campaign_id = ${campaign}`}
      ${status === undefined ? sql`` : sql`and ${disputeStatusSql(sql)} = ${status}`}
      ${after ? sql`and (dispute.hold_until, dispute.id) > (${after.holdUntil}::bigint, ${after.id})` : sql``}
    order by dispute.hold_until, dispute.id limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(disputeView.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { holdUntil: last.holdUntilKey, id: last.id } : null };
}

const disputeTerms = rowCodec({ refundPolicy: nullable(text) });

/** A dispute with the refund policy that was sold; `null` if the merchant has not described the product. */
export type DisputeWithTerms = DisputeView & View<typeof disputeTerms>;

/** A dispute of which the party is buyer or merchant; `undefined` if there is none, or it is others'. */
export async function getDispute(
  { sql, head }: Snapshot,
  { id, party }: { readonly id: string; readonly party: Address },
): Promise<DisputeWithTerms | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${disputeColumns(sql)}, product.refund_policy from ${disputesWithSales(sql, head)}
    where dispute.id = ${id} and ${ofItsMerchant(sql)}
      and (dispute.merchant = ${party} or dispute.buyer = ${party})`;
  return row && { ...disputeView.decode(row), ...disputeTerms.decode(row) };
}
