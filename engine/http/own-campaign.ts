import type { Address } from '../core/events.ts';
import type { CampaignView } from '../db/read/campaign-rows.ts';
import { getCampaign } from '../db/read/get-campaign.ts';
import type { Snapshot } from '../db/read/snapshot.ts';
import { ForbiddenError, NotFoundError } from './errors.ts';

/**
 * A campaign for its merchant alone. Campaigns are public, so another's is no secret.
 * @throws {NotFoundError} where there is none of that id at the settled block.
 * @throws {ForbiddenError} where it is another merchant's.
 */
export async function readOwnCampaign(
  snapshot: Snapshot,
  campaignId: string,
  merchant: Address,
): Promise<CampaignView> {
  const campaign = await getCampaign(snapshot, campaignId);
  if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
  if (campaign.merchant !== merchant) {
    throw new ForbiddenError(`Campaign ${campaignId} is another merchant’s.`);
  }
  return campaign;
}
