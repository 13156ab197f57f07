import { mailboxOf } from '../../core/email-address.ts';
import type { Address } from '../../core/events.ts';
import { type MailKind, mailKinds } from '../../core/notification.ts';
import type { Sql } from '../connection.ts';
import { as, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';

/** Requests to confirm an address that are sent to one mailbox within a day, over all accounts. */
const MAX_PER_MAILBOX = 3;

/** Requests to confirm an address that one account may ask for within a day. */
export const MAX_CONFIRMATIONS = 5;

/** Days for which a mailbox gets no further request after somebody there refused one. */
const REFUSED_DAYS = 30;

/** Seconds for which an address can be confirmed. */
const CONFIRMATION_SECONDS = 86_400;

const preferencesRow = rowCodec({
  /** In lower case; `null` without one. */
  address: nullable(text),
  /** `null` without an address. */
  status: nullable(as<'unconfirmed' | 'confirmed' | 'undeliverable'>()),
  kinds: as<readonly MailKind[]>(),
});

/** Notifications that an account gets by e-mail, and where. */
export type MailPreferences = View<typeof preferencesRow>;

function preferenceColumns(sql: Sql) {
  return sql`mail.address, mail.kinds, case when mail.address is null then null
    when mail.undeliverable_at is not null then 'undeliverable'
    when mail.confirmed_at is null then 'unconfirmed' else 'confirmed' end as status`;
}

/** Preferences of an account; `undefined` if it never set any. */
export async function mailPreferences(
  sql: Sql,
  account: Address,
): Promise<MailPreferences | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${preferenceColumns(sql)} from commerce.mail_account mail where account = ${account}`;
  return row && preferencesRow.decode(row);
}

/** Preferences of an account, locked until the transaction ends. The first call makes them, with all kinds. */
export async function lockMailPreferences(sql: Sql, account: Address): Promise<MailPreferences> {
  await sql`
    insert into commerce.mail_account (account, kinds, after_block)
    values (${account}, ${[...mailKinds]}::text[], ${settledBlock(sql)}) on conflict do nothing`;
  const [row] = await sql<StoredRow[]>`
    select ${preferenceColumns(sql)} from commerce.mail_account mail
    where account = ${account} for update`;
  if (row === undefined) throw new Error(`The preferences of ${account} were not stored.`);
  return preferencesRow.decode(row);
}

function settledBlock(sql: Sql) {
  return sql`coalesce((select settled_number from ledger.head), -1)`;
}

/**
 * Replaces the kinds that an account gets. What waits of other kinds is deleted.
 * @param isMore true if there is a kind that it did not get before: it gets those of later blocks.
 */
export async function setMailKinds(
  sql: Sql,
  account: Address,
  kinds: readonly MailKind[],
  isMore: boolean,
): Promise<void> {
  await sql`
    update commerce.mail_account set kinds = ${[...kinds]}::text[],
      after_block = ${isMore ? settledBlock(sql) : sql`after_block`}
    where account = ${account}`;
  await sql`
    delete from commerce.mail_item
    where account = ${account} and mail_id is null and kind <> all(${[...kinds]}::text[])`;
}

/**
 * Replaces the address of an account, which is not confirmed then. Mails to the address before are cancelled.
 * @param to the address in lower case and its token for unsubscribing; `null` for none.
 */
export async function setMailAddress(
  sql: Sql,
  account: Address,
  to: { readonly address: string; readonly unsubscribeToken: string } | null,
  now: Date,
): Promise<void> {
  await sql`
    update commerce.mail_account set address = ${to?.address ?? null},
      unsubscribe_token = ${to?.unsubscribeToken ?? null}, confirmed_at = null, failures = 0,
      undeliverable_at = null
    where account = ${account}`;
  await cancelMails(sql, account, now);
}

/** Cancels what was not sent yet to an account. */
async function cancelMails(sql: Sql, account: string, now: Date): Promise<void> {
  const at = now.toISOString();
  await sql`
    update commerce.mail set status = 'cancelled', next_attempt_at = null, lease_until = null,
      finished_at = ${at}::timestamptz
    where account = ${account} and status in ('queued', 'sending')`;
  await sql`delete from commerce.mail_item where account = ${account} and mail_id is null`;
}

/** A request to confirm an address. */
export interface NewConfirmation {
  readonly mailId: string;
  readonly account: Address;
  readonly address: string;
  readonly tokenHash: Uint8Array;
  /** The token, sealed. */
  readonly sealedToken: Uint8Array;
}

/**
 * Queues a mail that asks to confirm an address. None is sent if its mailbox had three of them within a day, for
 * any accounts, or refused one within 30 days; the caller cannot see that.
 * @returns false if this account has asked for too many.
 */
export async function requestConfirmation(
  sql: Sql,
  { mailId, account, address, tokenHash, sealedToken }: NewConfirmation,
  now: Date,
): Promise<boolean> {
  const at = now.toISOString();
  const mailbox = mailboxOf(address);
  // Counting and adding are one step: two concurrent requests would both find the last place free.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`mailbox ${mailbox}`}, 0))`;
  const [counted] = await sql<{ own: number; is_full: boolean }[]>`
    select (
      select count(*)::int from commerce.mail_confirmation
      where account = ${account} and created_at > ${at}::timestamptz - interval '1 day'
    ) as own, (
      select count(*) filter (
          where confirmation.created_at > ${at}::timestamptz - interval '1 day'
            and (mail.status <> 'cancelled' or mail.attempt > 0)
        ) >= ${MAX_PER_MAILBOX} or count(confirmation.refused_at) > 0
      from commerce.mail_confirmation confirmation
      join commerce.mail on mail.id = confirmation.mail_id
      where confirmation.mailbox = ${mailbox}
        and confirmation.created_at > ${at}::timestamptz - make_interval(days => ${REFUSED_DAYS})
    ) as is_full`;
  if (counted === undefined || counted.own >= MAX_CONFIRMATIONS) return false;
  // A mail that is not sent counts for the account: otherwise the limit would say which mailboxes are full.
  const status = counted.is_full ? 'cancelled' : 'queued';
  const due = counted.is_full ? null : at;
  await sql`
    with mail as (
      insert into commerce.mail (id, account, address, status, next_attempt_at, created_at, finished_at)
      values (${mailId}, ${account}, ${address}, ${status}, ${due}::timestamptz, ${at}::timestamptz,
        ${due === null ? at : null}::timestamptz)
      returning id
    )
    insert into commerce.mail_confirmation
      (mail_id, account, mailbox, token_hash, sealed_token, created_at, expires_at)
    select id, ${account}, ${mailbox}, ${Buffer.from(tokenHash)}, ${Buffer.from(sealedToken)},
      ${at}::timestamptz, ${at}::timestamptz + make_interval(secs => ${CONFIRMATION_SECONDS})
    from mail`;
  return true;
}

