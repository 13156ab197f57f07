import type { Address } from '../../../core/events.ts';
import { ledgerId } from '../../../db/ids.ts';
import { getCampaign } from '../../../db/read/campaigns/get.ts';
import { campaignsOfMerchant } from '../../../db/read/campaigns/of-merchant.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { HttpError, notFound, unprocessable } from '../../errors.ts';

/**
 * Campaign of that id at the block read.
 * @throws {HttpError} NOT_FOUND if there is none.
 */
export async function requireCampaign(
  snapshot: Snapshot,
  campaignId: string,
): Promise<CampaignView> {
  const campaign = await getCampaign(snapshot, campaignId);
  if (campaign === undefined) throw notFound(`There is no campaign ${campaignId}.`);
  return campaign;
}

/**
 * Campaign of that id, which must be the merchant's own.
 * @throws {HttpError} NOT_FOUND if there is none at the block read.
 * @throws {HttpError} FORBIDDEN if it belongs to another merchant. Campaigns are public, so that is no secret.
 */
export async function requireOwnCampaign(
  snapshot: Snapshot,
  campaignId: string,
  merchant: Address,
): Promise<CampaignView> {
  const campaign = await requireCampaign(snapshot, campaignId);
  if (campaign.merchant !== merchant) {
    throw new HttpError('FORBIDDEN', `Campaign ${campaignId} belongs to another merchant.`);
  }
  return campaign;
}

/**
 * Ids of the campaigns that the caller named in `campaignIds`, without duplicates.
 * @throws {HttpError} UNPROCESSABLE naming each campaign that is not the merchant's at the block read.
 */
export async function requireOwnCampaignIds(
  snapshot: Snapshot,
  campaignIds: readonly string[],
  merchant: Address,
): Promise<string[]> {
  if (campaignIds.length === 0) return [];
  const ids = campaignIds.map(ledgerId);
  const known = ids.filter((id) => id !== undefined);
  const own = await campaignsOfMerchant(snapshot, merchant, known);
  const issues = ids.flatMap((id, i) =>
    id !== undefined && own.has(id)
      ? []
      : [{ path: `campaignIds.${i}`, message: `${campaignIds[i]} is not a campaign of yours` }],
  );
  if (issues.length > 0) throw unprocessable('Some campaigns are not yours.', issues);
  return [...own];
}
