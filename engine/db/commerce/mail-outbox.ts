import type { Hex } from '../../core/events.ts';
import { deletedBefore } from '../../core/retention.ts';
import type { Sql } from '../connection.ts';
import { hexBytes, hexText } from '../hex.ts';
import { refundGoalSql } from '../read/disputes/rows.ts';
import { isInLedger } from '../read/events/located.ts';
import type { FinalHeads, ServiceEvent } from './webhook-outbox.ts';

/** Mails with notifications that an account gets within an hour; what comes after them waits for the next one. */
const MAX_PER_HOUR = 10;

/** Accounts whose mails one statement makes. */
const MAX_ACCOUNTS = 100;

/** True if any account gets notifications by e-mail. */
export async function anyMailAccount(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select 1 from commerce.mail_account mail where ${getsMail(sql)}) as found`;
  return row?.found ?? false;
}

/** A condition on `mail`, a row of `commerce.mail_account`: it gets notifications. */
function getsMail(sql: Sql) {
  return sql`mail.confirmed_at is not null and mail.undeliverable_at is null and mail.kinds <> '{}'`;
}

/** An event of the contract, by its location in the journal. */
export interface MailedEvent {
  readonly id: string;
  readonly campaignId: string;
  readonly seq: number;
  readonly blockHash: Hex;
}

/**
 * Stores notifications about events of the contract for accounts with e-mail, as `notifications.list` has it: one statement.
 * An event that was stored before makes nothing new.
 */
export async function storeMailItems(
  sql: Sql,
  events: readonly MailedEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into commerce.mail_item (account, event_id, kind, campaign_id, sale_id, amount,
      block_number, block_hash, log_index, at, stored_at)
    select mail.account, event.id, found.kind, journal.campaign_id, journal.sale_id, found.amount,
      journal.block_number, ${hexText(sql, sql`journal.block_hash`)}, journal.log_index,
      to_timestamp(journal.block_timestamp), ${now.toISOString()}::timestamptz
    from unnest(
      ${events.map(({ id }) => id)}::text[], ${events.map(({ campaignId }) => campaignId)}::bigint[],
      ${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ blockHash }) => blockHash)}::bytea[]
    ) with ordinality as event (id, campaign_id, seq, block_hash, ordinality)
    join ledger.journal on journal.campaign_id = event.campaign_id and journal.seq = event.seq
      and journal.block_hash = event.block_hash
    cross join lateral (
      ${rewardsOfEvent(sql)} union all ${stopsOfEvent(sql)} union all ${refundOfEvent(sql)}
    ) found
    join commerce.mail_account mail on mail.account = found.account
    where ${getsMail(sql)} and found.kind = any(mail.kinds)
      and journal.block_number > mail.after_block
    order by event.ordinality, found.kind
    on conflict (account, event_id, kind) do nothing`;
}

/** Rewards that an event of `journal` made claimable, refunded or reversed. */
function rewardsOfEvent(sql: Sql) {
  return sql`
    select ${hexText(sql, sql`entry.account`)} as account, case entry.kind when 'vest' then 'rewards_claimable'
        when 'release' then 'rewards_refunded' else 'rewards_reversed' end as kind,
      sum(entry.amount) as amount
    from ledger.entry
    where entry.campaign_id = journal.campaign_id and entry.seq = journal.seq
      and entry.kind in ('vest', 'release', 'reverse')
    group by entry.account, entry.kind`;
}

/** A policy or a stop of a campaign, for every account that joined it before. */
function stopsOfEvent(sql: Sql) {
  return sql`
    select mail.account, case journal.name when 'PolicyScheduled' then 'policy_scheduled'
        when 'CampaignPaused' then 'campaign_paused' when 'CampaignResumed' then 'campaign_resumed'
        else 'campaign_ended' end, null::numeric
    from commerce.mail_account mail
    where journal.name in ('PolicyScheduled', 'CampaignPaused', 'CampaignResumed', 'CampaignEnded')
      and ${getsMail(sql)} and exists (
        select 1 from ledger.node where node.owner = ${hexBytes(sql, sql`mail.account`)}
          and node.campaign_id = journal.campaign_id and node.seq < journal.seq
      )`;
}

/** A refund with which the buyer has got what it asked for. */
function refundOfEvent(sql: Sql) {
  return sql`
    select dispute.buyer, 'refund_paid', version.refunded_total - dispute.refunded_before
    from ledger.sale
    join ledger.sale_version version on version.campaign_id = sale.campaign_id
      and version.sale_id = sale.sale_id and version.seq = journal.seq
    join commerce.dispute on dispute.buyer = ${hexText(sql, sql`sale.buyer`)}
      and dispute.order_key = ${hexText(sql, sql`sale.order_key`)}
      and dispute.campaign_id = sale.campaign_id
    where journal.name = 'SaleRefunded' and sale.campaign_id = journal.campaign_id
      and sale.sale_id = journal.sale_id
      and (version.state = 'refunded' or version.refunded_total >= ${refundGoalSql(sql)})
      and version.refunded_total - (journal.args ->> 'amount')::numeric < ${refundGoalSql(sql)}`;
}

