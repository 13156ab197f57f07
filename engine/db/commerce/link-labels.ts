import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

/** A link with its owner. */
export interface OwnedLink {
  /** Lower case. */
  readonly owner: Address;
  readonly campaignId: string;
  readonly nodeId: string;
}

/** Sets the label of a link; `null` removes it. */
export async function setLinkLabel(
  sql: Sql,
  { owner, campaignId, nodeId }: OwnedLink,
  label: string | null,
  now: Date,
): Promise<void> {
  if (label === null) {
    await sql`
      delete from commerce.link_label
      where owner = ${owner} and campaign_id = ${campaignId} and node_id = ${nodeId}`;
    return;
  }
  await sql`
    insert into commerce.link_label (owner, campaign_id, node_id, label, updated_at)
    values (${owner}, ${campaignId}, ${nodeId}, ${label}, ${now.toISOString()}::timestamptz)
    on conflict (owner, campaign_id, node_id)
      do update set label = excluded.label, updated_at = excluded.updated_at`;
}
