import type { Address } from '../../core/events.ts';
import { movedLevels } from './earned-held.ts';
import { earnerCampaigns } from './own-campaigns.ts';
import type { Snapshot } from './snapshot.ts';

/** A campaign in which an account can claim or finalize; amounts in base units. */
export interface ClaimableView {
  readonly campaignId: string;
  readonly claimable: bigint;
  readonly readyToFinalize: bigint;
  /** Sales of its levels whose hold is over, oldest first, 100 at most. */
  readonly saleIds: readonly string[];
}

/** Sales that one transaction finalizes. */
const SALES_MOST = 100;

/** Such campaigns, the newest first: one statement. */
export async function listClaimable(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ClaimableView[]> {
  const rows = await sql<
    { campaign_id: string; claimable: string; ready: string; sale_ids: string[] }[]
  >`
    with own as materialized (${earnerCampaigns(sql, head, { account })}),
    moved as materialized (${movedLevels(sql, account)}),
    ready as (
      select campaign_id, sum(held) as ready,
        array_agg(distinct sale_id order by sale_id)::text[] as sale_ids
      from (
        -- What is held and due, campaign by campaign: what is claimed or still held is not read.
        select level.campaign_id, level.sale_id, level.reserved as held
        from own
        join ledger.sale_level level on level.campaign_id = own.campaign_id
          and level.reserved <> 0 and level.hold_until <= ${head.timestamp}
          and level.recipient = ${account}
        join ledger.sale sale on sale.campaign_id = level.campaign_id
          and sale.sale_id = level.sale_id and sale.changed_seq <= own.seq
        where level.reserved > 0
        union all
        select campaign_id, sale_id, held_then from moved
        where held_then > 0 and hold_until <= ${head.timestamp}
      ) due group by campaign_id
    )
    select own.campaign_id, coalesce(balance.claimable_after, 0) as claimable,
      coalesce(ready.ready, 0) as ready,
      coalesce(ready.sale_ids[1:${SALES_MOST}::int], '{}') as sale_ids
    from own
    left join ready on ready.campaign_id = own.campaign_id
    left join lateral (
      select entry.claimable_after from ledger.entry
      where entry.campaign_id = own.campaign_id and entry.account = ${account}
        and entry.seq <= own.seq
      order by entry.seq desc, entry.ordinal desc limit 1
    ) balance on true
    where (balance.claimable_after > 0 or ready.ready > 0)
      ${after === undefined ? sql`` : sql`and own.campaign_id < ${after}::bigint`}
    order by own.campaign_id desc limit ${limit}`;
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    claimable: BigInt(row.claimable),
    readyToFinalize: BigInt(row.ready),
    saleIds: row.sale_ids,
  }));
}
