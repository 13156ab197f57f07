import type { z } from 'zod';
import { type CampaignDraft, CampaignDraftInput } from '../../contract/shapes/draft.ts';
import type { DraftView } from '../../db/read/campaigns/drafts.ts';
import { missingOf } from '../resources/publish/missing.ts';

/** Draft as its merchant wrote it. */
export function draftInputOf({ draft, version }: DraftView): z.infer<typeof CampaignDraftInput> {
  return CampaignDraftInput.parse({ ...draft, version });
}

export function campaignDraft(view: DraftView): z.infer<typeof CampaignDraft> {
  const draft = draftInputOf(view);
  return {
    id: view.id,
    state: view.campaignId === null ? 'DRAFT_OFFCHAIN' : 'PUBLISHED',
    campaignId: view.campaignId,
    draft,
    metadataHash: view.metadataHash,
    missing: missingOf(draft),
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}
