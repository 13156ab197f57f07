import type { Address } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import { fence } from '../planner.ts';
import { newestMovement } from '../read/as-of/balance.ts';
import { stateAt } from '../read/as-of/sale.ts';
import { MAX_SEQ } from '../read/corrections.ts';
import { amount, byteAddress, rowCodec, type StoredRow } from '../row.ts';
import { campaignStateRow } from '../rows/campaign.ts';
import { foldedTables } from '../tables/ledger.ts';
import { restoreLastSettled, settledNewestBy } from './last-settled.ts';
import { rollBackPartners } from './partners.ts';
import { assignmentsSql, unnestSql } from './statements.ts';
import {
  addSales,
  dropEmptyAccounts,
  dropEmptyDays,
  subtractNodes,
  subtractSales,
} from './sums.ts';

/** How much of an account's reserve is ready to finalize. */
const accountReady = rowCodec({ account: byteAddress, ready: amount });

/**
 * Rolls a campaign back to its state after its event `seq`: deletes every later row and restores the rows of
 * the newest state from the remaining ones. The caller holds the campaign's lock and moves its cursor in the
 * same transaction. The cost follows the rows that are rolled back.
 * @param seq 0 rolls back everything.
 */
export async function rollBack(sql: Sql, campaignId: string, seq: number): Promise<void> {
  const accounts = await sql<{ account: Address }[]>`
    select account from ledger.entry where campaign_id = ${campaignId} and seq > ${seq}
    union
    select account from (${laterRecipients(sql, campaignId, seq)}) reserved`;
  const touched = await sql<{ sale_id: string; stays: boolean }[]>`
    select sale_id, seq <= ${seq} as stays from ledger.sale
    where campaign_id = ${campaignId} and changed_seq > ${seq}`;
  const counted = await accountsWithTotals(sql, campaignId, seq);
  const partners = [...counted, ...(await recipientsOf(sql, campaignId, touched))];
  const changed = [{ campaign_id: campaignId, sales: touched.map((row) => row.sale_id) }];
  const settled = await settledNewestBy(sql, changed);
  const readyBefore = await readyOfSales(
    sql,
    campaignId,
    touched.map((row) => row.sale_id),
  );
  await subtractSales(sql, changed);
  await subtractNodes(sql, campaignId, seq);
  await deleteSales(sql, campaignId, seq);
  await deleteEvents(sql, campaignId, seq);
  const saleIds = touched.filter(({ stays }) => stays).map((row) => row.sale_id);
  await restoreSales(sql, campaignId, saleIds);
  await restoreLevels(sql, campaignId, saleIds);
  await addSales(sql, [{ campaign_id: campaignId, sales: saleIds }]);
  await restoreLastSettled(sql, settled);
  await dropEmptyDays(sql, [campaignId]);
  await dropEmptyAccounts(sql, campaignId, counted);
  const readyAfter = await readyOfSales(sql, campaignId, saleIds);
  const names = accounts.map((row) => row.account);
  await restoreBuckets(sql, campaignId, names, (account) => {
    return (readyAfter.get(account) ?? 0n) - (readyBefore.get(account) ?? 0n);
  });
  await rollBackPartners(sql, campaignId, partners);
  await restoreCampaign(sql, campaignId, seq);
}

/** Reads the accounts that earn by a later sale or own a later node. */
async function accountsWithTotals(sql: Sql, campaignId: string, seq: number): Promise<string[]> {
  const rows = await sql<{ account: string }[]>`
    ${laterRecipients(sql, campaignId, seq)}
    union
    select owner from ledger.node where campaign_id = ${campaignId} and seq > ${seq}`;
  return rows.map((row) => row.account);
}

/** A select of the accounts that have levels of later sales, as `account`. */
function laterRecipients(sql: Sql, campaignId: string, seq: number): Fragment {
  return sql`
    select level.recipient as account from ledger.sale
    cross join lateral (
      select recipient from ledger.sale_level
      where campaign_id = ${campaignId} and sale_id = sale.sale_id ${fence(sql)}
    ) level
    where sale.campaign_id = ${campaignId} and sale.changed_seq > ${seq} and sale.seq > ${seq}`;
}

/** Reads the accounts that have levels of these sales. */
async function recipientsOf(
  sql: Sql,
  campaignId: string,
  sales: readonly { readonly sale_id: string }[],
): Promise<string[]> {
  if (sales.length === 0) return [];
  const rows = await sql<{ recipient: string }[]>`
    select distinct recipient from ledger.sale_level
    where campaign_id = ${campaignId} and sale_id = any(${sales.map((row) => row.sale_id)}::bigint[])`;
  return rows.map((row) => row.recipient);
}

/** Deletes the sales that were recorded later, and later versions of the others. */
async function deleteSales(sql: Sql, campaignId: string, seq: number): Promise<void> {
  await sql`
    with gone as (
      select sale_id from ledger.sale where campaign_id = ${campaignId} and changed_seq > ${seq}
    )
    delete from ledger.sale_version v using gone
    where v.campaign_id = ${campaignId} and v.sale_id = gone.sale_id and v.seq > ${seq}`;
  for (const table of ['sale_level', 'missed_reward']) {
    await sql`
      delete from ${sql(`ledger.${table}`)} t using ledger.sale s
      where s.campaign_id = ${campaignId} and s.changed_seq > ${seq} and s.seq > ${seq}
        and t.campaign_id = s.campaign_id and t.sale_id = s.sale_id`;
  }
  await sql`
    delete from ledger.attestation a using ledger.journal j
    where j.campaign_id = ${campaignId} and j.seq > ${seq} and j.name = 'SaleAttested'
      and a.campaign_id = j.campaign_id and a.sale_id = j.sale_id and a.seq = j.seq`;
  await sql`
    delete from ledger.sale
    where campaign_id = ${campaignId} and changed_seq > ${seq} and seq > ${seq}`;
}

