import { rowCodec, type StoredRow, type View } from '../../row.ts';
import { policyRow } from '../../rows/campaign.ts';
import type { Snapshot } from '../snapshot.ts';
import type { CampaignView } from './rows.ts';

const waitingPolicy = rowCodec({
  version: policyRow.fields.version,
  effectiveAt: policyRow.fields.effectiveAt,
});

/** A version of a policy that is not in effect yet. */
export type WaitingPolicy = View<typeof waitingPolicy>;

/** The version that replaces the one in effect next; `undefined` if none is scheduled. */
export async function nextPolicy(
  { sql }: Snapshot,
  { campaignId, seq, policy }: Pick<CampaignView, 'campaignId' | 'seq' | 'policy'>,
): Promise<WaitingPolicy | undefined> {
  const [row] = await sql<StoredRow[]>`
    select version, effective_at from ledger.policy
    where campaign_id = ${campaignId} and version > ${policy.version} and seq <= ${seq}
    order by effective_at, version desc limit 1`;
  return row && waitingPolicy.decode(row);
}
