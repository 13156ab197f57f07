import type { Snapshot } from '../snapshot.ts';
import {
  type ReportScope,
  type RowSource,
  reportCampaigns,
  tokenColumns,
  within,
} from './scope.ts';

/** A row for each payment to a distributor or to the merchant. Refunds to buyers are in `sales`. */
export function payoutRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const payouts = sql`${reportCampaigns(sql, head, scope)}
    join ledger.journal paid on paid.campaign_id = as_of.campaign_id
      and paid.seq <= as_of.seq
      and paid.name in ('SurplusWithdrawn', 'RewardsClaimed', 'ProceedsClaimed')
      and ${within(sql, sql`paid.block_timestamp`, scope)}`;
  return {
    count: sql`select count(*) as rows from ${payouts}`,
    rows: sql`
      select paid.block_timestamp as "paidAt", paid.campaign_id as "campaignId",
        case paid.name when 'RewardsClaimed' then 'rewards' when 'ProceedsClaimed' then 'proceeds'
          else 'surplus' end as payout,
        paid.args ->> 'account' as account, ${tokenColumns(sql)}, paid.args ->> 'amount' as amount,
        paid.block_number as "blockNumber", paid.transaction_hash as "transactionHash"
      from ${payouts}
      order by paid.campaign_id, paid.seq`,
  };
}
