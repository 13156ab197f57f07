// Deletion of rows by their age (docs/reference/privacy.md). Each call deletes a batch and returns its size.
import { deletedBefore } from '../../core/retention.ts';
import type { Fragment, Sql } from '../connection.ts';
import { hexBytes } from '../hex.ts';

/** Rows deleted by one statement. */
const DELETE_BATCH = 1_000;

/** A table of `commerce` whose rows a chore deletes by their age. */
interface AgingTable {
  readonly chore: Parameters<typeof deletedBefore>[0];
  readonly table: string;
  /** Column that a row is deleted by; default `id`. */
  readonly key?: string;
  /** The time from which on a row ages; rows without one stay. */
  readonly time: Fragment;
  /** A condition on the rows that age; default all. */
  readonly only?: Fragment;
}

/** Deletes the oldest rows of a table that are as old as its chore deletes them. @returns how many. */
async function deleteOldest(
  sql: Sql,
  now: Date,
  { chore, table, key = 'id', time, only = sql`true` }: AgingTable,
): Promise<number> {
  const name = sql(`commerce.${table}`);
  const { count } = await sql`
    delete from ${name} where ${sql(key)} = any(array(
      select ${sql(key)} from ${name}
      where ${only} and ${time} <= ${deletedBefore(chore, now)}::timestamptz
      order by ${time} limit ${DELETE_BATCH}
    ))`;
  return count;
}

/** Deletes some nonces of sign-ins that expired. @returns how many. */
export async function deleteOldNonces(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'sign-in-nonces.forget',
    table: 'sign_in_nonce',
    key: 'slot',
    time: sql`expires_at`,
  });
}

/** Deletes some sessions that expired. @returns how many. */
export async function deleteOldSessions(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'sessions.forget',
    table: 'session',
    time: sql`expires_at`,
  });
}

/** Deletes some hashes of visitors of earlier days, and the keys under which they were made. @returns how many. */
export async function deleteOldVisitors(sql: Sql, now: Date): Promise<number> {
  const today = deletedBefore('opens.forget', now).slice(0, 10);
  const { count: salts } = await sql`
    delete from commerce.referral_salt where day < ${today}::date`;
  const { count } = await sql`
    delete from commerce.referral_visitor
    where (day, campaign_id, node_id, visitor) in (
      select day, campaign_id, node_id, visitor from commerce.referral_visitor
      where day < ${today}::date order by day limit ${DELETE_BATCH}
    )`;
  return salts + count;
}

/** Deletes some handles and names that are no longer reserved. @returns how many. */
export async function deleteOldNames(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('released-names.forget', now);
  return await deleteNames(sql, sql`kind <> 'slug' and released_at <= ${before}::timestamptz`);
}

/** Deletes some old slugs, which no longer lead to their merchants. @returns how many. */
export async function deleteOldSlugs(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('old-slugs.forget', now);
  return await deleteNames(sql, sql`kind = 'slug' and released_at <= ${before}::timestamptz`);
}

async function deleteNames(sql: Sql, old: Fragment): Promise<number> {
  const { count } = await sql`
    delete from commerce.released_name where (kind, name) in (
      select kind, name from commerce.released_name where ${old}
      order by released_at limit ${DELETE_BATCH}
    )`;
  return count;
}

/** Deletes some checkouts that were not paid. @returns how many. */
export async function deleteUnpaidIntents(sql: Sql, now: Date): Promise<number> {
  const old = sql`
    select id from commerce.checkout_intent
    where state not in ('submitted', 'confirmed')
      and expires_at < ${deletedBefore('intents.forget-unpaid', now)}::timestamptz
    order by expires_at limit ${DELETE_BATCH}`;
  return await deleteIntents(sql, old);
}

/** Deletes some checkouts of any state. @returns how many. */
export async function deleteOldIntents(sql: Sql, now: Date): Promise<number> {
  const old = sql`
    select id from commerce.checkout_intent
    where created_at < ${deletedBefore('intents.forget', now)}::timestamptz
    order by created_at limit ${DELETE_BATCH}`;
  return await deleteIntents(sql, old);
}

