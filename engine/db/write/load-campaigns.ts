import type { Campaign, Policy } from '../../core/campaign.ts';
import type { Sql } from '../connection.ts';
import { groupByCampaign } from '../group-by.ts';
import { fence } from '../planner.ts';
import { id, rowCodec, type StoredRow, seconds, type View } from '../row.ts';
import { campaignRow, campaignStateRow, policyRow } from '../rows/campaign.ts';
import type { Cursor } from './cursor.ts';
import { unnestSql } from './statements.ts';

const loadedCampaign = rowCodec({
  campaign: campaignRow.fields,
  snapshot: campaignStateRow.fields,
});

/** A campaign in its state after the newest folded event. */
export type LoadedCampaign = View<typeof loadedCampaign> & { readonly campaign: Campaign };

/** Reads campaigns; the result is by campaign id. */
export async function loadCampaigns(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedCampaign>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select * from ledger.campaign where campaign_id = any(${[...campaignIds]}::bigint[])`;
  return new Map(
    rows.map(loadedCampaign.decode).map((loaded) => [loaded.campaign.campaignId, loaded]),
  );
}

/** @throws if the cursor has events and the campaign has no row: the ledger is damaged. */
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

const eventTime = rowCodec({ campaignId: id, blockTimestamp: seconds });

/** Reads the block times of one event of each campaign, unix seconds; the result is by campaign id. */
export async function eventTimes(
  sql: Sql,
  events: readonly Pick<Cursor, 'campaignId' | 'seq'>[],
): Promise<ReadonlyMap<string, number>> {
  const named = events.map(({ campaignId, seq }) => ({ campaign_id: campaignId, seq }));
  const rows = await sql<StoredRow[]>`
    select j.campaign_id, j.block_timestamp
    from ${unnestSql(sql, 'named', { campaign_id: 'bigint', seq: 'bigint' }, named)}
    cross join lateral (
      select campaign_id, block_timestamp from ledger.journal
      where campaign_id = named.campaign_id and seq = named.seq ${fence(sql)}
    ) j`;
  const times = rows.map(eventTime.decode);
  return new Map(times.map((time) => [time.campaignId, time.blockTimestamp]));
}

/** Reads all policies of campaigns in the order of their versions; the result is by campaign id. */
export async function loadPolicies(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Policy[]>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await sql<StoredRow[]>`
    select * from ledger.policy where campaign_id = any(${[...campaignIds]}::bigint[])
    order by campaign_id, version`;
  return groupByCampaign(rows, policyRow.decode);
}
