import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { lastSettled } from '../../last-settled.ts';
import { fence } from '../../planner.ts';
import {
  address,
  amount,
  as,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { UNKNOWN_CATEGORY } from '../campaigns/filters.ts';
import { laterNodes, saleCorrections } from '../corrections.ts';
import { joinProduct } from '../products/rows.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';

/** Row codec of `DistributorTotals`. */
export const distributorTotalsRow = rowCodec({
  address,
  settledConversions: integer.from('settled'),
  directSales: integer.from('direct'),
  refundedSales: integer.from('refunded'),
  reversedSales: integer.from('reversed'),
  pendingSales: integer.from('pending'),
  merchantCount: integer.from('merchants'),
  /** Categories of the products sold, in alphabetical order. */
  categories: as<readonly string[]>(),
  lastSettledAt: nullable(seconds),
  linkCount: integer.from('links'),
  firstLinkAt: seconds,
});

/**
 * Totals of an account as a distributor, as of the settled block: columns of
 * `commerce.distributor_ranking`. Each sale counts once, by the nearest of its levels that the account
 * has. Sales of hidden campaigns do not count, nor those whose buyer is the merchant or owns a rewarded
 * node of the path.
 */
export type DistributorTotals = View<typeof distributorTotalsRow>;

const settledValue = rowCodec({
  token: { address, symbol: text, decimals: small, name: text },
  sales: integer,
  /** Payments of buyers less refunds, base units. */
  value: amount,
});

/** Settled conversions of an account in one token. */
export type SettledValue = View<typeof settledValue>;

/** The totals of one account, with the value of its settled conversions by token. */
export interface TrackRecordTotals extends DistributorTotals {
  /** The most settled first; of two with equally many, the lower address; 20 at most. */
  readonly settledValues: readonly SettledValue[];
}

/** Maximum number of tokens in a track record. */
const MAX_TOKENS = 20;

/** The track record of an account; `undefined` if it never joined a campaign. */
export async function distributorTotals(
  { sql, head }: Snapshot,
  address: Address,
): Promise<TrackRecordTotals | undefined> {
  const [row] = await sql<StoredRow[]>`
    with ${recordTables(sql, head, address)}, totals as (${totalsQuery(sql)})
    select totals.*, array(
      select jsonb_build_object('address', token, 'symbol', min(token_symbol),
        'decimals', min(token_decimals), 'name', min(token_name),
        'sales', sum(settled)::text, 'value', sum(settled_value)::text)
      from record where settled > 0 and shown
      group by token order by sum(settled) desc, token limit ${MAX_TOKENS}
    ) as token_values
    from totals`;
  return row && trackRecordOf(row);
}

const tokenValueList = rowCodec({ tokenValues: as<readonly StoredRow[]>() });

/** Decodes a row of `distributorTotalsRow` that also has the list `token_values` of settled values. */
export function trackRecordOf(row: StoredRow): TrackRecordTotals {
  const settledValues = tokenValueList.decode(row).tokenValues.map(settledValue.decode);
  return { ...distributorTotalsRow.decode(row), settledValues };
}

/** The totals of all accounts that own a node. The cost depends on accounts and campaigns, not on sales. */
export async function allTotals({ sql, head }: Snapshot): Promise<DistributorTotals[]> {
  const rows = await sql<StoredRow[]>`
    with ${recordTables(sql, head)} ${totalsQuery(sql)}`;
  return rows.map(distributorTotalsRow.decode);
}

/** A select from `record`: a row for each account that owns a node. */
function totalsQuery(sql: Sql) {
  return sql`
    select account as address,
      coalesce(sum(settled) filter (where shown), 0) as settled,
      coalesce(sum(direct) filter (where shown), 0) as direct,
      coalesce(sum(refunded) filter (where shown), 0) as refunded,
      coalesce(sum(reversed) filter (where shown), 0) as reversed,
      coalesce(sum(pending) filter (where shown), 0) as pending,
      count(distinct merchant) filter (where shown and settled > 0) as merchants,
      coalesce(array_agg(distinct category collate "C" order by category collate "C")
        filter (where shown and settled > 0), '{}') as categories,
      max(last_settled_at) filter (where shown) as last_settled_at,
      sum(links) as links, min(first_link_at) as first_link_at
    from record group by account having sum(links) > 0`;
}

/**
 * For a `with`: `record` has a row for each account in each campaign, from the totals that settlement stores
 * (0019_ranked_sums.sql), corrected by what came after the settled block: `correction` has the sales that
 * changed, `delta` what they change in the totals of each account, and `later_node` the nodes that joined.
 */
function recordTables(sql: Sql, head: ReadHead, address?: Address) {
  const isAccount = (column: Fragment) =>
    address === undefined ? sql`` : sql`and ${column} = ${address}`;
  return sql`
    as_of as materialized (${campaignsOf(sql, head, address)}),
    correction as materialized (${saleCorrections(sql, sql`as_of.seq`)}),
    corrected_sale as materialized (
      select correction.*, one.account, one.direct
      from correction
      -- The fence keeps it a look-up by key: the planner expects very many to have correction.
      cross join lateral (
        select account, direct from ledger.sale_account one
        where one.campaign_id = correction.campaign_id and one.sale_id = correction.sale_id
          and one.ranked ${isAccount(sql`one.account`)}
        ${fence(sql)}
      ) one
    ), delta as materialized (
      select campaign_id, account,
        sum(sign) filter (where state = 'finalized') as settled,
        sum(sign * direct) filter (where state = 'finalized') as direct,
        sum(sign) filter (where state = 'refunded') as refunded,
        sum(sign) filter (where state = 'reversed') as reversed,
        sum(sign) filter (where state = 'pending') as pending,
        sum(sign * remaining) filter (where state = 'finalized') as settled_value
      from corrected_sale group by campaign_id, account
    ), wanted as materialized (
      select distinct campaign_id, account, seq from corrected_sale where state = 'finalized'
    ), ${lastSettled(sql)}, later_node as materialized (
      select as_of.campaign_id, node.owner as account, count(*) as links
      from as_of cross join lateral ${laterNodes(sql)}
      where true ${isAccount(sql`node.owner`)}
      group by as_of.campaign_id, node.owner
    ), record as materialized (
      select as_of.*, sums.account, sums.links - coalesce(later_node.links, 0) as links,
        case when sums.links > coalesce(later_node.links, 0) then sums.first_link_at end
          as first_link_at,
        sums.ranked_direct + sums.ranked_network + coalesce(delta.settled, 0) as settled,
        sums.ranked_direct + coalesce(delta.direct, 0) as direct,
        sums.ranked_refunded + coalesce(delta.refunded, 0) as refunded,
        sums.ranked_reversed + coalesce(delta.reversed, 0) as reversed,
        sums.ranked_pending + coalesce(delta.pending, 0) as pending,
        sums.ranked_value + coalesce(delta.settled_value, 0) as settled_value,
        case when looked_up.account is null then sums.last_settled_at
          else looked_up.last_settled_at end as last_settled_at
      from as_of
      join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
        ${isAccount(sql`sums.account`)}
      left join delta on delta.campaign_id = sums.campaign_id and delta.account = sums.account
      left join later_node on later_node.campaign_id = sums.campaign_id and later_node.account = sums.account
      left join looked_up on looked_up.campaign_id = sums.campaign_id
        and looked_up.account = sums.account
    )`;
}

/**
 * The campaigns, or those in which an account owns a node. `seq` is the newest event at or below the settled
 * block; `shown` is false if an operator has hidden the campaign.
 */
function campaignsOf(sql: Sql, head: ReadHead, address?: Address) {
  return sql`
    select campaign.campaign_id, campaign.merchant, campaign.token, campaign.token_symbol,
      campaign.token_decimals, campaign.token_name, campaign_state.seq,
      coalesce(product.category, ${UNKNOWN_CATEGORY}) as category,
      not exists (
        select 1 from commerce.moderation
        where moderation.campaign_id = campaign.campaign_id and moderation.hidden
      ) as shown
    from ${
      address === undefined
        ? sql`ledger.campaign campaign`
        : sql`(select distinct campaign_id from ledger.node where owner = ${address}) joined
            join ledger.campaign campaign using (campaign_id)`
    }
    ${joinCampaignState(sql, head, sql`seq`)}
    ${joinProduct(sql)}`;
}
