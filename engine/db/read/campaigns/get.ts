import type { Sql } from '../../connection.ts';
import { ledgerId, probeId } from '../../ids.ts';
import { limitTo } from '../../planner.ts';
import { as, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import { type AsOf, jsonRows, type OneRead } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import { policyColumns, registeredPolicy, type TransactionLocation } from './policy-rows.ts';
import { type CampaignView, campaignColumns, campaignOf, joinCampaign } from './rows.ts';

/** Maximum number of fundings that a campaign shows, the newest (docs/reference/api.md). */
const MAX_FUNDINGS = 100;

/** A campaign by its id; `undefined` if there is none at the settled block. */
export async function getCampaign(
  { sql, head }: Snapshot,
  campaignId: string,
): Promise<CampaignView | undefined> {
  const id = ledgerId(campaignId);
  if (id === undefined) return undefined;
  const [row] = await sql<StoredRow[]>`${campaignById(sql, head, id)}`;
  return row && campaignOf(row, head);
}

function campaignById(sql: Sql, at: AsOf, id: string) {
  return sql`
    select ${campaignColumns(sql)}
    from ledger.campaign campaign ${joinCampaign(sql, at)}
    where campaign.campaign_id = ${id}`;
}

const funding = rowCodec({ ...transactionRow.fields, seq: integer });

/** A campaign and the transactions that funded it, newest first, 100 at most. */
export interface FundedCampaign {
  readonly campaign: CampaignView;
  readonly fundings: readonly TransactionLocation[];
}

/** Reads a campaign with its fundings: one statement; `undefined` if `getCampaign` finds none. */
export function fundedCampaignRead(
  campaignId: string,
): OneRead<StoredRow, FundedCampaign | undefined> {
  return {
    select: (sql, at) => {
      const fundings = sql`
        select ${funding.columns(sql, 'journal')} from ledger.journal
        where campaign_id = found.campaign_id and name = 'CampaignFunded' and seq <= found.seq
        order by seq desc ${limitTo(sql, MAX_FUNDINGS)}`;
      return sql`
        select found.*, ${jsonRows(sql, fundings, funding, 'each.seq desc')} as fundings
        from (${campaignById(sql, at, probeId(campaignId))}) found`;
    },
    answer: ([row], head) =>
      row && {
        campaign: campaignOf(row, head),
        fundings: fundingList.decode(row).fundings.map(transactionRow.decode),
      },
  };
}

const fundingList = rowCodec({ fundings: as<readonly StoredRow[]>() });

const usedPolicy = rowCodec({ ...registeredPolicy.fields, salesCount: integer });

/** A version of a policy, and how many sales were recorded under it. */
export type UsedPolicy = View<typeof usedPolicy>;

/** A campaign, the policy in effect at the settled block, and the versions after it in their order. */
export interface CampaignWithPolicies {
  readonly campaign: CampaignView;
  readonly policies: readonly UsedPolicy[];
}

/** Reads a campaign with its policies: one statement; `undefined` if `getCampaign` finds none. */
export function campaignPoliciesRead(
  campaignId: string,
): OneRead<StoredRow, CampaignWithPolicies | undefined> {
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
        select found.*, ${jsonRows(sql, policies, usedPolicy, 'each.version')} as policies
        from (${campaignById(sql, at, probeId(campaignId))}) found`;
    },
    answer: ([row], head) =>
      row && {
        campaign: campaignOf(row, head),
        policies: policyList.decode(row).policies.map(usedPolicy.decode),
      },
  };
}

const policyList = rowCodec({ policies: as<readonly StoredRow[]>() });