/** Stores notifications about events of this service for accounts with e-mail. */
export async function storeServiceItems(
  sql: Sql,
  events: readonly ServiceEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ id, type, accounts, campaignId, subjectId, amount, at }) => ({
    ...{ id, type, at: at.toISOString() },
    // The merchant is first, then its buyer or distributor.
    ...{ merchant: accounts[0] ?? null, other: accounts[1] ?? null },
    ...{ campaign_id: campaignId, subject_id: subjectId, amount: amount?.toString() ?? null },
  }));
  await sql`
    insert into commerce.mail_item (account, event_id, kind, campaign_id, amount, subject_id, at,
      stored_at)
    select mail.account, event.id, found.kind, event.campaign_id, event.amount, event.subject_id,
      event.at, ${now.toISOString()}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
      id text, type text, merchant text, other text, campaign_id bigint, subject_id text,
      amount numeric, at timestamptz
    )
    join (values
      ('invitation.received', 'invitation_received', false),
      ('invitation.answered', 'invitation_answered', true),
      ('dispute.opened', 'refund_requested', true),
      ('dispute.answered', 'refund_answered', false),
      ('report.ready', 'report_ready', true)
    ) as found (type, kind, is_merchants) on found.type = event.type
    join commerce.mail_account mail
      on mail.account = case when found.is_merchants then event.merchant else event.other end
    where ${getsMail(sql)} and found.kind = any(mail.kinds)
    order by event.at, event.id
    on conflict (account, event_id, kind) do nothing`;
}

/**
 * Puts what waits into mails: of each account everything whose block is safe, in one mail. An account that had as
 * many mails as it may have within an hour waits. What the chain no longer has is deleted instead. Call it in a
 * transaction. Any number of processes may: an account that another one is handling is skipped.
 * @param heads newest safe block; `null` if there is none.
 * @param settled the settled block, up to which the ledger has every event.
 * @returns for how many accounts it looked; 0 if nothing is ready.
 */
export async function makeMails(
  sql: Sql,
  { safe }: Pick<FinalHeads, 'safe'>,
  settled: number | null,
  now: Date,
): Promise<number> {
  const block = Math.min(safe ?? -1, settled ?? -1);
  const accounts = await lockReadyAccounts(sql, block, now);
  if (accounts.length === 0) return 0;
  const isReady = sql`item.account = any(${accounts}::text[]) and ${isReadyAt(sql, block)}`;
  await sql`
    delete from commerce.mail_item item
    where ${isReady} and item.block_number is not null
      and not ${isInLedger(sql, sql`item`)}`;
  const at = now.toISOString();
  await sql`
    with first as (
      select distinct on (item.account) item.account, item.event_id, item.kind
      from commerce.mail_item item where ${isReady} order by item.account, item.number
    ), made as (
      insert into commerce.mail (id, account, address, status, next_attempt_at, created_at)
      select commerce.mail_id(first.account, first.event_id, first.kind), first.account,
        mail.address, 'queued', ${at}::timestamptz, ${at}::timestamptz
      from first join commerce.mail_account mail on mail.account = first.account
      on conflict (id) do nothing
      returning id, account
    )
    update commerce.mail_item item set mail_id = made.id
    from made where item.account = made.account and ${isReadyAt(sql, block)}`;
  return accounts.length;
}

/** A condition on `item`: it waits for a mail, and its block is safe. */
function isReadyAt(sql: Sql, block: number) {
  return sql`item.mail_id is null and coalesce(item.block_number, -1) <= ${block}`;
}

/** Accounts that have something ready and may get a mail now, locked until the transaction ends. */
async function lockReadyAccounts(sql: Sql, block: number, now: Date): Promise<string[]> {
  const rows = await sql<{ account: string }[]>`
    with recursive waiting as (
      (
        select account from commerce.mail_item where mail_id is null
        order by account limit 1
      )
      union all
      select (
        select item.account from commerce.mail_item item
        where item.mail_id is null and item.account > waiting.account
        order by item.account limit 1
      )
      from waiting where waiting.account is not null
    )
    select mail.account from waiting
    join commerce.mail_account mail on mail.account = waiting.account
    where ${getsMail(sql)} and (
      select count(*) from commerce.mail recent
      where recent.account = mail.account
        and recent.created_at > ${now.toISOString()}::timestamptz - interval '1 hour'
        and not exists (
          select 1 from commerce.mail_confirmation asked where asked.mail_id = recent.id
        )
    ) < ${MAX_PER_HOUR}
      and exists (
        select 1 from commerce.mail_item item
        where item.account = mail.account and ${isReadyAt(sql, block)}
      )
    limit ${MAX_ACCOUNTS} for update of mail skip locked`;
  return rows.map(({ account }) => account);
}

/** Rows deleted by one statement. */
const DELETE_BATCH = 1_000;

/**
 * Deletes some mails and notifications after 30 days. Events of their blocks are never sent again, so that a ledger
 * which is made again sends nothing twice.
 * @returns how many.
 */
export async function deleteOldMails(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('mails.forget', now);
  const [row] = await sql<{ count: number }[]>`
    with items as (
      delete from commerce.mail_item item using (
        select account, event_id, kind from commerce.mail_item
        where stored_at < ${before}::timestamptz order by stored_at limit ${DELETE_BATCH}
      ) old
      where item.account = old.account and item.event_id = old.event_id and item.kind = old.kind
      returning item.account, item.block_number
    ), moved as (
      update commerce.mail_account mail set after_block = newest.block
      from (select account, max(block_number) as block from items group by account) newest
      where mail.account = newest.account and mail.after_block < newest.block
    ), mails as (
      delete from commerce.mail where id in (
        select id from commerce.mail where created_at < ${before}::timestamptz
          and status in ('sent', 'failed', 'cancelled')
        order by created_at limit ${DELETE_BATCH}
      ) returning 1
    )
    select ((select count(*) from items) + (select count(*) from mails))::int as count`;
  return row?.count ?? 0;
}
