import { date, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const metadataView = rowCodec({ content: text, preparedAt: date });

/** The text whose hash is a campaign's `metadataHash`. */
export type MetadataView = View<typeof metadataView>;

/** The text of a campaign's `metadataHash`; `undefined` if its merchant did not prepare it here. */
export async function campaignMetadata(
  { sql }: Snapshot,
  { merchant, metadataHash }: Pick<CampaignView, 'merchant' | 'metadataHash'>,
): Promise<MetadataView | undefined> {
  const [row] = await sql<StoredRow[]>`
    select content, prepared_at from commerce.campaign_metadata
    where merchant = ${merchant} and metadata_hash = ${metadataHash}`;
  return row && metadataView.decode(row);
}
