import { updateSettings as writeSettings } from '../../../db/commerce/campaign-settings.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler.ts';
import { readOwnCampaign } from '../../own-campaign.ts';
import { campaignSettings } from '../../render/own-campaign.ts';

/** `campaigns.updateSettings`: changes what this service keeps of a campaign of one's own. */
export const updateSettings: Handler<'campaigns.updateSettings'> = async (input, deps, caller) => {
  const { campaignId: id, ...change } = input;
  const { address: merchant } = caller.session;
  const { campaignId } = await readLedger(deps.pool, (snapshot) =>
    readOwnCampaign(snapshot, id, merchant),
  );
  const now = new Date(deps.clock());
  const settings = await writeSettings(deps.pool, { campaignId, merchant }, change, now);
  return { data: campaignSettings(campaignId, settings) };
};
