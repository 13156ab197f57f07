import type { DisputeStatus } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
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

/** A side of disputes: the buyer who asked for refunds, or the merchant who was asked. */
export interface DisputeParty {
  readonly role: 'buyer' | 'merchant';
  /** Lower case. */
  readonly address: Address;
}

/** Cursor of a page of disputes: its last dispute. */
export interface DisputeCursor {
  /** For a merchant the end of its hold, unix seconds; for a buyer its opening, microseconds since 1970. */
  readonly key: string;
  readonly id: string;
}

/** A page of disputes. */
export interface DisputePage {
  readonly items: readonly DisputeView[];
  /** `null` on the last page. */
  readonly next: DisputeCursor | null;
}

/** Filters of the disputes of a party; `undefined` does not filter. */
export interface DisputeFilter {
  readonly status: DisputeStatus | undefined;
  readonly campaignId?: string | undefined;
}

/**
 * Disputes of a party: one statement. The first of a merchant's are those whose hold ends first, and the first
 * of a buyer's those opened last.
 */
export async function listDisputes(
  { sql, head }: Snapshot,
  party: DisputeParty,
  { status, campaignId }: DisputeFilter,
  { after, limit }: { readonly after: DisputeCursor | undefined; readonly limit: number },
): Promise<DisputePage> {
  const campaign = campaignId === undefined ? undefined : ledgerId(campaignId);
  if (campaignId !== undefined && campaign === undefined) return { items: [], next: null };
  const isNewestFirst = party.role === 'buyer';
  const rows = await sql<StoredRow[]>`
    select ${disputeColumns(sql)} from ${disputesWithSales(sql, head)}
    where ${isOf(sql, party)} and ${ofItsMerchant(sql)}
      ${campaign === undefined ? sql`` : sql`and dispute.campaign_id = ${campaign}`}
      ${status === undefined ? sql`` : sql`and ${disputeStatusSql(sql)} = ${status}`}
      ${after ? sql`and ${isNewestFirst ? openedBefore(sql, after) : endsAfter(sql, after)}` : sql``}
    order by ${isNewestFirst ? sql`dispute.opened_at desc, dispute.id desc` : sql`dispute.hold_until, dispute.id`}
    limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(disputeView.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const keyOf = ({ openedAtKey, holdUntilKey }: DisputeView) =>
    isNewestFirst ? openedAtKey : holdUntilKey;
  return { items, next: last ? { key: keyOf(last), id: last.id } : null };
}

const disputeTerms = rowCodec({ refundPolicy: nullable(text) });

/** A dispute with the refund policy that was sold; `null` if the merchant has not described the product. */
export type DisputeWithTerms = DisputeView & View<typeof disputeTerms>;

/**
 * A dispute of an account.
 * @param role side that the account must be on; `either` lets it be buyer or merchant.
 * @returns `undefined` if there is none of that id, or it is others'.
 */
export async function getDispute(
  { sql, head }: Snapshot,
  id: string,
  { role, address }: Pick<DisputeParty, 'address'> & { role: DisputeParty['role'] | 'either' },
): Promise<DisputeWithTerms | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${disputeColumns(sql)}, product.refund_policy from ${disputesWithSales(sql, head)}
    where dispute.id = ${id} and ${ofItsMerchant(sql)}
      and ${role === 'either' ? isOfEither(sql, address) : isOf(sql, { role, address })}`;
  return row && { ...disputeView.decode(row), ...disputeTerms.decode(row) };
}

function isOf(sql: Sql, { role, address }: DisputeParty) {
  return role === 'buyer' ? sql`dispute.buyer = ${address}` : sql`dispute.merchant = ${address}`;
}

function isOfEither(sql: Sql, address: Address) {
  return sql`(dispute.merchant = ${address} or dispute.buyer = ${address})`;
}

function openedBefore(sql: Sql, { key, id }: DisputeCursor) {
  return sql`(dispute.opened_at, dispute.id)
    < (timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond', ${id})`;
}

function endsAfter(sql: Sql, { key, id }: DisputeCursor) {
  return sql`(dispute.hold_until, dispute.id) > (${key}::bigint, ${id})`;
}
