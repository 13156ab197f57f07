import type { Campaign, Policy, Standing } from '../../core/campaign.ts';
import type { Address, Hex, TrustMode } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { type PolicyRow, policyOfRow } from '../policy-row.ts';
import type { Cursor } from './cursor.ts';
import { byCampaign } from './grouped.ts';
import { type StandingRow, standingOf } from './standing-columns.ts';

interface CampaignRow extends StandingRow {
  campaign_id: string;
  merchant: Address;
  token: Address;
  token_decimals: number;
  token_symbol: string;
  token_name: string;
  sku_hash: Hex;
  metadata_hash: Hex;
  starts_at: string;
  ends_at: string;
  trust_mode: TrustMode;
  invite_only: boolean;
  nodes_per_account: string;
  salt: Hex;
  terms_hash: Hex;
}

/** A campaign as its events left it. */
export interface LoadedCampaign {
  readonly campaign: Campaign;
  readonly standing: Standing;
}

/** Campaigns by id. */
export async function loadCampaigns(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedCampaign>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await sql<CampaignRow[]>`
    select * from ledger.campaign where campaign_id = any(${[...campaignIds]}::bigint[])`;
  return new Map(rows.map((row) => [row.campaign_id, loadedCampaign(row)]));
}

function loadedCampaign(row: CampaignRow): LoadedCampaign {
  const campaign: Campaign = {
    campaignId: row.campaign_id,
    merchant: row.merchant,
    token: row.token,
    tokenDecimals: row.token_decimals,
    tokenSymbol: row.token_symbol,
    tokenName: row.token_name,
    skuHash: row.sku_hash,
    metadataHash: row.metadata_hash,
    startsAt: Number(row.starts_at),
    endsAt: Number(row.ends_at),
    trustMode: row.trust_mode,
    inviteOnly: row.invite_only,
    nodesPerAccount: Number(row.nodes_per_account),
    salt: row.salt,
    termsHash: row.terms_hash,
  };
  return { campaign, standing: standingOf(row) };
}

/** @throws where the cursor has events and the campaign has no row: the ledger is damaged. */
export function requireCampaign(
  campaigns: ReadonlyMap<string, LoadedCampaign>,
  campaignId: string,
): LoadedCampaign {
  const campaign = campaigns.get(campaignId);
  if (campaign === undefined) {
    throw new Error(`ledger.campaign has no row of campaign ${campaignId}`);
  }
  return campaign;
}

/** The times of the blocks of each campaign's event `seq`, unix seconds, by campaign. */
export async function eventTimes(
  sql: Sql,
  events: readonly Pick<Cursor, 'campaignId' | 'seq'>[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ campaign_id: string; block_timestamp: string }[]>`
    select j.campaign_id, j.block_timestamp
    from unnest(
      ${events.map(({ campaignId }) => campaignId)}::bigint[], ${events.map(({ seq }) => seq)}::bigint[]
    ) as named (campaign_id, seq)
    cross join lateral (
      select campaign_id, block_timestamp from ledger.journal
      where campaign_id = named.campaign_id and seq = named.seq offset 0
    ) j`;
  return new Map(rows.map((row) => [row.campaign_id, Number(row.block_timestamp)]));
}

/** All versions of the policies of campaigns, in their order, by campaign. */
export async function loadPolicies(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Policy[]>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await sql<(PolicyRow & { campaign_id: string })[]>`
    select * from ledger.policy where campaign_id = any(${[...campaignIds]}::bigint[])
    order by campaign_id, version`;
  return byCampaign(rows, policyOfRow);
}
