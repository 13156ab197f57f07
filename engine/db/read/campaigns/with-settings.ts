import type { Address } from '../../../core/events.ts';
import { date, flag, nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type CampaignStatus, inStatus } from './filters.ts';
import { type CampaignView, campaignColumns, campaignOf, joinCampaign } from './rows.ts';

/** Row codec of `SettingsView`. */
export const settingsView = rowCodec({
  name: nullable(text).from('settings_name'),
  note: nullable(text).from('settings_note'),
  listed: flag.from('settings_listed'),
  /** True if buyers may pay with one signature. */
  oneSignature: flag.from('settings_one_signature'),
  /** `null` if they were never changed. */
  updatedAt: nullable(date).from('settings_updated_at'),
});

/** Settings of a campaign that only its merchant sees. */
export type SettingsView = View<typeof settingsView>;

/** A campaign as its merchant sees it. */
export interface CampaignWithSettings {
  readonly campaign: CampaignView;
  readonly settings: SettingsView;
}

interface OwnCampaignsQuery {
  readonly status: CampaignStatus | undefined;
  /** Id of the last campaign of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The campaigns of a merchant, including unlisted ones, newest first: one statement. */
export async function campaignsWithSettings(
  { sql, head }: Snapshot,
  merchant: Address,
  { status, after, limit }: OwnCampaignsQuery,
): Promise<CampaignWithSettings[]> {
  const rows = await sql<StoredRow[]>`
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
        settings.note as settings_note,
        coalesce(settings.listed, true) as settings_listed,
        coalesce(settings.one_signature, false) as settings_one_signature,
        settings.updated_at as settings_updated_at
      from ledger.campaign campaign ${joinCampaign(sql, head)}
      left join commerce.campaign_settings settings
        on settings.campaign_id = campaign.campaign_id and settings.merchant = campaign.merchant
      where campaign.campaign_id = page.campaign_id
      -- Each by its key: the planner must not read all campaigns in the order of the page.
      limit 1
    ) view on true
    order by page.campaign_id desc`;
  return rows.map((row) => ({
    campaign: campaignOf(row, head),
    settings: settingsView.decode(row),
  }));
}
