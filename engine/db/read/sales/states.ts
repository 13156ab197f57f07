import type { Fragment, Sql } from '../../connection.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { joinBeforeChange, saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import type { ReadHead } from '../snapshot.ts';

/**
 * The sales of the campaigns that a condition on `campaign` picks, each as of the settled block, as a
 * fragment to select from.
 */
export function salesAsOf(sql: Sql, head: ReadHead, condition: Fragment) {
  return sql`
    select sale.campaign_id, sale.sale_id, sale.buyer, sale.node_id, sale.amount,
      sale.block_timestamp, sale.hold_until, ${saleState(sql)} as state,
      ${saleRefunded(sql)} as refunded_total, ${saleFinalizedAt(sql)} as finalized_at
    from ledger.campaign campaign
    ${joinCampaignState(sql, head, sql`seq`)}
    join ledger.sale sale
      on sale.campaign_id = campaign.campaign_id and sale.block_number <= ${head.number}
    ${joinBeforeChange(sql, sql`campaign_state.seq`)}
    where campaign.created_block <= ${head.number} and ${condition}`;
}
