import { DAY_SECONDS } from '../../../core/analytics.ts';
import { amount, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinSaleAsOf, saleAsOf } from '../corrections.ts';
import type { Snapshot } from '../snapshot.ts';
import type { NodeView } from './nodes.ts';

const linkDay = rowCodec({
  /** Days since 1 January 1970, UTC. */
  day: integer,
  opens: integer,
  visitors: integer,
  /** Sales that the node made that day, by their state now; reversed ones count as finalized. */
  pending: integer,
  finalized: integer,
  refunded: integer,
  /** Value of the settled sales less refunds, base units. */
  value: amount,
  /** Nodes that joined directly under it. */
  joins: integer,
});

/** Events of a link on one day, as of the settled block. */
export type LinkDay = View<typeof linkDay>;

/** The days on which anything happened, oldest first: one statement. `to` is exclusive. */
export async function linkDays(
  { sql, head }: Snapshot,
  { campaignId, nodeId }: Pick<NodeView, 'campaignId' | 'nodeId'>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<LinkDay[]> {
  const within = sql`block_timestamp >= ${from * DAY_SECONDS}
    and block_timestamp < ${to * DAY_SECONDS}`;
  const rows = await sql<StoredRow[]>`
    with as_of as ${newestEvent(sql, head, campaignId, sql`seq`)}, opened as (
      select day - date '1970-01-01' as day, opens, visitors from commerce.referral_day
      where campaign_id = ${campaignId} and node_id = ${nodeId}
        and day >= date '1970-01-01' + ${from}::int and day < date '1970-01-01' + ${to}::int
    ), sold as (
      select sale.block_timestamp / ${DAY_SECONDS}::bigint as day,
        ${saleAsOf(sql)}
      from ledger.sale cross join as_of
      ${joinSaleAsOf(sql)}
      where sale.campaign_id = ${campaignId} and sale.node_id = ${nodeId}
        and sale.block_number <= ${head.number} and ${within}
    ), happened as (
      select day, opens, visitors, 0 as pending, 0 as finalized, 0 as refunded, 0 as value,
        0 as joins from opened
      union all
      select day, 0, 0, (state = 'pending')::int, (state in ('finalized', 'reversed'))::int,
        (state = 'refunded')::int, case when state = 'finalized' then remaining else 0 end, 0 from sold
      union all
      select block_timestamp / ${DAY_SECONDS}::bigint, 0, 0, 0, 0, 0, 0, 1 from ledger.node
      where campaign_id = ${campaignId} and parent_node_id = ${nodeId}
        and block_number <= ${head.number} and ${within}
    )
    select day, sum(opens) as opens, sum(visitors) as visitors, sum(pending) as pending,
      sum(finalized) as finalized, sum(refunded) as refunded, sum(value) as value,
      sum(joins) as joins
    from happened group by day order by day`;
  return rows.map(linkDay.decode);
}
