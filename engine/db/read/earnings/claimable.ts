import type { Address } from '../../../core/events.ts';
import { MAX_FINALIZED_SALES } from '../../../core/finalizing.ts';
import type { Sql } from '../../connection.ts';
import { heldLevels } from '../../held-levels.ts';
import { fence } from '../../planner.ts';
import { amount, as, id, rowCodec, type StoredRow, type View } from '../../row.ts';
import { newestEntry } from '../as-of/balance.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import { type Earner, earnerCampaigns } from './earner-campaigns.ts';
import { changedLevels, FEW_CONVERSIONS } from './held.ts';

const claimableView = rowCodec({
  campaignId: id,
  claimable: amount,
  readyToFinalize: amount,
  /** Sales of its levels whose hold is over, oldest first, 100 at most. */
  saleIds: as<readonly string[]>(),
});

/** A campaign in which an account can claim or finalize; amounts in base units. */
export type ClaimableView = View<typeof claimableView>;

interface ClaimableQuery extends Pick<Earner, 'fewConversions'> {
  /** The campaign after which the page begins. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Campaigns in which an account can claim or finalize, the newest first: one statement. */
export async function listClaimable(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit, ...earner }: ClaimableQuery,
): Promise<ClaimableView[]> {
  const balance = { campaignId: sql`as_of.campaign_id`, account, seq: sql`as_of.seq` };
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account })}),
    changed_level as materialized (${changedLevels(sql, account)}),
    ready as (
      select campaign_id, sum(held) as ready,
        array_agg(distinct sale_id order by sale_id)::text[] as sale_ids
      from (
        select as_of.campaign_id, level.sale_id, level.reserved as held
        from as_of
        left join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
          and sums.account = ${account}
        cross join lateral (${dueLevels(sql, head, { account, ...earner })}) level
        where level.reserved > 0 and level.changed_seq <= as_of.seq
        union all
        select campaign_id, sale_id, held_before from changed_level
        where held_before > 0 and hold_until <= ${head.timestamp}
      ) due group by campaign_id
    )
    select as_of.campaign_id, coalesce(balance.claimable_after, 0) as claimable,
      coalesce(ready.ready, 0) as ready_to_finalize,
      coalesce(ready.sale_ids[1:${MAX_FINALIZED_SALES}::int], '{}') as sale_ids
    from as_of
    left join ready on ready.campaign_id = as_of.campaign_id
    left join lateral ${newestEntry(sql, balance, sql`entry.claimable_after`)} balance on true
    where (balance.claimable_after > 0 or ready.ready > 0)
      ${after === undefined ? sql`` : sql`and as_of.campaign_id < ${after}::bigint`}
    order by as_of.campaign_id desc limit ${limit}`;
  return rows.map(claimableView.decode);
}

/**
 * A select of the account's levels in the campaign of `as_of` that hold something and are due: among all its levels there
 * if it has few, as `sums` says, and otherwise among those of the pending sales that are due.
 */
function dueLevels(
  sql: Sql,
  { timestamp }: ReadHead,
  { account, fewConversions = FEW_CONVERSIONS }: Earner,
) {
  const ofPending = heldLevels(sql, {
    campaignId: sql`as_of.campaign_id`,
    holds: sql`hold_until <= ${timestamp}`,
    recipient: account,
  });
  return sql`
    select own.sale_id, sale.changed_seq, own.reserved
    from (
      select of_pending.sale_id, of_pending.reserved from (${ofPending} ${fence(sql)}) of_pending
      where coalesce(sums.direct + sums.network, 0) > ${fewConversions}
      union all
      select sale_id, reserved from ledger.sale_level
      where recipient = ${account} and campaign_id = as_of.campaign_id and reserved <> 0
        and coalesce(sums.direct + sums.network, 0) <= ${fewConversions}
    ) own
    cross join lateral (
      select changed_seq from ledger.sale
      where campaign_id = as_of.campaign_id and sale_id = own.sale_id
        and hold_until <= ${timestamp}
      ${fence(sql)}
    ) sale`;
}
