import type { z } from 'zod';
import type { CampaignSettings, OwnCampaign } from '../../contract/shapes/draft.ts';
import type { DraftView } from '../../db/read/campaigns/drafts.ts';
import type { CampaignWithSettings, SettingsView } from '../../db/read/campaigns/with-settings.ts';
import type { ServedDeployment } from '../deps.ts';
import { campaignSummary } from './campaign.ts';
import { campaignDraft } from './draft.ts';

export function campaignSettings(
  campaignId: string,
  { updatedAt, ...settings }: SettingsView,
): z.infer<typeof CampaignSettings> {
  return { campaignId, ...settings, updatedAt: updatedAt?.toISOString() ?? null };
}

/** Campaign in the list of its merchant's own. */
export function ownCampaign(
  deployment: ServedDeployment,
  { campaign, settings }: CampaignWithSettings,
): z.infer<typeof OwnCampaign> {
  const { pending, finalized, refunded } = campaign.snapshot.counts;
  return {
    kind: 'campaign',
    state: campaign.state,
    campaign: campaignSummary(deployment, campaign),
    draft: null,
    settings: campaignSettings(campaign.campaignId, settings),
    counts: { pending, finalized, refunded },
  };
}

/**
 * Draft in the list of its merchant's own campaigns.
 * @param clock unix seconds of the settled block.
 */
export function ownDraft(draft: DraftView, clock: number): z.infer<typeof OwnCampaign> {
  return {
    kind: 'draft',
    state: 'DRAFT_OFFCHAIN',
    campaign: null,
    draft: campaignDraft(draft, clock),
    settings: null,
    counts: null,
  };
}
