import type { Address } from '../../core/events.ts';
import { type CampaignStatus, inStatus } from './campaign-filters.ts';
import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** What a merchant keeps of its campaign. */
export interface SettingsView {
  readonly name: string | null;
  readonly note: string | null;
  readonly listed: boolean;
  /** `null` where they never changed. */
  readonly updatedAt: Date | null;
}

export interface SettingsRow {
  settings_name: string | null;
  settings_note: string | null;
  settings_listed: boolean | null;
  settings_updated_at: Date | null;
}

export function settingsOf(row: SettingsRow): SettingsView {
  return {
    name: row.settings_name,
    note: row.settings_note,
    listed: row.settings_listed ?? true,
    updatedAt: row.settings_updated_at,
  };
}

/** A campaign as its merchant sees it. */
export interface CampaignWithSettings {
  readonly campaign: CampaignView;
  readonly settings: SettingsView;
}

interface OwnCampaignsQuery {
  readonly status: CampaignStatus | undefined;
  /** Id of the last campaign of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The campaigns of a merchant, newest first, those that no list shows included: one statement. */
export async function campaignsWithSettings(
  { sql, head }: Snapshot,
  merchant: Address,
  { status, after, limit }: OwnCampaignsQuery,
): Promise<CampaignWithSettings[]> {
  const rows = await sql<(CampaignRow & SettingsRow)[]>`
    with page as materialized (
      select campaign.campaign_id from ledger.campaign campaign
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        and campaign.policy_version is not null
        ${status === undefined ? sql`` : sql`and ${inStatus(sql, head.timestamp, status)}`}
        ${after === undefined ? sql`` : sql`and campaign.campaign_id < ${after}::bigint`}
      order by campaign.campaign_id desc limit ${limit}
    )
    select view.* from page
    join lateral (
      select ${campaignColumns(sql)}, settings.name as settings_name,
        settings.note as settings_note, settings.listed as settings_listed,
        settings.updated_at as settings_updated_at
      from ledger.campaign campaign ${campaignJoins(sql, head)}
      left join commerce.campaign_settings settings
        on settings.campaign_id = campaign.campaign_id and settings.merchant = campaign.merchant
      where campaign.campaign_id = page.campaign_id
      -- One by one, by their keys: never all campaigns in the order of the page.
      limit 1
    ) view on true
    order by page.campaign_id desc`;
  return rows.map((row) => ({ campaign: campaignOf(row, head), settings: settingsOf(row) }));
}
