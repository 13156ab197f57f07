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
  readonly oneSignature?: boolean | undefined;
}

/** Changes what a merchant keeps of its campaign: one statement, so that no change is lost. The same values change nothing. */
export async function updateSettings(
  sql: Sql,
  { campaignId, merchant }: { readonly campaignId: string; readonly merchant: Address },
  { name, note, listed, oneSignature }: SettingsChange,
  now: Date,
): Promise<SettingsView> {
  const next = {
    name: name === undefined ? sql`settings.name` : sql`excluded.name`,
    note: note === undefined ? sql`settings.note` : sql`excluded.note`,
    listed: listed === undefined ? sql`settings.listed` : sql`excluded.listed`,
    oneSignature:
      oneSignature === undefined ? sql`settings.one_signature` : sql`excluded.one_signature`,
  };
  const ofCampaign = sql`
    from commerce.campaign_settings settings
    where settings.campaign_id = ${campaignId} and settings.merchant = ${merchant}`;
  const isDefault =
    (name ?? null) === null && (note ?? null) === null && listed !== false && !oneSignature;
  const written = await sql<StoredRow[]>`
    insert into commerce.campaign_settings as settings
      (campaign_id, merchant, name, note, listed, one_signature, updated_at)
    select ${campaignId}::bigint, ${merchant}, ${name ?? null}, ${note ?? null},
      ${listed ?? true}, ${oneSignature ?? false}, ${now.toISOString()}::timestamptz
    where ${!isDefault} or exists (select 1 ${ofCampaign})
    on conflict (campaign_id, merchant) do update set name = ${next.name}, note = ${next.note},
      listed = ${next.listed}, one_signature = ${next.oneSignature}, updated_at = excluded.updated_at
    where row (settings.name, settings.note, settings.listed, settings.one_signature)
      is distinct from row (${next.name}, ${next.note}, ${next.listed}, ${next.oneSignature})
    returning ${settingsColumns(sql)}`;
  const [row] =
    written.length > 0
      ? written
      : await sql<StoredRow[]>`
    select ${settingsColumns(sql)} ${ofCampaign}`;
  return row === undefined ? neverChanged : settingsView.decode(row);
}

const neverChanged: SettingsView = {
  name: null,
  note: null,
  listed: true,
  oneSignature: false,
  updatedAt: null,
};

function settingsColumns(sql: Sql) {
  return sql`settings.name as settings_name, settings.note as settings_note,
    settings.listed as settings_listed, settings.one_signature as settings_one_signature,
    settings.updated_at as settings_updated_at`;
}
