import type { z } from 'zod';
import { type CampaignDraft, CampaignDraftInput } from '../../contract/shapes/draft.ts';
import type { DraftView } from '../../db/read/campaigns/drafts.ts';
import { withLowerHex } from '../resources/publish/draft-input.ts';
import { publishIssues } from '../resources/publish/issues.ts';
import { missingOf } from '../resources/publish/missing.ts';

/** Draft as its merchant wrote it, addresses in lower case. */
export function draftInputOf({ draft, version }: DraftView): z.infer<typeof CampaignDraftInput> {
  return withLowerHex(CampaignDraftInput.parse({ ...draft, version }));
}

/**
 * Draft as its merchant reads it.
 * @param clock unix seconds of the settled block.
 */
export function campaignDraft(view: DraftView, clock: number): z.infer<typeof CampaignDraft> {
  const draft = draftInputOf(view);
  const { campaignId, product } = view;
  return {
    id: view.id,
    state: campaignId === null ? 'DRAFT_OFFCHAIN' : 'PUBLISHED',
    campaignId,
    draft,
    metadataHash: view.metadataHash,
    missing: missingOf(draft),
    issues: campaignId === null ? publishIssues(draft, { product, clock }) : [],
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}
