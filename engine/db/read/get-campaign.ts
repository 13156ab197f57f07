import type { Hex } from '../../core/events.ts';
import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import { ledgerId, toInteger } from './ids.ts';
import {
  type PolicyRow,
  policyColumns,
  policyOf,
  type RegisteredPolicy,
  type TransactionPlace,
} from './policy-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Fundings that a campaign tells: the newest (design §7). */
const FUNDINGS_MOST = 100;

/** @returns `undefined` where there is none of that id at the settled block. */
export async function getCampaign(
  { sql, head }: Snapshot,
  campaignId: string,
): Promise<CampaignView | undefined> {
  const id = ledgerId(campaignId);
  if (id === undefined) return undefined;
  const [row] = await sql<CampaignRow[]>`
    select ${campaignColumns(sql)}
    from ledger.campaign campaign ${campaignJoins(sql, head)}
    where campaign.campaign_id = ${id}`;
  return row && campaignOf(row, head);
}

/** The transactions that funded a campaign, newest first, 100 at most. */
export async function campaignFundings(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
): Promise<TransactionPlace[]> {
  const rows = await sql<
    { transaction_hash: Hex; block_number: string; block_timestamp: string }[]
  >`
    select transaction_hash, block_number, block_timestamp from ledger.journal
    where campaign_id = ${campaignId} and name = 'CampaignFunded' and seq <= ${seq}
    order by seq desc limit ${FUNDINGS_MOST}`;
  return rows.map((row) => ({
    hash: row.transaction_hash,
    blockNumber: toInteger(row.block_number),
    timestamp: toInteger(row.block_timestamp),
  }));
}

/** A version of a policy, and how many sales were recorded under it. */
export interface UsedPolicy extends RegisteredPolicy {
  readonly salesCount: number;
}

/** The policy in effect at the settled block and the versions after it, in their order. */
export async function campaignPolicies(
  { sql, head }: Snapshot,
  { campaignId, seq, policy }: Pick<CampaignView, 'campaignId' | 'seq' | 'policy'>,
): Promise<UsedPolicy[]> {
  const rows = await sql<(PolicyRow & { sales_count: string })[]>`
    select ${policyColumns(sql)}, (
      select count(*) from ledger.sale
      where campaign_id = policy.campaign_id and policy_version = policy.version
        and block_number <= ${head.number}
    ) as sales_count
    from ledger.policy policy
    join ledger.journal registered
      on registered.campaign_id = policy.campaign_id and registered.seq = policy.seq
    where policy.campaign_id = ${campaignId} and policy.version >= ${policy.version}
      and policy.seq <= ${seq}
    order by policy.version`;
  return rows.map((row) => ({ ...policyOf(row), salesCount: toInteger(row.sales_count) }));
}
