import type { Address } from '../../../core/events.ts';
import { ledgerId } from '../../../db/ids.ts';
import { getCampaign } from '../../../db/read/campaigns/get.ts';
import { merchantsOf } from '../../../db/read/campaigns/merchants-of.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { HttpError, notFound } from '../../errors.ts';

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

/** A campaign that a request names, and the field that names it. */
interface NamedCampaign {
  readonly path: string;
  readonly campaignId: string;
}

/**
 * Ids of the campaigns that the caller named in `campaignIds`, without duplicates.
 * @throws {HttpError} NOT_FOUND naming each that does not exist at the block read, or else FORBIDDEN naming each
 * of another merchant.
 */
export async function requireOwnCampaignIds(
  snapshot: Snapshot,
  campaignIds: readonly string[],
  merchant: Address,
): Promise<string[]> {
  const named = campaignIds.map((campaignId, i) => ({ path: `campaignIds.${i}`, campaignId }));
  await requireOwn(snapshot, named, merchant);
  return [...new Set(campaignIds)];
}

/**
 * Checks a filter by one campaign, so that a wrong id is not an empty list.
 * @throws {HttpError} NOT_FOUND or FORBIDDEN naming `campaignId`, as `requireOwnCampaignIds` does.
 */
export async function requireOwnFilter(
  snapshot: Snapshot,
  campaignId: string | undefined,
  merchant: Address,
): Promise<void> {
  const named = campaignId === undefined ? [] : [{ path: 'campaignId', campaignId }];
  await requireOwn(snapshot, named, merchant);
}

async function requireOwn(
  snapshot: Snapshot,
  named: readonly NamedCampaign[],
  merchant: Address,
): Promise<void> {
  if (named.length === 0) return;
  const known = named.flatMap(({ campaignId }) => ledgerId(campaignId) ?? []);
  const merchants = await merchantsOf(snapshot, known);
  const unknown = named.filter(({ campaignId }) => !merchants.has(campaignId));
  if (unknown.length > 0) {
    const issues = unknown.map(({ path, campaignId }) => ({
      path,
      message: `there is no campaign ${campaignId}`,
    }));
    throw new HttpError('NOT_FOUND', 'A campaign does not exist: see issues.', issues);
  }
  const foreign = named.filter(({ campaignId }) => merchants.get(campaignId) !== merchant);
  if (foreign.length === 0) return;
  const issues = foreign.map(({ path, campaignId }) => ({
    path,
    message: `campaign ${campaignId} belongs to another merchant`,
  }));
  throw new HttpError('FORBIDDEN', 'A campaign belongs to another merchant: see issues.', issues);
}
