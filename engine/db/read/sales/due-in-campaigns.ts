import type { Address } from '../../../core/events.ts';
import { MAX_FINALIZED_SALES } from '../../../core/finalizing.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import { amount, as, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { saleRefunded, saleState } from '../as-of/sale.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import { changedSales, joinSaleAsOf } from '../corrections.ts';
import { isDisputed } from '../operations/sale-state.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';

const dueInCampaign = rowCodec({
  /** Number of pending sales whose hold is over, and their amounts less refunds in base units. */
  sales: integer,
  amount,
  /** How many of them are under a dispute that is open, or accepted and not refunded yet. */
  disputed: integer,
  /** The others, the longest due first, 100 at most. */
  saleIds: as<readonly string[]>(),
});

/** Sales of a campaign that can be finalized at the settled block. */
export type DueInCampaign = View<typeof dueInCampaign>;

/** Sales of a campaign that can be finalized, direct ones too: one statement. */
export async function dueInCampaignOf(
  { sql, head }: Snapshot,
  { campaignId, seq, merchant }: Pick<CampaignView, 'campaignId' | 'seq' | 'merchant'>,
): Promise<DueInCampaign> {
  const asOf = sql`select ${campaignId}::bigint as campaign_id, ${seq}::bigint as seq`;
  const [row] = await sql<StoredRow[]>`
    with as_of as materialized (${asOf}), due as materialized (
      ${dueSalesOf(sql, head, sql`, sale.hold_until, ${isDisputed(sql, merchant)} as is_disputed`)}
    )
    select count(*) as sales, coalesce(sum(remaining), 0) as amount,
      count(*) filter (where is_disputed) as disputed, array(
        select due.sale_id::text from due where not is_disputed
        order by due.hold_until, due.sale_id ${limitTo(sql, MAX_FINALIZED_SALES)}
      ) as sale_ids
    from due`;
  if (row === undefined) throw new Error('A sum without groups returned no row.');
  return dueInCampaign.decode(row);
}

/** Proceeds that finalizing would make claimable, by token: base units of the due sales of a merchant's native campaigns. */
export async function readyProceeds(
  { sql, head }: Snapshot,
  merchant: Address,
): Promise<ReadonlyMap<Address, bigint>> {
  const rows = await sql<{ token: Address; amount: string }[]>`
    with as_of as materialized (
      select campaign.campaign_id, campaign.token, campaign_state.seq
      from ledger.campaign campaign
      ${joinCampaignState(sql, head)}
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        and campaign.trust_mode = 'NATIVE_ONCHAIN' and campaign_state.proceeds_pending > 0
    )
    select token, sum(remaining) as amount from (${dueSalesOf(sql, head, sql`, as_of.token`)}) due
    group by token`;
  return new Map(rows.map(({ token, amount }) => [token, BigInt(amount)]));
}

/**
 * The pending sales of the campaigns of `as_of` whose hold is over, as of its `seq`: those that an index of
 * the newest rows has, and those that later events changed.
 * @param columns of `as_of` and of `sale` after `joinSaleAsOf`, each after a comma.
 */
function dueSalesOf(sql: Sql, head: ReadHead, columns: Fragment) {
  return sql`
    select sale.sale_id, sale.amount - ${saleRefunded(sql)} as remaining ${columns}
    from as_of cross join lateral (
      select pending.* from ledger.sale pending
      where pending.campaign_id = as_of.campaign_id and pending.state = 'pending'
        and pending.hold_until <= ${head.timestamp}
      union
      select sale.* from (select 1) one cross join lateral ${changedSales(sql)}
    ) sale
    ${joinSaleAsOf(sql)}
    where sale.seq <= as_of.seq and ${saleState(sql)} = 'pending'
      and sale.hold_until <= ${head.timestamp}`;
}
