import type { Address, Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';

/** Drafts that a merchant may have, published ones included. */
export const MAX_DRAFTS = 200;

/** Different ways in which one draft may be prepared. */
export const MAX_PREPARED = 100;

export interface DraftToSave {
  readonly merchant: Address;
  readonly id: string;
  /** The version that the merchant read; 0 for a new draft. */
  readonly version: number;
  /** The draft as JSON text. */
  readonly json: string;
  readonly now: Date;
}

export type SavedDraft =
  | { readonly outcome: 'saved' }
  /** There is none of that id to change. */
  | { readonly outcome: 'missing' }
  /** Somebody was faster: that is its version now. */
  | { readonly outcome: 'changed'; readonly version: number }
  /** The merchant has as many as it may. */
  | { readonly outcome: 'full' };

/**
 * Writes a draft over the version that was read, or a new one. The content that is stored already changes
 * nothing. It may also come with the version before: then it repeats the save that made the present version,
 * whose answer was lost.
 * @param sql a transaction that holds the lock of the merchant's profile: saves of one merchant go one
 * after the other, so that none gets past the most it may have.
 */
export async function saveDraft(sql: Sql, save: DraftToSave): Promise<SavedDraft> {
  const [known] = await sql<{ version: number; same: boolean }[]>`
    select version, draft = ${save.json}::text::jsonb as same from commerce.campaign_draft
    where merchant = ${save.merchant} and id = ${save.id} for update`;
  if (known === undefined && save.version > 0) return { outcome: 'missing' };
  if (known !== undefined) {
    const { version, same } = known;
    if (same && (save.version === version || save.version === version - 1)) {
      return { outcome: 'saved' };
    }
    if (save.version !== version) return { outcome: 'changed', version };
  }
  if (known === undefined && (await isFull(sql, save.merchant))) return { outcome: 'full' };
  const now = save.now.toISOString();
  await sql`
    insert into commerce.campaign_draft as draft
      (merchant, id, version, draft, created_at, updated_at)
    values (${save.merchant}, ${save.id}, 1, ${save.json}::text::jsonb, ${now}::timestamptz,
      ${now}::timestamptz)
    on conflict (merchant, id) do update set version = draft.version + 1,
      draft = excluded.draft, updated_at = excluded.updated_at`;
  return { outcome: 'saved' };
}

async function isFull(sql: Sql, merchant: Address): Promise<boolean> {
  const [row] = await sql<{ full: boolean }[]>`
    select count(*) >= ${MAX_DRAFTS} as full from commerce.campaign_draft
    where merchant = ${merchant}`;
  return row?.full === true;
}

/** @returns whether there was one. */
export async function deleteDraft(sql: Sql, merchant: Address, id: string): Promise<boolean> {
  const rows = await sql`
    delete from commerce.campaign_draft where merchant = ${merchant} and id = ${id} returning 1`;
  return rows.length > 0;
}

/**
 * The salt of a draft's campaign: stored when the draft is first prepared, so that every preparation
 * names the same terms.
 * @param proposed what is stored if the draft has none yet.
 * @returns `undefined` if the draft was deleted.
 */
export async function keepSalt(
  pool: Pool,
  { key, merchant }: { readonly key: string; readonly merchant: Address },
  proposed: Hex,
): Promise<Hex | undefined> {
  const [row] = await pool<{ salt: Hex }[]>`
    update commerce.campaign_draft set salt = coalesce(salt, ${proposed})
    where key = ${key} and merchant = ${merchant} returning salt`;
  return row?.salt;
}

export interface PreparedMetadata {
  readonly merchant: Address;
  readonly draftKey: string;
  readonly metadataHash: Hex;
  /** The text that it is the hash of. */
  readonly content: string;
  readonly product: { readonly id: string; readonly version: number };
  readonly now: Date;
}

/**
 * Stores a hash that a draft was prepared with, in addition to earlier ones; a hash that is stored already
 * becomes the newest.
 * @returns false if the draft has the maximum number of hashes, or was deleted.
 */
export async function savePrepared(pool: Pool, prepared: PreparedMetadata): Promise<boolean> {
  const { merchant, draftKey, metadataHash, product } = prepared;
  return await pool.begin(async (sql) => {
    // Its lock makes the preparations of one draft go one after the other.
    const [draft] = await sql<{ key: string }[]>`
      select key from commerce.campaign_draft
      where key = ${draftKey} and merchant = ${merchant} for update`;
    if (draft === undefined) return false;
    const rows = await sql`
      insert into commerce.campaign_metadata
        (merchant, metadata_hash, draft_key, content, product_id, product_version, prepared_at)
      select ${merchant}, ${metadataHash}, ${draftKey}, ${prepared.content}, ${product.id},
        ${product.version}, ${prepared.now.toISOString()}::timestamptz
      where ${MAX_PREPARED} > (
        select count(*) from commerce.campaign_metadata
        where draft_key = ${draftKey} and metadata_hash <> ${metadataHash}
      )
      on conflict (merchant, metadata_hash) do update set prepared_at = excluded.prepared_at
      returning 1`;
    return rows.length > 0;
  });
}
