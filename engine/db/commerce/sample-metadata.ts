import type { Pool } from '../connection.ts';
import type { PreparedMetadata } from './campaign-drafts.ts';

/** Metadata of a campaign that was created without a draft of this database. */
type SampleMetadata = Omit<PreparedMetadata, 'draftKey' | 'now'>;

/**
 * Writes the texts behind the metadata hashes of campaigns, for the sample alone: its history is on the chain
 * before the service runs. Texts that are stored stay.
 * @param at when they were prepared.
 */
export async function writeSampleMetadata(
  pool: Pool,
  texts: readonly SampleMetadata[],
  at: Date,
): Promise<void> {
  const rows = texts.map(({ merchant, metadataHash, content, product }) => ({
    merchant,
    metadata_hash: metadataHash,
    content,
    product_id: product.id,
    product_version: product.version,
    prepared_at: at.toISOString(),
  }));
  await pool`
    insert into commerce.campaign_metadata ${pool(rows)}
    on conflict (merchant, metadata_hash) do nothing`;
}
