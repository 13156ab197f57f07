import type { CampaignView } from './campaign-rows.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

/** A version of a policy that waits for its time. */
export interface WaitingPolicy {
  readonly version: number;
  /** Unix seconds. */
  readonly effectiveAt: number;
}

/** The version that takes the place of the one in effect first; `undefined` where none waits. */
export async function nextPolicy(
  { sql }: Snapshot,
  { campaignId, seq, policy }: Pick<CampaignView, 'campaignId' | 'seq' | 'policy'>,
): Promise<WaitingPolicy | undefined> {
  const [row] = await sql<{ version: number; effective_at: string }[]>`
    select version, effective_at from ledger.policy
    where campaign_id = ${campaignId} and version > ${policy.version} and seq <= ${seq}
    order by effective_at, version desc limit 1`;
  return row && { version: row.version, effectiveAt: toInteger(row.effective_at) };
}
