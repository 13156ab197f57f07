import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';

/** A draft, and the campaign that it became. */
export interface DraftView {
  /** The order of lists: higher is newer. */
  readonly key: string;
  readonly id: string;
  readonly version: number;
  /** As its merchant wrote it, without the version. */
  readonly draft: Readonly<Record<string, unknown>>;
  /** Of its campaign, or else the newest that it was prepared with; `null` before the first. */
  readonly metadataHash: Hex | null;
  /** `null` until the campaign is in the ledger, at the settled block. */
  readonly campaignId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DraftRow {
  key: string;
  id: string;
  version: number;
  draft: Record<string, unknown>;
  metadata_hash: Hex | null;
  campaign_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Of `draft`. */
export function draftColumns(sql: Sql) {
  return sql`
    draft.key, draft.id, draft.version, draft.draft, draft.created_at, draft.updated_at`;
}

export function draftOf(row: DraftRow): DraftView {
  return {
    key: row.key,
    id: row.id,
    version: row.version,
    draft: row.draft,
    metadataHash: row.metadata_hash,
    campaignId: row.campaign_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** @returns `undefined` where the merchant has none of that id. */
export async function getDraft(
  { sql, head }: Snapshot,
  merchant: Address,
  id: string,
): Promise<DraftView | undefined> {
  const [row] = await sql<DraftRow[]>`
    ${linkedDrafts(sql, head)} where draft.merchant = ${merchant} and draft.id = ${id}`;
  return row && draftOf(row);
}

/** Drafts that are no campaigns yet, newest first. */
export async function openDrafts(
  { sql, head }: Snapshot,
  merchant: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<DraftView[]> {
  const rows = await sql<DraftRow[]>`
    ${linkedDrafts(sql, head)}
    where draft.merchant = ${merchant} and published.campaign_id is null
      ${after === undefined ? sql`` : sql`and draft.key < ${after}::bigint`}
    order by draft.key desc limit ${limit}`;
  return rows.map(draftOf);
}

/**
 * Drafts with what became of them: the first campaign of their merchant with a metadataHash that they
 * were prepared with (design §7).
 */
function linkedDrafts(sql: Sql, head: ReadHead) {
  return sql`
    select ${draftColumns(sql)}, published.campaign_id,
      coalesce(published.metadata_hash, prepared.metadata_hash) as metadata_hash
    from commerce.campaign_draft draft
    left join lateral (
      select metadata_hash from commerce.campaign_metadata
      where draft_key = draft.key order by prepared_at desc limit 1
    ) prepared on true
    left join lateral (
      select campaign.campaign_id, campaign.metadata_hash
      from commerce.campaign_metadata known
      join ledger.campaign campaign
        on campaign.metadata_hash = known.metadata_hash and campaign.merchant = known.merchant
      where known.draft_key = draft.key and campaign.created_block <= ${head.number}
      order by campaign.campaign_id limit 1
    ) published on true`;
}

/** The campaign that a draft became, with what the chain registered at its creation. */
export interface PublishedDraft {
  readonly campaignId: string;
  readonly termsHash: Hex;
  readonly salt: Hex;
  readonly token: Address;
  readonly skuHash: Hex;
  readonly metadataHash: Hex;
  readonly eligibilityHash: Hex;
  readonly policyHash: Hex;
  /** Base units that the draft wanted to deposit when it was prepared. */
  readonly funding: bigint;
  /** Whether its merchant has deposited since. */
  readonly funded: boolean;
}

/** @returns `undefined` where it is no campaign at the settled block. */
export async function publishedDraft(
  { sql, head }: Snapshot,
  merchant: Address,
  { campaignId }: Pick<DraftView, 'campaignId'>,
): Promise<PublishedDraft | undefined> {
  if (campaignId === null) return undefined;
  const [row] = await sql<
    {
      campaign_id: string;
      terms_hash: Hex;
      salt: Hex;
      token: Address;
      sku_hash: Hex;
      metadata_hash: Hex;
      eligibility_hash: Hex;
      policy_hash: Hex;
      funding: string;
      funded: boolean;
    }[]
  >`
    select campaign.campaign_id, campaign.terms_hash, campaign.salt, campaign.token,
      campaign.sku_hash, campaign.metadata_hash,
      policy.eligibility_hash, policy.policy_hash, known.content::jsonb ->> 'funding' as funding,
      exists (
        select 1 from ledger.journal
        where campaign_id = campaign.campaign_id and name = 'CampaignFunded'
          and args ->> 'account' = ${merchant} and block_number <= ${head.number}
      ) as funded
    from ledger.campaign campaign
    join commerce.campaign_metadata known
      on known.merchant = campaign.merchant and known.metadata_hash = campaign.metadata_hash
    join ledger.policy policy on policy.campaign_id = campaign.campaign_id and policy.version = 1
    where campaign.campaign_id = ${campaignId} and campaign.merchant = ${merchant}
      and campaign.created_block <= ${head.number}`;
  return (
    row && {
      campaignId: row.campaign_id,
      termsHash: row.terms_hash,
      salt: row.salt,
      token: row.token,
      skuHash: row.sku_hash,
      metadataHash: row.metadata_hash,
      eligibilityHash: row.eligibility_hash,
      policyHash: row.policy_hash,
      funding: BigInt(row.funding),
      funded: row.funded,
    }
  );
}
