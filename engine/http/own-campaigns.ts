import type { Address } from '../core/events.ts';
import { ledgerId } from '../db/read/ids.ts';
import { campaignsOfMerchant } from '../db/read/merchant-campaigns.ts';
import type { Snapshot } from '../db/read/snapshot.ts';
import { UnprocessableError } from './errors.ts';

/**
 * The campaigns that the caller named in `campaignIds`, each once.
 * @throws {UnprocessableError} naming each that is not the caller's at the settled block.
 */
export async function readOwnCampaigns(
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
      : [{ path: `campaignIds.${i}`, message: `${campaignIds[i]} is no campaign of yours` }],
  );
  if (issues.length > 0) throw new UnprocessableError('Some campaigns are not yours.', issues);
  return [...own];
}
