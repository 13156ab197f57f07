import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import {
  address,
  as,
  date,
  hex,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { type JoiningQuery, pageOfJoining } from './joining-page.ts';

/** Status of an invitation. */
export type InvitationStatus = 'pending' | 'accepted' | 'declined' | 'withdrawn' | 'expired';

/** Row codec of `InvitationView`. */
export const invitationView = rowCodec({
  /** The order of lists: higher is newer. */
  number: id,
  id: text,
  merchant: address,
  merchantId: text,
  campaignId: id,
  distributor: address,
  message: text,
  terms: text,
  policyHash: hex,
  /** A pending one whose time is over is expired, even if that was not stored yet. */
  status: as<InvitationStatus>(),
  expiresAt: date,
  createdAt: date,
  withdrawnAt: nullable(date),
});

/** An invitation as of a time. */
export type InvitationView = View<typeof invitationView>;

/** Columns of `invitationView`, of `invitation` as of `now`. */
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

/** An invitation with its answer. */
const answeredInvitation = rowCodec({
  ...invitationView.fields,
  respondedAt: nullable(date),
  /** The distributor's words with its answer. */
  reason: nullable(text),
});

/** An invitation that a merchant sent or an account received, as of `now`; `undefined` if none has that id. */
export async function readInvitation(
  sql: Sql,
  now: Date,
  {
    id,
    merchant,
    account,
  }: { readonly id: string; readonly merchant: Address; readonly account: Address },
): Promise<View<typeof answeredInvitation> | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${invitationColumns(sql, now)}, invitation.responded_at, invitation.reason
    from commerce.invitation
    where invitation.id = ${id}
      and (invitation.merchant = ${merchant} or invitation.distributor = ${account})`;
  return row && answeredInvitation.decode(row);
}

/** Invitations as of `now`, newest first: one statement. */
export async function listInvitations(
  sql: Sql,
  now: Date,
  query: JoiningQuery<InvitationStatus>,
): Promise<InvitationView[]> {
  const rows = await sql<StoredRow[]>`
    select ${invitationColumns(sql, now)} from commerce.invitation
    ${pageOfJoining(sql, sql`invitation`, statusAt(sql, now), query)}`;
  return rows.map(invitationView.decode);
}
