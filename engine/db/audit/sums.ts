import type { Sql } from '../connection.ts';
import { hexText } from '../hex.ts';
import type { StoredRow } from '../row.ts';

/**
 * The sums that analytics read are those of the rows as they stand (0017_sums.sql): of sales by day,
 * by depth and by cohort, and of joins by day. Each sale is read once.
 */
export async function daySums(sql: Sql): Promise<StoredRow[]> {
  return await sql<StoredRow[]>`
    with sale as materialized (
      select campaign_id, day, linked, depth, join_day, week, sum(pending) as pending,
        sum(finalized) as finalized, sum(refunded) as refunded, sum(reversed) as reversed,
        sum(value) as value, sum(rewards) as rewards
      from ledger.sale_sum group by campaign_id, day, linked, depth, join_day, week
    ), by_day as (
      select campaign_id, 'day ' || day || case when linked then ', linked' else ', direct' end
          as subject,
        concat_ws(' ', sum(pending), sum(finalized), sum(refunded), sum(reversed), sum(value),
          sum(rewards)) as sums
      from sale group by campaign_id, day, linked
    ), by_depth as (
      select campaign_id, 'day ' || day || ', depth ' || depth as subject,
        concat_ws(' ', sum(finalized), sum(rewards)) as sums
      from sale where depth is not null group by campaign_id, day, depth
    ), by_cohort as (
      select campaign_id, 'joined on day ' || join_day || ', week ' || week as subject,
        sum(finalized)::text as sums
      from sale where join_day is not null group by campaign_id, join_day, week
    ), by_join as (
      select campaign_id, 'day ' || block_timestamp / 86400 as subject, count(*)::text as sums
      from ledger.node group by campaign_id, block_timestamp / 86400
    )
    ${differing(
      sql,
      'sums of sales by day',
      sql`by_day`,
      sql`
      select campaign_id, 'day ' || day || case when linked then ', linked' else ', direct' end,
        concat_ws(' ', pending, finalized, refunded, reversed, value, rewards)
      from ledger.sale_day`,
    )}
    union all ${differing(
      sql,
      'sums of finalized sales by depth',
      sql`by_depth`,
      sql`
      select campaign_id, 'day ' || day || ', depth ' || depth, concat_ws(' ', finalized, rewards)
      from ledger.depth_day`,
    )}
    union all ${differing(
      sql,
      'sums of finalized sales by cohort',
      sql`by_cohort`,
      sql`
      select campaign_id, 'joined on day ' || join_day || ', week ' || week, finalized::text
      from ledger.cohort_week`,
    )}
    union all ${differing(
      sql,
      'sums of joins by day',
      sql`by_join`,
      sql`
      select campaign_id, 'day ' || day, joined::text from ledger.node_day`,
    )}`;
}

/** The sums by account are those of its sales and nodes as they stand (0018_account_sums.sql, 0019_ranked_sums.sql). */
export async function accountSums(sql: Sql): Promise<StoredRow[]> {
  return await sql<StoredRow[]>`
    with sold as (
      select campaign_id, account, sum(direct) as direct, sum(network) as network,
        sum(direct_settled) as direct_settled, sum(network_settled) as network_settled,
        sum(settled_value) as settled_value, sum(ranked_pending) as ranked_pending,
        sum(ranked_direct) as ranked_direct, sum(ranked_network) as ranked_network,
        sum(ranked_refunded) as ranked_refunded, sum(ranked_reversed) as ranked_reversed,
        sum(ranked_value) as ranked_value, max(last_settled_at) as last_settled_at
      from ledger.sale_account group by campaign_id, account
    ), joined as (
      select campaign_id, owner as account, count(*) as links,
        min(block_timestamp) as first_link_at, max(block_timestamp) as last_link_at
      from ledger.node group by campaign_id, owner
    ), by_account as (
      select campaign_id, 'account ' || ${hexText(sql, sql`account`)} as subject,
        ${accountText(sql)} as sums
      from sold full join joined using (campaign_id, account)
    )
    ${differing(
      sql,
      'sums of sales and joins by account',
      sql`by_account`,
      sql`
      select campaign_id, 'account ' || ${hexText(sql, sql`account`)}, ${accountText(sql)}
      from ledger.account_sum`,
    )}`;
}

/**
 * The totals by merchant are the sums of those by account (0030_partners.sql); zeros count as no row. A violation
 * names the first campaign of the merchant.
 */
export async function partnerSums(sql: Sql): Promise<StoredRow[]> {
  return await sql<StoredRow[]>`
    with by_partner as (
      select campaign.merchant, sums.account, sum(sums.links) as links,
        sum(sums.direct_settled + sums.network_settled) as settled,
        min(sums.first_link_at) filter (where sums.links > 0) as first_link_at
      from ledger.account_sum sums
      join ledger.campaign on campaign.campaign_id = sums.campaign_id
      group by campaign.merchant, sums.account
    )
    select coalesce((
        select min(campaign_id) from ledger.campaign where campaign.merchant = each.merchant
      ), 0) as campaign_id,
      'totals of partners are the sums of those of their campaigns'::text as invariant,
      'merchant ' || merchant || ', account ' || ${hexText(sql, sql`account`)} as subject, expected, actual
    from (
      select merchant, account, ${partnerText(sql, 'rows')} as expected,
        ${partnerText(sql, 'stored')} as actual
      from by_partner rows
      full join ledger.merchant_partner stored using (merchant, account)
    ) each
    where expected <> actual`;
}

function partnerText(sql: Sql, table: 'rows' | 'stored') {
  return sql.unsafe(
    `concat_ws(' ', coalesce(${table}.links, 0), coalesce(${table}.settled, 0),
      coalesce(${table}.first_link_at::text, '-'))`,
  );
}

/** All columns in one text, of which none may drop out. */
function accountText(sql: Sql) {
  return sql`concat_ws(' ', coalesce(links, 0), coalesce(first_link_at::text, '-'),
    coalesce(last_link_at::text, '-'), coalesce(direct, 0), coalesce(network, 0),
    coalesce(direct_settled, 0), coalesce(network_settled, 0), coalesce(settled_value, 0),
    coalesce(ranked_pending, 0), coalesce(ranked_direct, 0), coalesce(ranked_network, 0),
    coalesce(ranked_refunded, 0), coalesce(ranked_reversed, 0), coalesce(ranked_value, 0),
    coalesce(last_settled_at::text, '-'))`;
}

/** Compares the stored total of each subject with the sum of its rows. */
function differing(sql: Sql, what: string, rows: ReturnType<Sql>, stored: ReturnType<Sql>) {
  return sql`
    select campaign_id, ${`${what} are those of the rows`}::text as invariant, subject,
      coalesce(rows.sums, 'none') as expected, coalesce(stored.sums, 'none') as actual
    from ${rows} rows
    full join (${stored}) stored (campaign_id, subject, sums) using (campaign_id, subject)
    where rows.sums is distinct from stored.sums`;
}
