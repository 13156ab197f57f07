import type { Policy } from '../../../core/campaign.ts';
import { groupByCampaign } from '../../group-by.ts';
import type { StoredRow } from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import type { Snapshot } from '../snapshot.ts';
import type { CampaignView } from './rows.ts';

/** Campaign whose policy in effect decides which versions still wait. */
type Waiting = Pick<CampaignView, 'campaignId' | 'seq' | 'policy'>;

/**
 * The scheduled versions of campaigns that are not in effect yet, by campaign id, each in the order of their
 * numbers: one statement.
 */
export async function waitingPolicies(
  { sql }: Pick<Snapshot, 'sql'>,
  campaigns: readonly Waiting[],
): Promise<ReadonlyMap<string, readonly Policy[]>> {
  const each = [...new Map(campaigns.map((one) => [one.campaignId, one])).values()];
  const rows = await sql<StoredRow[]>`
    select policy.campaign_id, ${policyRow.columns(sql, 'policy')}
    from unnest(
      ${each.map(({ campaignId }) => campaignId)}::bigint[],
      ${each.map(({ policy }) => String(policy.version))}::integer[],
      ${each.map(({ seq }) => String(seq))}::bigint[]
    ) named (campaign_id, version, seq)
    join ledger.policy policy on policy.campaign_id = named.campaign_id
      and policy.version > named.version and policy.seq <= named.seq
    order by policy.campaign_id, policy.version`;
  return groupByCampaign(rows, policyRow.decode);
}

/** The scheduled versions of a campaign that are not in effect yet, in the order of their numbers. */
export async function waitingPoliciesOf(
  snapshot: Pick<Snapshot, 'sql'>,
  campaign: Waiting,
): Promise<readonly Policy[]> {
  return (await waitingPolicies(snapshot, [campaign])).get(campaign.campaignId) ?? [];
}
