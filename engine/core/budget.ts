import { max, min } from './amounts.ts';
import { type CampaignLedger, type LiabilityField, liabilityOf } from './campaign.ts';
import { BPS_WHOLE, type SplitPolicy } from './split.ts';

/**
 * Number of sales at a price (base units) whose rewards a campaign can still pay in full by a policy, until
 * the vault is empty or the campaign's liability cap is reached.
 * @returns `null` if there is no limit, because the reward of a sale rounds to nothing.
 */
export function coveredSales(
  price: bigint,
  policy: Pick<SplitPolicy, 'commissionBps' | 'perSaleCap' | 'campaignLiabilityCap'>,
  ledger: Pick<CampaignLedger, 'available' | LiabilityField>,
): bigint | null {
  const gross = (price * BigInt(policy.commissionBps)) / BPS_WHOLE;
  const perSale = min(gross, policy.perSaleCap);
  const room = min(ledger.available, policy.campaignLiabilityCap - liabilityOf(ledger));
  return perSale === 0n ? null : max(0n, room) / perSale;
}
