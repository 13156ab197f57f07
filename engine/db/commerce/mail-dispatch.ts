import type { Address } from '../../core/events.ts';
import type { MailKind } from '../../core/notification.ts';
import type { Sql } from '../connection.ts';
import {
  address,
  as,
  bytes,
  date,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../row.ts';
import type { ClaimLimits } from './webhook-dispatch.ts';

/** Notifications that a mail spells out; it says how many more there are. */
const MAX_LISTED = 20;

/** Permanent refusals in a row after which an address counts as undeliverable. */
const MAX_FAILURES = 3;

/** A notification, as a mail spells it out. */
export interface MailItem {
  readonly kind: MailKind;
  readonly campaignId: string | null;
  readonly saleId: string | null;
  readonly subjectId: string | null;
  readonly blockNumber: string | null;
  /** Decimal digits of base units. */
  readonly amount: string | null;
  readonly token: {
    readonly address: Address;
    readonly symbol: string;
    readonly decimals: number;
  } | null;
}

const claimedRow = rowCodec({
  id: text,
  account: address,
  address: text,
  /** Counts from 1. */
  attempt: small,
  createdAt: date,
  /** `null` if the account has another address by now. */
  unsubscribeToken: nullable(text),
  /** Token of a request to confirm the address; `null` for notifications. */
  sealedToken: nullable(bytes),
  /** Oldest first. */
  items: as<readonly MailItem[]>(),
  /** Notifications in the mail, listed or not. */
  itemCount: integer,
});

/** A mail that this process may send now. */
export type ClaimedMail = View<typeof claimedRow>;

/** Claims mails that are due, the oldest first. */
export async function claimMails(
  sql: Sql,
  now: Date,
  { limit, leaseMs }: ClaimLimits,
): Promise<ClaimedMail[]> {
  const at = now.toISOString();
  const lease = new Date(now.getTime() + leaseMs).toISOString();
  const rows = await sql<StoredRow[]>`
    with due as (
      select id from commerce.mail
      where status = 'queued' and next_attempt_at <= ${at}::timestamptz
      order by next_attempt_at, id limit ${limit} for update skip locked
    ), claimed as (
      update commerce.mail mail
      set status = 'sending', attempt = mail.attempt + 1, next_attempt_at = null,
        lease_until = ${lease}::timestamptz
      from due where mail.id = due.id returning mail.*
    )
    select claimed.id, claimed.account, claimed.address, claimed.attempt, claimed.created_at,
      account.unsubscribe_token, confirmation.sealed_token, listed.items, (
        select count(*) from commerce.mail_item item where item.mail_id = claimed.id
      ) as item_count
    from claimed
    left join commerce.mail_account account
      on account.account = claimed.account and account.address = claimed.address
    left join commerce.mail_confirmation confirmation on confirmation.mail_id = claimed.id
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object(
        'kind', item.kind, 'campaignId', item.campaign_id::text, 'saleId', item.sale_id::text,
        'subjectId', item.subject_id, 'blockNumber', item.block_number::text,
        'amount', item.amount::text, 'token', case when campaign.campaign_id is not null then
          jsonb_build_object('address', campaign.token, 'symbol', campaign.token_symbol,
            'decimals', campaign.token_decimals) end
      ) order by item.number), '[]') as items
      from (
        select * from commerce.mail_item item where item.mail_id = claimed.id
        order by item.number limit ${MAX_LISTED}
      ) item
      left join ledger.campaign on campaign.campaign_id = item.campaign_id
    ) listed
    order by claimed.created_at, claimed.id`;
  return rows.map(claimedRow.decode);
}

/** Queues mails again whose process ended during an attempt. @returns how many. */
export async function reclaimLostMails(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    update commerce.mail set status = 'queued', lease_until = null,
      next_attempt_at = ${now.toISOString()}::timestamptz
    where status = 'sending' and lease_until < ${now.toISOString()}::timestamptz`;
  return count;
}

/** How an attempt at a mail ended. */
export interface MailResult {
  /** `refused`: the server will never take this mail to this address. */
  readonly outcome: 'sent' | 'refused' | 'failed';
  /** Answer of the mail server; `null` if there was none. */
  readonly smtpCode: number | null;
  /** After a failure, when to try again; `null` if that was the last time. */
  readonly next: Date | null;
}

/**
 * Stores how an attempt ended. One whose lease ended meanwhile, or whose mail was cancelled, changes nothing.
 * @returns whether this refusal made the address undeliverable.
 */
export async function saveMailAttempt(
  sql: Sql,
  {
    id,
    account,
    address: to,
    attempt,
  }: Pick<ClaimedMail, 'id' | 'account' | 'address' | 'attempt'>,
  { outcome, smtpCode, next }: MailResult,
  now: Date,
): Promise<boolean> {
  const at = now.toISOString();
  const isOver = outcome !== 'failed' || next === null;
  const status = outcome === 'sent' ? 'sent' : isOver ? 'failed' : 'queued';
  const saved = await sql`
    update commerce.mail set status = ${status}, smtp_code = ${smtpCode}, lease_until = null,
      next_attempt_at = ${isOver ? null : next.toISOString()}::timestamptz,
      finished_at = ${isOver ? at : null}::timestamptz
    where id = ${id} and attempt = ${attempt} and status = 'sending' returning 1`;
  if (saved.length === 0 || outcome === 'failed') return false;
  const rows = await sql<{ is_new: boolean }[]>`
    update commerce.mail_account mail set
      failures = ${outcome === 'sent' ? sql`0` : sql`mail.failures + 1`},
      undeliverable_at = ${
        outcome === 'sent'
          ? sql`mail.undeliverable_at`
          : sql`coalesce(mail.undeliverable_at,
              case when mail.failures + 1 >= ${MAX_FAILURES} then ${at}::timestamptz end)`
      }
    where mail.account = ${account} and mail.address = ${to}
    returning mail.undeliverable_at = ${at}::timestamptz as is_new`;
  return rows[0]?.is_new ?? false;
}