async function deleteIntents(sql: Sql, old: Fragment): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with old as materialized (${old}), sent as (
      delete from commerce.checkout_transaction where intent_id = any(array(select id from old))
    ), signed as (
      delete from commerce.signed_order where intent_id = any(array(select id from old))
    ), details as (
      delete from commerce.buyer_details where intent_id = any(array(select id from old))
    ), deleted as (
      delete from commerce.checkout_intent where id = any(array(select id from old)) returning 1
    )
    select count(*)::int as count from deleted`;
  return row?.count ?? 0;
}

/** Deletes some details of orders. @returns how many. */
export async function deleteOldDetails(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'buyer-details.forget',
    table: 'buyer_details',
    key: 'intent_id',
    time: sql`given_at`,
  });
}

/**
 * Deletes some details of purchases that were not paid in time, whatever their last state was: a reorg can remove a
 * sale. Those with a sale are marked, so that no later call reads them.
 * @returns how many were read.
 */
export async function deleteUnpaidDetails(sql: Sql, now: Date): Promise<number> {
  const before = deletedBefore('buyer-details.forget-unpaid', now);
  const [row] = await sql<{ count: number }[]>`
    with batch as materialized (
      select details.intent_id, exists (
        select 1 from ledger.sale sale
        where sale.buyer = ${hexBytes(sql, sql`intent.buyer`)}
          and sale.order_key = ${hexBytes(sql, sql`intent.order_key`)}
          and sale.campaign_id = intent.campaign_id
      ) as paid
      from commerce.buyer_details details
      join commerce.checkout_intent intent on intent.id = details.intent_id
      where not details.is_paid and details.given_at < ${before}::timestamptz
        and intent.expires_at < ${before}::timestamptz
      order by details.given_at limit ${DELETE_BATCH}
    ), marked as (
      update commerce.buyer_details set is_paid = true
      where intent_id = any(array(select intent_id from batch where paid))
    ), deleted as (
      delete from commerce.buyer_details
      where intent_id = any(array(select intent_id from batch where not paid))
    )
    select count(*)::int as count from batch`;
  return row?.count ?? 0;
}

/** Deletes some transactions of the relayer. @returns how many. */
export async function deleteOldRelayed(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'relayed-transactions.forget',
    table: 'relayed_transaction',
    key: 'hash',
    time: sql`sent_at`,
  });
}

/** Deletes some invitations that were answered, withdrawn or expired. @returns how many. */
export async function deleteOldInvitations(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'invitations.forget',
    table: 'invitation',
    time: sql`created_at`,
    only: sql`status <> 'pending'`,
  });
}

/** Deletes some requests to join campaigns. @returns how many. */
export async function deleteOldJoinRequests(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'join-requests.forget',
    table: 'join_request',
    key: 'number',
    time: sql`created_at`,
  });
}

/** Deletes some API keys that were revoked or expired, with what is known of their use. @returns how many. */
export async function deleteOldApiKeys(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'api-keys.forget',
    table: 'api_key',
    time: sql`least(revoked_at, expires_at)`,
  });
}

/**
 * Deletes some members who were removed from their team. The merchant's own account keeps its row: without one it
 * would be the owner again.
 * @returns how many.
 */
export async function deleteOldMembers(sql: Sql, now: Date): Promise<number> {
  return await deleteOldest(sql, now, {
    chore: 'members.forget',
    table: 'team_member',
    time: sql`removed_at`,
    only: sql`status = 'removed' and account <> merchant`,
  });
}

/**
 * Deletes some of the oldest entries of audit logs, in the order in which they were written. The head of each log
 * keeps the id of the last deleted entry, which the oldest remaining one is checked against.
 * @returns how many.
 */
export async function deleteOldAuditEntries(sql: Sql, now: Date): Promise<number> {
  const before = new Date(deletedBefore('audit-log.forget', now)).getTime();
  const [row] = await sql<{ count: number }[]>`
    with old as (
      select merchant, max(number) as number from (
        select merchant, number from commerce.audit_entry
        where at_ms < ${before} order by at_ms limit ${DELETE_BATCH}
      ) oldest group by merchant
    ), deleted as (
      delete from commerce.audit_entry entry using old
      where entry.merchant = old.merchant and entry.number <= old.number
      returning entry.merchant, entry.number, entry.id
    ), noted as (
      update commerce.audit_head head
      set deleted_number = deleted.number, deleted_id = deleted.id
      from deleted join old on old.merchant = deleted.merchant and old.number = deleted.number
      where head.merchant = deleted.merchant
    )
    select count(*)::int as count from deleted`;
  return row?.count ?? 0;
}

/** Keys of some files that belonged to deleted accounts. */
export async function deletedFiles(sql: Sql): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from commerce.deleted_file order by deleted_at limit ${DELETE_BATCH}`;
  return rows.map(({ key }) => key);
}

/** Forgets a deleted file that the storage no longer has. */
export async function forgetFile(sql: Sql, key: string): Promise<void> {
  await sql`delete from commerce.deleted_file where key = ${key}`;
}