/**
 * Confirms the address for which a token was sent, if it is still the account's. The account gets
 * notifications of later blocks. A token can be used once.
 * @returns false if the token is unknown, used or expired.
 */
export async function confirmAddress(sql: Sql, tokenHash: Uint8Array, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const rows = await sql`
    with used as (
      update commerce.mail_confirmation set used_at = ${at}::timestamptz
      where token_hash = ${Buffer.from(tokenHash)} and used_at is null and refused_at is null
        and expires_at > ${at}::timestamptz
      returning mail_id
    )
    update commerce.mail_account account set confirmed_at = ${at}::timestamptz,
      after_block = ${settledBlock(sql)}, failures = 0, undeliverable_at = null
    from used join commerce.mail on mail.id = used.mail_id
    where account.account = mail.account and account.address = mail.address
      and account.confirmed_at is null
    returning 1`;
  return rows.length > 0;
}

/**
 * Stops all mails of the account that has this token to its address. An address that was never confirmed is removed from
 * the account, and its mailbox gets no further request for 30 days.
 */
export async function unsubscribe(sql: Sql, token: string, now: Date): Promise<void> {
  const [found] = await sql<{ account: string; address: string; is_confirmed: boolean }[]>`
    select account, address, confirmed_at is not null as is_confirmed from commerce.mail_account
    where unsubscribe_token = ${token} for update`;
  if (found === undefined) return;
  const { account, address } = found;
  if (found.is_confirmed) {
    await sql`update commerce.mail_account set kinds = '{}' where account = ${account}`;
  } else {
    await sql`
      update commerce.mail_confirmation confirmation set refused_at = ${now.toISOString()}::timestamptz
      from commerce.mail where mail.id = confirmation.mail_id and mail.account = ${account}
        and mail.address = ${address} and confirmation.refused_at is null`;
    await sql`
      update commerce.mail_account set address = null, unsubscribe_token = null, failures = 0,
        undeliverable_at = null
      where account = ${account}`;
  }
  await cancelMails(sql, account, now);
}
