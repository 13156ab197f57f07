import type { Address } from '../../../core/events.ts';
import { MAX_FINALIZED_SALES } from '../../../core/finalizing.ts';
import { amount, as, id, rowCodec, type StoredRow, type View } from '../../row.ts';
import { newestEntry } from '../as-of/balance.ts';
import type { Snapshot } from '../snapshot.ts';
import { earnerCampaigns } from './earner-campaigns.ts';
import { changedLevels } from './held.ts';

const claimableView = rowCodec({
  campaignId: id,
  claimable: amount,
  readyToFinalize: amount,
  /** Sales of its levels whose hold is over, oldest first, 100 at most. */
  saleIds: as<readonly string[]>(),
});

/** A campaign in which an account can claim or finalize; amounts in base units. */
export type ClaimableView = View<typeof claimableView>;

/** Campaigns in which an account can claim or finalize, the newest first: one statement. */
export async function listClaimable(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ClaimableView[]> {
  const balance = { campaignId: sql`as_of.campaign_id`, account, seq: sql`as_of.seq` };
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account })}),
    changed_level as materialized (${changedLevels(sql, account)}),
    ready as (
      select campaign_id, sum(held) as ready,
        array_agg(distinct sale_id order by sale_id)::text[] as sale_ids
      from (
        -- Campaign by campaign only what is held and due, by an index: no other levels are read.
        select level.campaign_id, level.sale_id, level.reserved as held
        from as_of
        join ledger.sale_level level on level.campaign_id = as_of.campaign_id
          and level.reserved <> 0 and level.hold_until <= ${head.timestamp}
          and level.recipient = ${account}
        join ledger.sale sale on sale.campaign_id = level.campaign_id
          and sale.sale_id = level.sale_id and sale.changed_seq <= as_of.seq
        where level.reserved > 0
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
