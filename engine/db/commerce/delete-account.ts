import type { Address } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { personOf } from '../read/account/export.ts';
import { type AccountStake, accountStake, isAnythingOpen } from '../read/account/stake.ts';
import { type ReadHead, snapshotIn } from '../read/snapshot.ts';
import { type Person, personalTables } from '../tables/commerce.ts';

/** Days for which a mailbox whose owner refused a mail gets no further one, whatever account asks. */
const REFUSED_DAYS = 30;

/** Account of mails whose account was deleted. */
const NO_ACCOUNT = `0x${'0'.repeat(40)}`;

/** Text instead of one that its author deleted. */
const DELETED_TEXT = 'Deleted with the account of its author.';

/** Result of a deletion. */
export interface AccountDeletion {
  /** `null` if something is open: nothing was changed. */
  readonly deletedAt: Date | null;
  readonly stake: AccountStake;
  readonly head: ReadHead;
}

/**
 * Deletes what is stored about an account, if nothing of it is open at the settled block: one transaction, after
 * all earlier writes of its merchant profile and its team. What stays, and why, is in the catalogue of tables. An account
 * of which nothing is stored is deleted again.
 * @param clock unix milliseconds, read once the rows are locked.
 * @throws {NotSettledError} if there is no settled block yet.
 */
export async function deleteAccount(
  pool: Pool,
  account: Address,
  clock: () => number,
): Promise<AccountDeletion> {
  return await pool.begin(async (sql) => {
    await sql`select 1 from commerce.audit_head where merchant = ${account} for update`;
    await sql`select 1 from commerce.merchant where address = ${account} for update`;
    const snapshot = await snapshotIn(sql);
    const person = await personOf(sql, account);
    const stake = await accountStake(snapshot, person);
    const { head } = snapshot;
    if (isAnythingOpen(stake)) return { deletedAt: null, stake, head };
    const now = new Date(clock());
    await releaseNames(sql, person, now);
    await rewriteMails(sql, account, now);
    await rewriteDisputes(sql, person);
    await sql`delete from commerce.buyer_details where merchant = ${person.merchant}`;
    await rewriteCatalogue(sql, person, now);
    for (const [name, table] of personalTables) {
      if (table.onDeletion !== 'deleted') continue;
      await sql`delete from ${sql(`commerce.${name}`)} where ${table.belongsTo(sql, person)}`;
    }
    await removeProfile(sql, person, now);
    return { deletedAt: now, stake, head };
  });
}

/** Reserves the handle, the slug and the name of the account for a while, so that no other account passes for it. */
async function releaseNames(sql: Sql, { account, merchant }: Person, now: Date): Promise<void> {
  await sql`
    insert into commerce.released_name (kind, name, address, released_at)
    select kind, name, ${account}, ${now.toISOString()}::timestamptz from (
      select 'handle', handle from commerce.distributor
      where address = ${account} and handle is not null
      union all
      select 'slug', slug from commerce.merchant
      where address = ${merchant} and not ${isRemoved(sql)}
      union all
      select 'merchant name', name_key from commerce.merchant
      where address = ${merchant} and not ${isRemoved(sql)}
    ) names (kind, name)
    on conflict (kind, name) do update set address = excluded.address,
      released_at = excluded.released_at`;
}

/** A condition on `merchant`: its slug is one that a deletion gave it. */
function isRemoved(sql: Sql) {
  return sql`slug ~ '^deleted-[0-9a-f]{32}$'`;
}

/**
 * Stops mails. What limits mails to a mailbox stays without the account: otherwise a deletion would let an account ask
 * a stranger's mailbox for confirmation again.
 */
