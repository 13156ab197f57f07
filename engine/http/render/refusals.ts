import type { CheckoutPreview } from '../../contract/shapes/checkout.ts';
import { recordedSales } from '../../core/campaign.ts';
import { type BuyRefusal, buyRefusals, type TakesSales } from '../../core/checkout.ts';
import { countOf } from '../../core/count-of.ts';
import type { Address } from '../../core/events.ts';
import { selfReferralOf } from '../../core/self-referral.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { NodeView } from '../../db/read/graph/nodes.ts';
import { isoTime } from './time.ts';

/**
 * Reasons why a campaign's product cannot be bought (`buyRefusals`), each with a sentence for the buyer.
 * @param clock unix seconds of the block read.
 */
export function refusalsOf(campaign: CampaignView, clock: number): CheckoutPreview['refusals'] {
  const { trustMode } = campaign;
  return buyRefusals({ ...takesSales(campaign), trustMode }, clock).map((code) => ({
    code,
    message: sentenceOf(code, campaign, clock),
  }));
}

/**
 * Reason why the buyer may not buy through a link, if the policy excludes self-referral: the buyer owns a node
 * that the sale would reward.
 * @param path rewarded nodes, starting with the one that sells.
 */
export function selfReferralRefusal(
  { policy }: Pick<CampaignView, 'policy'>,
  path: readonly Pick<NodeView, 'nodeId' | 'owner'>[],
  buyer: Address,
): CheckoutPreview['refusals'] {
  const [owned] = selfReferralOf({ buyer, path });
  if (!policy.excludesSelfReferral || owned === undefined) return [];
  const message = `The policy of this campaign refuses self-referral, and the buyer owns link ${owned}, which the sale would reward. Without a link the price is the same.`;
  return [{ code: 'SELF_REFERRAL', message }];
}

/** Facts that decide whether a campaign takes sales. */
export function takesSales(campaign: CampaignView): TakesSales {
  const { snapshot, startsAt, state, moderation, seller } = campaign;
  return {
    state,
    startsAt,
    sales: recordedSales(snapshot.counts),
    saleCapacity: snapshot.saleCapacity,
    hidden: moderation.hidden,
    merchantClosed: seller.profile?.closed === true,
  };
}

function sentenceOf(code: BuyRefusal, campaign: CampaignView, clock: number): string {
  const { snapshot, startsAt, endsAt, trustMode, moderation, seller } = campaign;
  switch (code) {
    case 'PAID_ELSEWHERE':
      return `Sales of this campaign are paid elsewhere and attested: ${trustMode}.`;
    case 'NOT_FUNDED':
      return 'The rewards of this campaign are not funded yet.';
    case 'PAUSED':
      return 'The merchant has paused the campaign.';
    case 'ENDED':
      return 'The merchant has ended the campaign.';
    case 'EXPIRED':
      return `The campaign expired at ${isoTime(clock >= endsAt ? endsAt : campaign.policy.expiry)}.`;
    case 'NOT_STARTED':
      return `The campaign starts selling at ${isoTime(startsAt)}.`;
    case 'SOLD_OUT':
      return `The campaign has made ${snapshot.saleCapacity} of ${countOf(snapshot.saleCapacity, 'sale')}.`;
    case 'HIDDEN':
      return moderation.reason ?? 'This service no longer shows the campaign.';
    case 'MERCHANT_CLOSED':
      return `${seller.profile?.name} no longer sells through this service.`;
  }
}
