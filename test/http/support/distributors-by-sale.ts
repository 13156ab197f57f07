import type { Address } from '../../../engine/core/events.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import { UNKNOWN_CATEGORY } from '../../../engine/db/read/campaign-filters.ts';
import {
  type DistributorFigures,
  type FiguresRow,
  figuresOf,
  type SettledValue,
  type TrackRecordFigures,
} from '../../../engine/db/read/distributor-figures.ts';
import { toInteger } from '../../../engine/db/read/ids.ts';
import { productJoin } from '../../../engine/db/read/product-rows.ts';
import type { ReadHead, Snapshot } from '../../../engine/db/read/snapshot.ts';

/** Tokens that a record tells. */
const TOKENS_MOST = 20;

interface TokenValue {
  address: Address;
  symbol: string;
  decimals: number;
  name: string;
  sales: string;
  value: string;
}

/** The same of one account, with the value of its settled conversions by token. */
export async function recordBySale(
  { sql, head }: Snapshot,
  address: Address,
): Promise<TrackRecordFigures | undefined> {
  const [row] = await sql<(FiguresRow & { token_values: TokenValue[] })[]>`
    with ${conversions(sql, head, address)}, figures as (${figuresQuery(sql, head, address)})
    select figures.*, array(
      select jsonb_build_object('address', token, 'symbol', min(token_symbol),
        'decimals', min(token_decimals), 'name', min(token_name),
        'sales', count(*)::text, 'value', sum(value)::text)
      from conversion where state = 'finalized'
      group by token order by count(*) desc, token limit ${TOKENS_MOST}
    ) as token_values
    from figures`;
  return row && { ...figuresOf(row), settledValues: row.token_values.map(settledValueOf) };
}

/** The figures of all that own a node, each sale read: what the sums must agree with. */
export async function figuresBySale({ sql, head }: Snapshot): Promise<DistributorFigures[]> {
  const rows = await sql<FiguresRow[]>`
    with ${conversions(sql, head)} ${figuresQuery(sql, head)}`;
  return rows.map(figuresOf);
}

function settledValueOf({ sales, value, ...token }: TokenValue): SettledValue {
  return { token, sales: toInteger(sales), value: BigInt(value) };
}

/** Over `conversion`: a row for the account, or for each that owns a node. */
function figuresQuery(sql: Sql, head: ReadHead, address?: Address) {
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
 * Sales of which an account has a rewarded level, each once, as they stand at the settled block. A
 * sale's row holds its newest state; where an event after that block changed it, `past` is the one
 * before. `standing` says, once for each campaign, which events those are.
 */
function conversions(sql: Sql, head: ReadHead, address?: Address) {
  return sql`
    own_level as materialized (
      select recipient as account, campaign_id, sale_id, min(level) as level
      from ledger.sale_level ${address ? sql`where recipient = ${address}` : sql``}
      group by recipient, campaign_id, sale_id
    ), standing as materialized (
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
      ${productJoin(sql)}
      where not exists (
        select 1 from commerce.moderation
        where moderation.campaign_id = campaign.campaign_id and moderation.hidden
      )
    ), conversion as materialized (
      select own_level.account, own_level.level, coalesce(past.state, sale.state) as state,
        case when past.state is null then sale.finalized_at else past.finalized_at
          end as finalized_at,
        sale.amount - coalesce(past.refunded_total, sale.refunded_total) as value,
        standing.merchant, standing.token, standing.token_symbol, standing.token_decimals,
        standing.token_name, standing.category
      from own_level
      join standing using (campaign_id)
      join ledger.sale sale using (campaign_id, sale_id)
      left join lateral (
        select version.state, version.refunded_total, version.finalized_at
        from ledger.sale_version version
        where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
          and sale.changed_seq > standing.seq and version.seq <= standing.seq
        order by version.seq desc limit 1
      ) past on true
      where sale.block_number <= ${head.number} and sale.buyer <> standing.merchant
        and not exists (
          select 1 from ledger.sale_level own
          where own.campaign_id = sale.campaign_id and own.sale_id = sale.sale_id
            and own.recipient = sale.buyer
        )
    )`;
}
