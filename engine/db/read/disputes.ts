import type { DisputeStatus } from '../../core/dispute.ts';
import type { Address } from '../../core/events.ts';
import {
  type DisputeRow,
  type DisputeView,
  disputeColumns,
  disputeOf,
  disputeStatusSql,
  disputesWithSales,
  ofItsMerchant,
} from './dispute-rows.ts';
import { ledgerId } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** Where a page of disputes ended. */
export interface DisputePlace {
  readonly holdUntil: string;
  readonly id: string;
}

export interface DisputeFilter {
  readonly merchant: Address;
  readonly status: DisputeStatus | undefined;
  readonly campaignId: string | undefined;
}

/** Disputes about sales of a merchant, the first hold to end first: one statement. */
export async function listDisputes(
  { sql, head }: Snapshot,
  { merchant, status, campaignId }: DisputeFilter,
  { after, limit }: { readonly after: DisputePlace | undefined; readonly limit: number },
): Promise<{ items: DisputeView[]; next: DisputePlace | null }> {
  const campaign = campaignId === undefined ? undefined : ledgerId(campaignId);
  if (campaignId !== undefined && campaign === undefined) return { items: [], next: null };
  const rows = await sql<DisputeRow[]>`
    select ${disputeColumns(sql)} from ${disputesWithSales(sql, head)}
    where dispute.merchant = ${merchant} and ${ofItsMerchant(sql)}
      ${campaign === undefined ? sql`` : sql`and dispute.campaign_id = ${campaign}`}
      ${status === undefined ? sql`` : sql`and ${disputeStatusSql(sql)} = ${status}`}
      ${after ? sql`and (dispute.hold_until, dispute.id) > (${after.holdUntil}::bigint, ${after.id})` : sql``}
    order by dispute.hold_until, dispute.id limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(disputeOf);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { holdUntil: last.holdUntilKey, id: last.id } : null };
}

/** A dispute of that buyer or merchant; `undefined` where there is none, or it is of others. */
export async function getDispute(
  { sql, head }: Snapshot,
  { id, party }: { readonly id: string; readonly party: Address },
): Promise<DisputeView | undefined> {
  const [row] = await sql<DisputeRow[]>`
    select ${disputeColumns(sql)} from ${disputesWithSales(sql, head)}
    where dispute.id = ${id} and ${ofItsMerchant(sql)}
      and (dispute.merchant = ${party} or dispute.buyer = ${party})`;
  return row && disputeOf(row);
}
