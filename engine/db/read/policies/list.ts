import { limitTo } from '../../planner.ts';
import { integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { policyColumns, registeredPolicy } from '../campaigns/policy-rows.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const usedPolicy = rowCodec({ ...registeredPolicy.fields, salesCount: integer });

/** A version of a policy, and how many sales were recorded under it. */
export type UsedPolicyVersion = View<typeof usedPolicy>;

/** Versions of a campaign's policy, oldest first: one statement, with one count by index for each version. */
export async function policyVersions(
  { sql, head }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<UsedPolicyVersion[]> {
  const rows = await sql<StoredRow[]>`
    select ${policyColumns(sql)}, (
      select count(*) from ledger.sale
      where campaign_id = policy.campaign_id and policy_version = policy.version
        and block_number <= ${head.number}
    ) as sales_count
    from ledger.policy policy
    join ledger.journal registered
      on registered.campaign_id = policy.campaign_id and registered.seq = policy.seq
    where policy.campaign_id = ${campaignId} and policy.seq <= ${seq}
      ${after === undefined ? sql`` : sql`and policy.version > ${after}::bigint`}
    order by policy.version ${limitTo(sql, limit)}`;
  return rows.map(usedPolicy.decode);
}
