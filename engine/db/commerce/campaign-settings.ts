import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { type SettingsView, settingsView } from '../read/campaigns/with-settings.ts';
import type { StoredRow } from '../row.ts';

/** Settings to change; fields that are left out stay. */
export interface SettingsChange {
  /** `null` empties. */
  readonly name?: string | null | undefined;
  readonly note?: string | null | undefined;
  readonly listed?: boolean | undefined;
}

/** Changes what a merchant keeps of its campaign: one statement, so that no change is lost. */
export async function updateSettings(
  sql: Sql,
  campaign: { readonly campaignId: string; readonly merchant: Address },
  { name, note, listed }: SettingsChange,
  now: Date,
): Promise<SettingsView> {
  const at = now.toISOString();
  const [row] = await sql<StoredRow[]>`
    insert into commerce.campaign_settings as settings
      (campaign_id, merchant, name, note, listed, updated_at)
    values (${campaign.campaignId}, ${campaign.merchant}, ${name ?? null}, ${note ?? null},
      ${listed ?? true}, ${at}::timestamptz)
    on conflict (campaign_id, merchant) do update set updated_at = excluded.updated_at
      ${name === undefined ? sql`` : sql`, name = excluded.name`}
      ${note === undefined ? sql`` : sql`, note = excluded.note`}
      ${listed === undefined ? sql`` : sql`, listed = excluded.listed`}
    returning name as settings_name, note as settings_note, listed as settings_listed,
      updated_at as settings_updated_at`;
  if (row === undefined) throw new Error('Settings were written, and no row came back.');
  return settingsView.decode(row);
}
