import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import {
  type InvitationView,
  invitationColumns,
  invitationView,
} from '../read/campaigns/invitations.ts';
import type { StoredRow } from '../row.ts';

/** Invitations of one merchant that wait for an answer. */
export const MAX_PENDING = 500;

/** Maximum number of expired invitations that one statement marks as expired. */
const EXPIRED_PER_STATEMENT = 1_000;

export interface NewInvitation {
  readonly id: string;
  readonly merchant: { readonly id: string; readonly address: Address };
  readonly campaignId: string;
  readonly distributor: Address;
  readonly message: string;
  readonly terms: string;
  readonly policyHash: Hex;
  readonly expiresAt: Date;
  readonly now: Date;
}

export type SentInvitation =
  | { readonly outcome: 'sent'; readonly invitation: InvitationView }
  /** One to that account for that campaign waits for its answer. */
  | { readonly outcome: 'pending'; readonly id: string }
  /** The merchant has as many pending ones as it may. */
  | { readonly outcome: 'full' };

/**
 * Stores an invitation.
 * @param sql a transaction that holds the lock of the merchant's profile, so two concurrent calls create one.
 */
export async function sendInvitation(sql: Sql, sent: NewInvitation): Promise<SentInvitation> {
  const { merchant, campaignId, distributor } = sent;
  const now = sent.now.toISOString();
  await sql`
    update commerce.invitation set status = 'expired'
    where merchant = ${merchant.address} and status = 'pending'
      and expires_at <= ${now}::timestamptz`;
  const [known] = await sql<{ id: string }[]>`
    select id from commerce.invitation
    where campaign_id = ${campaignId} and distributor = ${distributor}
      and merchant = ${merchant.address} and status = 'pending'`;
  if (known !== undefined) return { outcome: 'pending', id: known.id };
  const [counted] = await sql<{ full: boolean }[]>`
    select count(*) >= ${MAX_PENDING} as full from commerce.invitation
    where merchant = ${merchant.address} and status = 'pending'`;
  if (counted?.full) return { outcome: 'full' };
  const [row] = await sql<StoredRow[]>`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
      terms, policy_hash, created_at, expires_at)
    values (${sent.id}, ${merchant.address}, ${merchant.id}, ${campaignId}, ${distributor},
      ${sent.message}, ${sent.terms}, ${sent.policyHash}, ${now}::timestamptz,
      ${sent.expiresAt.toISOString()}::timestamptz)
    returning ${invitationColumns(sql, sent.now)}`;
  if (row === undefined) throw new Error('An invitation was written, and no row came back.');
  return { outcome: 'sent', invitation: invitationView.decode(row) };
}

/** Outcome of changing an invitation. */
export type ChangedInvitation =
  | { readonly outcome: 'changed'; readonly invitation: InvitationView }
  /** It waits for no answer any more. */
  | { readonly outcome: 'over'; readonly invitation: InvitationView }
  | { readonly outcome: 'missing' };

/** Answers an invitation to an account, once: of two answers at a time, one counts. */
export async function respondToInvitation(
  sql: Sql,
  { id, distributor }: { readonly id: string; readonly distributor: Address },
  answer: { readonly status: 'accepted' | 'declined'; readonly reason: string | null },
  now: Date,
): Promise<ChangedInvitation> {
  const at = now.toISOString();
  const own = sql`id = ${id} and distributor = ${distributor}`;
  const change = sql`
    status = ${answer.status}, reason = ${answer.reason}, responded_at = ${at}::timestamptz`;
  return await changeOnce(sql, own, change, now);
}

/** Withdraws an invitation of a merchant that was not answered. */
export async function withdrawInvitation(
  sql: Sql,
  { id, merchant }: { readonly id: string; readonly merchant: Address },
  now: Date,
): Promise<ChangedInvitation> {
  const own = sql`id = ${id} and merchant = ${merchant}`;
  const change = sql`status = 'withdrawn', withdrawn_at = ${now.toISOString()}::timestamptz`;
  return await changeOnce(sql, own, change, now);
}

type Fragment = ReturnType<typeof invitationColumns>;

async function changeOnce(
  sql: Sql,
  own: Fragment,
  change: Fragment,
  now: Date,
): Promise<ChangedInvitation> {
  const [changed] = await sql<StoredRow[]>`
    update commerce.invitation set ${change}
    where ${own} and status = 'pending' and expires_at > ${now.toISOString()}::timestamptz
    returning ${invitationColumns(sql, now)}`;
  if (changed !== undefined)
    return { outcome: 'changed', invitation: invitationView.decode(changed) };
  const [over] = await sql<StoredRow[]>`
    select ${invitationColumns(sql, now)} from commerce.invitation where ${own}`;
  return over
    ? { outcome: 'over', invitation: invitationView.decode(over) }
    : { outcome: 'missing' };
}

/**
 * Writes down which invitations ran out at `now`, 1,000 at most: a job calls it again while it does
 * so many. Reads tell the same without it.
 * @returns how many.
 */
export async function expireInvitations(sql: Sql, now: Date): Promise<number> {
  const rows = await sql`
    update commerce.invitation set status = 'expired'
    where status = 'pending' and number in (
      select number from commerce.invitation
      where status = 'pending' and expires_at <= ${now.toISOString()}::timestamptz
      order by expires_at limit ${EXPIRED_PER_STATEMENT} for update skip locked
    )
    returning 1`;
  return rows.length;
}