/** Deletes the rows of later events that are found by their sequence number. */
async function deleteEvents(sql: Sql, campaignId: string, seq: number): Promise<void> {
  for (const { name, of } of foldedTables) {
    if (of !== 'event') continue;
    await sql`
      delete from ${sql(`ledger.${name}`)}
      where campaign_id = ${campaignId} and seq > ${seq}`;
  }
}

async function restoreSales(sql: Sql, campaignId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const newest = stateAt(sql, { campaignId, saleId: sql`wanted.sale_id`, seq: MAX_SEQ });
  // An event of a level changes a sale without a new version: the journal has the newest change.
  await sql`
    update ledger.sale s set
      state = v.state, refunded_total = v.refunded_total, finalized_at = v.finalized_at,
      changed_seq = (
        select max(j.seq) from ledger.journal j
        where j.campaign_id = ${campaignId} and j.sale_id = wanted.sale_id
      )
    from unnest(${ids}::bigint[]) as wanted (sale_id)
    cross join lateral (${newest}) v
    where s.campaign_id = ${campaignId} and s.sale_id = wanted.sale_id`;
}

/** Restores levels as the sums of their remaining entries; they hold what the newest says, or their share without one. */
async function restoreLevels(sql: Sql, campaignId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update ledger.sale_level l set
      released = e.released, vested = e.vested, reversed = e.reversed,
      reserved = coalesce(e.held, l.share), vested_seq = e.vested_seq
    from ledger.sale_level wanted
    cross join lateral (
      select
        coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        max(seq) filter (where kind = 'vest') as vested_seq,
        (array_agg(held_after order by seq desc, ordinal desc))[1] as held
      from ledger.entry
      where campaign_id = ${campaignId} and sale_id = wanted.sale_id and level = wanted.level
    ) e
    where wanted.campaign_id = ${campaignId} and wanted.sale_id = any(${ids}::bigint[])
      and l.campaign_id = wanted.campaign_id and l.sale_id = wanted.sale_id
      and l.level = wanted.level`;
}

/**
 * Reads how much of the reserve of some sales is ready to finalize, because its hold is over, by account. Only
 * these sales are read: an account may have levels of all sales of the campaign.
 */
async function readyOfSales(
  sql: Sql,
  campaignId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select level.recipient as account, sum(level.reserved) as ready
    from unnest(${ids}::bigint[]) as wanted (sale_id)
    cross join lateral (
      select sale_id from ledger.sale
      where campaign_id = ${campaignId} and sale_id = wanted.sale_id
        and hold_until <= (select clock from ledger.cursor where campaign_id = ${campaignId})
      ${fence(sql)}
    ) due
    cross join lateral (
      select recipient, reserved from ledger.sale_level
      where campaign_id = ${campaignId} and sale_id = due.sale_id and reserved <> 0
      ${fence(sql)}
    ) level
    group by level.recipient`;
  return new Map(rows.map(accountReady.decode).map(({ account, ready }) => [account, ready]));
}

/**
 * Restores the balances of accounts: those after the newest remaining movement, with the reserve divided by
 * whether its hold is over. Only the sales that are rolled back change what is ready to finalize, so it is
 * the previous value, changed by theirs; the audit compares it with the levels.
 * @param readyChange returns how much more of an account's reserve is ready after the rollback than before.
 */
async function restoreBuckets(
  sql: Sql,
  campaignId: string,
  accounts: readonly Address[],
  readyChange: (account: string) => bigint,
): Promise<void> {
  if (accounts.length === 0) return;
  const before = await sql<StoredRow[]>`
    delete from ledger.bucket
    where campaign_id = ${campaignId} and account = any(${accounts}::bytea[])
    returning account, ready_to_finalize as ready`;
  const ready = new Map(before.map(accountReady.decode).map((one) => [one.account, one.ready]));
  const wanted = accounts.map((account) => ({
    account,
    ready: (ready.get(account) ?? 0n) + readyChange(account),
  }));
  await sql`
    insert into ledger.bucket (campaign_id, account, at_risk, ready_to_finalize, claimable,
      claimed, refunded, reversed, last_claim_seq)
    select ${campaignId}, wanted.account, e.reserved_after - wanted.ready, wanted.ready,
      e.claimable_after, e.claimed_after, e.refunded_after, e.reversed_after, (
        select max(seq) from ledger.entry
        where campaign_id = ${campaignId} and account = wanted.account and kind = 'claim'
      )
    from ${unnestSql(sql, 'wanted', accountReady.types, wanted.map(accountReady.encode))}
    cross join lateral ${newestMovement(sql, { campaignId, account: sql`wanted.account`, seq: MAX_SEQ })} e`;
}

async function restoreCampaign(sql: Sql, campaignId: string, seq: number): Promise<void> {
  if (seq === 0) {
    await sql`delete from ledger.campaign where campaign_id = ${campaignId}`;
    return;
  }
  await sql`
    update ledger.campaign c
    set ${assignmentsSql(sql, campaignStateRow.names, 'j')}, indexed_at = now()
    from ledger.journal j
    where c.campaign_id = ${campaignId} and j.campaign_id = ${campaignId} and j.seq = ${seq}`;
}
