import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

export type InvitationStatus = 'pending' | 'accepted' | 'declined' | 'withdrawn' | 'expired';

/** An invitation at a time. */
export interface InvitationView {
  /** The order of lists: higher is newer. */
  readonly number: string;
  readonly id: string;
  readonly merchant: Address;
  readonly merchantId: string;
  readonly campaignId: string;
  readonly distributor: Address;
  readonly message: string;
  readonly terms: string;
  readonly policyHash: Hex;
  /** A pending one whose time is up is expired, whether or not that was written down yet. */
  readonly status: InvitationStatus;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly withdrawnAt: Date | null;
}

export interface InvitationRow {
  number: string;
  id: string;
  merchant: Address;
  merchant_id: string;
  campaign_id: string;
  distributor: Address;
  message: string;
  terms: string;
  policy_hash: Hex;
  status: InvitationStatus;
  expires_at: Date;
  created_at: Date;
  withdrawn_at: Date | null;
}

/** Of `invitation`, as it stands at `now`. */
export function invitationColumns(sql: Sql, now: Date) {
  return sql`
    invitation.number, invitation.id, invitation.merchant, invitation.merchant_id,
    invitation.campaign_id, invitation.distributor, invitation.message, invitation.terms,
    invitation.policy_hash, ${statusAt(sql, now)} as status, invitation.expires_at,
    invitation.created_at, invitation.withdrawn_at`;
}

function statusAt(sql: Sql, now: Date) {
  return sql`case
    when invitation.status = 'pending' and invitation.expires_at <= ${now.toISOString()}::timestamptz
    then 'expired' else invitation.status end`;
}

export function invitationOf(row: InvitationRow): InvitationView {
  return {
    number: row.number,
    id: row.id,
    merchant: row.merchant,
    merchantId: row.merchant_id,
    campaignId: row.campaign_id,
    distributor: row.distributor,
    message: row.message,
    terms: row.terms,
    policyHash: row.policy_hash,
    status: row.status,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    withdrawnAt: row.withdrawn_at,
  };
}

interface InvitationsQuery {
  /** Sent by this account, or to this one; or both. */
  readonly merchant?: Address | undefined;
  readonly distributor?: Address | undefined;
  readonly status?: InvitationStatus | undefined;
  /** `number` of the last one of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Invitations as they stand at `now`, newest first: one statement. */
export async function listInvitations(
  sql: Sql,
  now: Date,
  { merchant, distributor, status, after, limit }: InvitationsQuery,
): Promise<InvitationView[]> {
  const rows = await sql<InvitationRow[]>`
    select ${invitationColumns(sql, now)} from commerce.invitation
    where true
      ${merchant === undefined ? sql`` : sql`and invitation.merchant = ${merchant}`}
      ${distributor === undefined ? sql`` : sql`and invitation.distributor = ${distributor}`}
      ${status === undefined ? sql`` : sql`and ${statusAt(sql, now)} = ${status}`}
      ${after === undefined ? sql`` : sql`and invitation.number < ${after}::bigint`}
    order by invitation.number desc limit ${limit}`;
  return rows.map(invitationOf);
}