async function rewriteMails(sql: Sql, account: Address, now: Date): Promise<void> {
  const at = now.toISOString();
  await sql`
    delete from commerce.mail where account = ${account} and not exists (
      select 1 from commerce.mail_confirmation asked where asked.mail_id = mail.id
        and asked.created_at > ${at}::timestamptz - case when asked.refused_at is null
          then interval '1 day' else make_interval(days => ${REFUSED_DAYS}) end
    )`;
  await sql`
    update commerce.mail_confirmation set account = ${NO_ACCOUNT}, expires_at = least(expires_at, ${at}::timestamptz)
    where account = ${account}`;
  await sql`
    update commerce.mail set account = ${NO_ACCOUNT}, address = '',
      status = case when status in ('queued', 'sending') then 'cancelled' else status end,
      next_attempt_at = null, lease_until = null, finished_at = coalesce(finished_at, ${at}::timestamptz)
    where account = ${account}`;
}

/** Replaces what the account wrote about refunds. */
async function rewriteDisputes(sql: Sql, { account, merchant }: Person): Promise<void> {
  await sql`
    update commerce.dispute_message message set body = ${DELETED_TEXT}
    from commerce.dispute where dispute.id = message.dispute_id
      and ((dispute.buyer = ${account} and message.author = 'buyer')
        or (dispute.merchant = ${merchant} and message.author = 'merchant'))`;
  await sql`
    update commerce.dispute set decline_reason = ${DELETED_TEXT}
    where merchant = ${merchant} and decline_reason is not null`;
}

/** Deletes what a merchant never published, and archives the rest. */
async function rewriteCatalogue(sql: Sql, { merchant }: Person, now: Date): Promise<void> {
  const at = now.toISOString();
  await sql`
    update commerce.report set status = 'deleted', lease_until = null, error = null,
      changed_at = ${at}::timestamptz
    where merchant = ${merchant} and status <> 'deleted'`;
  await sql`
    delete from commerce.campaign_metadata metadata
    where merchant = ${merchant} and not exists (
      select 1 from ledger.campaign
      where campaign.merchant = metadata.merchant and campaign.metadata_hash = metadata.metadata_hash
    )`;
  await sql`
    update commerce.campaign_settings set name = null, note = null where merchant = ${merchant}`;
  const products = sql`
    select product.id from commerce.product
    join commerce.merchant profile on profile.id = product.merchant_id
    where profile.address = ${merchant}`;
  const published = sql`
    select version.product_id from commerce.product_version version
    where version.product_id in (${products}) and version.body ->> 'status' <> 'draft'`;
  await sql`
    with deleted as (
      delete from commerce.asset
      where merchant_id = (select id from commerce.merchant where address = ${merchant})
        and (product_id is null or product_id not in (${published}))
      returning key
    )
    insert into commerce.deleted_file (key, deleted_at)
    select key, ${at}::timestamptz from deleted on conflict do nothing`;
  const drafts = await sql<{ id: string }[]>`
    select id from (${products}) own where id not in (${published})`;
  const ids = drafts.map(({ id }) => id);
  await sql`delete from commerce.product_version where product_id = any(${ids}::text[])`;
  await sql`delete from commerce.product where id = any(${ids}::text[])`;
  await sql`
    with archived as (
      update commerce.product set status = 'archived', version = version + 1,
        updated_at = ${at}::timestamptz
      where id in (${products}) and status <> 'archived' returning *
    )
    insert into commerce.product_version (product_id, version, body, saved_at)
    select id, version, to_jsonb(archived) - 'words', updated_at from archived`;
}

/** Deletes the merchant profile, or empties and closes it if something must refer to it. */
async function removeProfile(sql: Sql, { merchant }: Person, now: Date): Promise<void> {
  const at = now.toISOString();
  await sql`
    delete from commerce.merchant profile where address = ${merchant}
      and not exists (select 1 from commerce.product where merchant_id = profile.id)
      and not exists (select 1 from commerce.invoice where merchant_id = profile.id)`;
  await sql`
    update commerce.merchant set name = 'Deleted merchant',
      slug = case when ${isRemoved(sql)} then slug
        else 'deleted-' || replace(gen_random_uuid()::text, '-', '') end, description = '',
      website_url = null, support_email = null, logo = null, updated_at = ${at}::timestamptz,
      closed_at = coalesce(closed_at, ${at}::timestamptz)
    where address = ${merchant}`;
}
