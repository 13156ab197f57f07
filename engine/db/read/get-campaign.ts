import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import { ledgerId, probeId, toInteger } from './ids.ts';
import { type AsOf, jsonRows, limitTo, type OneRead } from './one-read.ts';
import {
  type PolicyRow,
  policyColumnKinds,
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
  const [row] = await sql<CampaignRow[]>`${campaignById(sql, head, id)}`;
  return row && campaignOf(row, head);
}

function campaignById(sql: Sql, at: AsOf, id: string) {
  return sql`
    select ${campaignColumns(sql)}
    from ledger.campaign campaign ${campaignJoins(sql, at)}
    where campaign.campaign_id = ${id}`;
}

interface FundingRow {
  seq: string;
  transaction_hash: Hex;
  block_number: string;
  block_timestamp: string;
}

/** A campaign and the transactions that funded it, newest first, 100 at most. */
export interface FundedCampaign {
  readonly campaign: CampaignView;
  readonly fundings: readonly TransactionPlace[];
}

/** One statement; `undefined` where `getCampaign` finds none. */
export function fundedCampaignRead(
  campaignId: string,
): OneRead<CampaignRow & { fundings: FundingRow[] }, FundedCampaign | undefined> {
  return {
    select: (sql, at) => {
      const fundings = sql`
        select seq, transaction_hash, block_number, block_timestamp from ledger.journal
        where campaign_id = found.campaign_id and name = 'CampaignFunded' and seq <= found.seq
        order by seq desc ${limitTo(sql, FUNDINGS_MOST)}`;
      return sql`
        select found.*, ${jsonRows(sql, fundings, fundingColumns, 'each.seq desc')} as fundings
        from (${campaignById(sql, at, probeId(campaignId))}) found`;
    },
    answer: ([row], head) =>
      row && {
        campaign: campaignOf(row, head),
        fundings: row.fundings.map((funding) => ({
          hash: funding.transaction_hash,
          blockNumber: toInteger(funding.block_number),
          timestamp: toInteger(funding.block_timestamp),
        })),
      },
  };
}

const fundingColumns = {
  seq: 'text',
  transaction_hash: 'is',
  block_number: 'text',
  block_timestamp: 'text',
} as const;

/** A version of a policy, and how many sales were recorded under it. */
export interface UsedPolicy extends RegisteredPolicy {
  readonly salesCount: number;
}

type UsedPolicyRow = PolicyRow & { sales_count: string };

const usedPolicyKinds = { ...policyColumnKinds, sales_count: 'text' } as const;

/** A campaign, the policy in effect at the settled block, and the versions after it in their order. */
export interface CampaignWithPolicies {
  readonly campaign: CampaignView;
  readonly policies: readonly UsedPolicy[];
}

/** One statement; `undefined` where `getCampaign` finds none. */
export function campaignPoliciesRead(
  campaignId: string,
): OneRead<CampaignRow & { policies: UsedPolicyRow[] }, CampaignWithPolicies | undefined> {
  return {
    select: (sql, at) => {
      const policies = sql`
        select ${policyColumns(sql)}, (
          select count(*) from ledger.sale
          where campaign_id = policy.campaign_id and policy_version = policy.version
            and block_number <= ${at.number}
        ) as sales_count
        from ledger.policy policy
        join ledger.journal registered
          on registered.campaign_id = policy.campaign_id and registered.seq = policy.seq
        where policy.campaign_id = found.campaign_id and policy.version >= found.version
          and policy.seq <= found.seq`;
      return sql`
        select found.*, ${jsonRows(sql, policies, usedPolicyKinds, 'each.version')} as policies
        from (${campaignById(sql, at, probeId(campaignId))}) found`;
    },
    answer: ([row], head) =>
      row && {
        campaign: campaignOf(row, head),
        policies: row.policies.map((policy) => ({
          ...policyOf(policy),
          salesCount: toInteger(policy.sales_count),
        })),
      },
  };
}
