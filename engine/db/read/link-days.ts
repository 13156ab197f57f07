import { toInteger } from './ids.ts';
import type { NodeView } from './nodes.ts';
import type { Snapshot } from './snapshot.ts';

/** What happened to a link on one day, as of the settled block. */
export interface LinkDay {
  /** Days since 1 January 1970, UTC. */
  readonly day: number;
  readonly opens: number;
  readonly visitors: number;
  /** Sales that the node made that day, as they stand; reversed ones count as finalized. */
  readonly pending: number;
  readonly finalized: number;
  readonly refunded: number;
  /** Of the settled ones, what was not refunded, base units. */
  readonly value: bigint;
  /** Nodes that joined directly under it. */
  readonly joins: number;
}

const DAY_SECONDS = 86_400;

/** The days on which anything happened, oldest first: one statement. `to` is the first day after. */
export async function linkDays(
  { sql, head }: Snapshot,
  { campaignId, nodeId }: Pick<NodeView, 'campaignId' | 'nodeId'>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<LinkDay[]> {
  const within = sql`block_timestamp >= ${from * DAY_SECONDS}
    and block_timestamp < ${to * DAY_SECONDS}`;
  const rows = await sql<
    {
      day: string;
      opens: string;
      visitors: string;
      pending: string;
      finalized: string;
      refunded: string;
      value: string;
      joins: string;
    }[]
  >`
    with standing as (
      select seq from ledger.journal
      where campaign_id = ${campaignId} and block_number <= ${head.number}
      order by block_number desc, seq desc limit 1
    ), opened as (
      select day - date '1970-01-01' as day, opens, visitors from commerce.referral_day
      where campaign_id = ${campaignId} and node_id = ${nodeId}
        and day >= date '1970-01-01' + ${from}::int and day < date '1970-01-01' + ${to}::int
    ), sold as (
      select sale.block_timestamp / ${DAY_SECONDS}::bigint as day,
        coalesce(past.state, sale.state) as state,
        sale.amount - coalesce(past.refunded_total, sale.refunded_total) as kept
      from ledger.sale cross join standing
      left join lateral (
        select version.state, version.refunded_total from ledger.sale_version version
        where version.campaign_id = ${campaignId} and version.sale_id = sale.sale_id
          and sale.changed_seq > standing.seq and version.seq <= standing.seq
        order by version.seq desc limit 1
      ) past on true
      where sale.campaign_id = ${campaignId} and sale.node_id = ${nodeId}
        and sale.block_number <= ${head.number} and ${within}
    ), told as (
      select day, opens, visitors, 0 as pending, 0 as finalized, 0 as refunded, 0 as value,
        0 as joins from opened
      union all
      select day, 0, 0, (state = 'pending')::int, (state in ('finalized', 'reversed'))::int,
        (state = 'refunded')::int, case when state = 'finalized' then kept else 0 end, 0 from sold
      union all
      select block_timestamp / ${DAY_SECONDS}::bigint, 0, 0, 0, 0, 0, 0, 1 from ledger.node
      where campaign_id = ${campaignId} and parent_node_id = ${nodeId}
        and block_number <= ${head.number} and ${within}
    )
    select day, sum(opens) as opens, sum(visitors) as visitors, sum(pending) as pending,
      sum(finalized) as finalized, sum(refunded) as refunded, sum(value) as value,
      sum(joins) as joins
    from told group by day order by day`;
  return rows.map((row) => ({
    day: toInteger(row.day),
    opens: toInteger(row.opens),
    visitors: toInteger(row.visitors),
    pending: toInteger(row.pending),
    finalized: toInteger(row.finalized),
    refunded: toInteger(row.refunded),
    value: BigInt(row.value),
    joins: toInteger(row.joins),
  }));
}
