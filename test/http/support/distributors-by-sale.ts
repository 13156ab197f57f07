import type { Address } from '../../../engine/core/events.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import { hexBytes } from '../../../engine/db/hex.ts';
import { UNKNOWN_CATEGORY } from '../../../engine/db/read/campaigns/filters.ts';
import {
  type DistributorTotals,
  distributorTotalsRow,
  type TrackRecordTotals,
  trackRecordOf,
} from '../../../engine/db/read/distributors/totals.ts';
import { joinProduct } from '../../../engine/db/read/products/rows.ts';
import type { ReadHead, Snapshot } from '../../../engine/db/read/snapshot.ts';
import type { StoredRow } from '../../../engine/db/row.ts';
import { joinPastState } from './past-state.ts';

/** Maximum number of tokens in a track record. */
const MAX_TOKENS = 20;

/** The track record of one account, computed from its sales. */
export async function recordBySale(
  { sql, head }: Snapshot,
  address: Address,
): Promise<TrackRecordTotals | undefined> {
  const [row] = await sql<StoredRow[]>`
    with ${conversions(sql, head, address)}, totals as (${totalsQuery(sql, head, address)})
    select totals.*, array(
      select jsonb_build_object('address', token, 'symbol', min(token_symbol),
        'decimals', min(token_decimals), 'name', min(token_name),
        'sales', count(*)::text, 'value', sum(value)::text)
      from conversion where state = 'finalized'
      group by token order by count(*) desc, token limit ${MAX_TOKENS}
    ) as token_values
    from totals`;
  return row && trackRecordOf(row);
}

/** The totals of all accounts that own a node, computed from their sales: the totals must agree with them. */
export async function analyticsBySale({ sql, head }: Snapshot): Promise<DistributorTotals[]> {
  const rows = await sql<StoredRow[]>`
    with ${conversions(sql, head)} ${totalsQuery(sql, head)}`;
  return rows.map(distributorTotalsRow.decode);
}

/** A select from `conversion`: a row for the account, or for each account that owns a node. */
function totalsQuery(sql: Sql, head: ReadHead, address?: Address) {
  return sql`
    select joined.account as address, coalesce(settled, 0) as settled,
      coalesce(direct, 0) as direct, coalesce(refunded, 0) as refunded,
      coalesce(reversed, 0) as reversed, coalesce(pending, 0) as pending,
      coalesce(merchants, 0) as merchants, coalesce(categories, '{}') as categories,
      last_settled_at, links, first_link_at
    from (
      select owner as account, count(*) as links, min(block_timestamp) as first_link_at
      from ledger.node
      where block_number <= ${head.number} ${address ? sql`and owner = ${address}` : sql``}
      group by owner
    ) joined
    left join (
      select account,
        count(*) filter (where state = 'finalized') as settled,
        count(*) filter (where state = 'finalized' and level = 1) as direct,
        count(*) filter (where state = 'refunded') as refunded,
        count(*) filter (where state = 'reversed') as reversed,
        count(*) filter (where state = 'pending') as pending,
        count(distinct merchant) filter (where state = 'finalized') as merchants,
        max(finalized_at) filter (where state = 'finalized') as last_settled_at,
        array_agg(distinct category collate "C" order by category collate "C")
          filter (where state = 'finalized') as categories
      from conversion group by account
    ) sold using (account)`;
}

/**
 * Sales of which an account has a rewarded level, each once, as of the settled block. `as_of` has the
 * campaigns with their newest event at or below that block; `past` is the state of a sale then.
 */
function conversions(sql: Sql, head: ReadHead, address?: Address) {
  return sql`
    own_level as materialized (
      select recipient as account, campaign_id, sale_id, min(level) as level
      from ledger.sale_level ${address ? sql`where recipient = ${address}` : sql``}
      group by recipient, campaign_id, sale_id
    ), as_of as materialized (
      select campaign.campaign_id, campaign.merchant, campaign.token, campaign.token_symbol,
        campaign.token_decimals, campaign.token_name, newest.seq,
        coalesce(product.category, ${UNKNOWN_CATEGORY}) as category
      from (select distinct campaign_id from own_level) own
      join ledger.campaign campaign using (campaign_id)
      join lateral (
        select seq from ledger.journal
        where campaign_id = campaign.campaign_id and block_number <= ${head.number}
        order by block_number desc, seq desc limit 1
      ) newest on true
      ${joinProduct(sql)}
      where not exists (
        select 1 from commerce.moderation
        where moderation.campaign_id = campaign.campaign_id and moderation.hidden
      )
    ), conversion as materialized (
      select own_level.account, own_level.level, past.state, past.finalized_at,
        sale.amount - past.refunded_total as value,
        as_of.merchant, as_of.token, as_of.token_symbol, as_of.token_decimals,
        as_of.token_name, as_of.category
      from own_level
      join as_of using (campaign_id)
      join ledger.sale sale using (campaign_id, sale_id)
      ${joinPastState(sql, sql`as_of.seq`)}
      where sale.block_number <= ${head.number} and sale.buyer <> ${hexBytes(sql, sql`as_of.merchant`)}
        and not exists (
          select 1 from ledger.sale_level own
          where own.campaign_id = sale.campaign_id and own.sale_id = sale.sale_id
            and own.recipient = sale.buyer
        )
    )`;
}
