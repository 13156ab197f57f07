import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import {
  address,
  amount,
  as,
  date,
  flag,
  hex,
  id,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import { joinProductToSell, productToSell, productToSellColumns } from '../products/to-sell.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';

const draftView = rowCodec({
  /** The order of lists: higher is newer. */
  key: id,
  id: text,
  version: small,
  /** As its merchant wrote it, without the version. */
  draft: as<Readonly<Record<string, unknown>>>(),
  /** The hash of its campaign, or else the newest that it was prepared with; `null` before the first. */
  metadataHash: nullable(hex),
  /** `null` until the campaign is in the ledger, at the settled block. */
  campaignId: nullable(id),
  createdAt: date,
  updatedAt: date,
  /** The product that it names; `null` if it names none of its merchant's. */
  product: optional(productToSell.fields),
});

/** A draft of a campaign, and the campaign that it became. */
export type DraftView = View<typeof draftView>;

/** A draft of a merchant; `undefined` if the merchant has none of that id. */
export async function getDraft(
  { sql, head }: Snapshot,
  merchant: Address,
  id: string,
): Promise<DraftView | undefined> {
  const [row] = await sql<StoredRow[]>`
    ${linkedDrafts(sql, head)} where draft.merchant = ${merchant} and draft.id = ${id}`;
  return row && draftView.decode(row);
}

/** Drafts of a merchant that are not campaigns yet, newest first. */
export async function openDrafts(
  { sql, head }: Snapshot,
  merchant: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<DraftView[]> {
  const rows = await sql<StoredRow[]>`
    ${linkedDrafts(sql, head)}
    where draft.merchant = ${merchant} and published.campaign_id is null
      ${after === undefined ? sql`` : sql`and draft.key < ${after}::bigint`}
    order by draft.key desc limit ${limit}`;
  return rows.map(draftView.decode);
}

/**
 * Drafts, each with the campaign that it became: the first campaign of its merchant with a metadata hash
 * that the draft was prepared with.
 */
function linkedDrafts(sql: Sql, head: ReadHead) {
  return sql`
    select draft.key, draft.id, draft.version, draft.draft, draft.created_at, draft.updated_at,
      published.campaign_id,
      coalesce(published.metadata_hash, prepared.metadata_hash) as metadata_hash,
      ${productToSellColumns(sql)}
    from commerce.campaign_draft draft
    ${joinProductToSell(sql)}
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

const publishedDraftView = rowCodec({
  campaignId: id,
  termsHash: hex,
  salt: hex,
  token: address,
  skuHash: hex,
  metadataHash: hex,
  eligibilityHash: hex,
  policyHash: hex,
  /** Base units that the draft wanted to deposit when it was prepared. */
  funding: amount,
  /** True if its merchant has made a deposit since. */
  funded: flag,
});

/** The campaign that a draft became, with what the chain registered at its creation. */
export type PublishedDraft = View<typeof publishedDraftView>;

/** The campaign of a draft; `undefined` if there is none at the settled block. */
export async function publishedDraft(
  { sql, head }: Snapshot,
  merchant: Address,
  { campaignId }: Pick<DraftView, 'campaignId'>,
): Promise<PublishedDraft | undefined> {
  if (campaignId === null) return undefined;
  const [row] = await sql<StoredRow[]>`
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
  return row && publishedDraftView.decode(row);
}
