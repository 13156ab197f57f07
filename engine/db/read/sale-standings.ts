import type { Sql } from '../connection.ts';
import type { ReadHead } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/**
 * The sales of the campaigns that a condition on `campaign` picks, each as of the settled block, as
 * a fragment to select from: where a later event changed a sale, it is the version before.
 */
export function saleStandings(sql: Sql, head: ReadHead, condition: ReturnType<Sql>) {
  return sql`
    select sale.campaign_id, sale.sale_id, sale.buyer, sale.node_id, sale.amount,
      sale.block_timestamp, sale.hold_until, coalesce(past.state, sale.state) as state,
      coalesce(past.refunded_total, sale.refunded_total) as refunded_total,
      case when past.state is null then sale.finalized_at else past.finalized_at end as finalized_at
    from ledger.campaign campaign
    ${joinStanding(sql, head, sql`seq`)}
    join ledger.sale sale
      on sale.campaign_id = campaign.campaign_id and sale.block_number <= ${head.number}
    left join lateral (
      select state, refunded_total, finalized_at from ledger.sale_version
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id
        and sale.changed_seq > standing.seq and seq <= standing.seq
      order by seq desc limit 1
    ) past on true
    where campaign.created_block <= ${head.number} and ${condition}`;
}
