import { updateSettings as writeSettings } from '../../../db/commerce/campaign-settings.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { campaignSettings } from '../../render/own-campaign.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `campaigns.updateSettings`: changes the caller's own settings of one of its campaigns. */
export const updateSettings: Handler<'campaigns.updateSettings'> = async (input, deps, caller) => {
  const { campaignId: id, ...change } = input;
  const { merchant } = caller;
  const { campaignId } = await readLedger(deps.pool, (snapshot) =>
    requireOwnCampaign(snapshot, id, merchant),
  );
  const now = new Date(deps.clock());
  const settings = await writeSettings(deps.pool, { campaignId, merchant }, change, now);
  return { data: campaignSettings(campaignId, settings) };
};
