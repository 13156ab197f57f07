import type { Sql } from '../connection.ts';

/**
 * Takes a campaign out of the lists, or puts it back. It is still served by its id, with the reason.
 * @param reason for people; `null` where there is none.
 */
export async function setModeration(
  sql: Sql,
  campaignId: string,
  moderation: { readonly hidden: boolean; readonly reason: string | null },
): Promise<void> {
  await sql`
    insert into commerce.moderation (campaign_id, hidden, reason)
    values (${campaignId}, ${moderation.hidden}, ${moderation.reason})
    on conflict (campaign_id) do update set
      hidden = excluded.hidden, reason = excluded.reason, updated_at = now()`;
}
