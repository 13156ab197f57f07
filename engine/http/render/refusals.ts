import type { CheckoutPreview } from '../../contract/shapes/checkout.ts';
import { recordedSales } from '../../core/campaign.ts';
import type { CampaignView } from '../../db/read/campaign-rows.ts';
import { isoTime } from './time.ts';

type Refusal = CheckoutPreview['refusals'][number];

/**
 * Why a campaign's product cannot be bought at a time; empty where it can. The contract's own
 * reasons first, as it checks them (design §3), then those of this service.
 * @param clock unix seconds of the block read.
 */
export function refusalsOf(campaign: CampaignView, clock: number): Refusal[] {
  const { standing, startsAt, trustMode, moderation, seller } = campaign;
  const refusals: Refusal[] = [];
  const refuse = (code: Refusal['code'], message: string) => refusals.push({ code, message });
  if (trustMode !== 'NATIVE_ONCHAIN') {
    refuse(
      'PAID_ELSEWHERE',
      `Sales of this campaign are paid elsewhere and attested: ${trustMode}.`,
    );
  }
  const state = stateRefusal(campaign, clock);
  if (state !== undefined) refusals.push(state);
  if (clock < startsAt) {
    refuse('NOT_STARTED', `The campaign sells from ${isoTime(startsAt)} on.`);
  }
  if (recordedSales(standing.counts) >= standing.saleCapacity) {
    refuse('SOLD_OUT', `All ${standing.saleCapacity} sales of the campaign are made.`);
  }
  if (moderation.hidden) {
    refuse('HIDDEN', moderation.reason ?? 'This service does not show the campaign any more.');
  }
  if (seller.profile?.closed) {
    refuse('MERCHANT_CLOSED', `${seller.profile.name} sells no more through this service.`);
  }
  return refusals;
}

function stateRefusal(campaign: CampaignView, clock: number): Refusal | undefined {
  switch (campaign.state) {
    case 'FUNDED_ACTIVE':
      return undefined;
    case 'CREATED_UNFUNDED':
      return { code: 'NOT_FUNDED', message: 'Nobody has funded the campaign’s rewards yet.' };
    case 'PAUSED':
      return { code: 'PAUSED', message: 'The merchant has paused the campaign.' };
    case 'ENDED':
      return { code: 'ENDED', message: 'The merchant has ended the campaign.' };
    case 'EXPIRED': {
      const by = clock >= campaign.endsAt ? campaign.endsAt : campaign.policy.expiry;
      return { code: 'EXPIRED', message: `The campaign expired at ${isoTime(by)}.` };
    }
  }
}
