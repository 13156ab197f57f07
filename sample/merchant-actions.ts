import { hasClaimedSince, type Sale, type SaleLevel } from '../engine/core/fold/index.ts';
import {
  foldEvents,
  fundCampaign,
  hashOf,
  type PlannedCampaign,
  schedulePolicy,
} from './campaign.ts';
import { claimRewards, reverse } from './sales.ts';
import { type MerchantAction, skuOf } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import { baseUnits } from './tokens.ts';

/** Performs an action of a scenario. Returns false if it is not possible yet. */
export function performAction(
  timeline: Timeline,
  campaign: PlannedCampaign,
  action: MerchantAction,
): boolean {
  switch (action.do) {
    case 'price':
      price(timeline, campaign, action);
      return true;
    case 'schedulePolicy':
      schedulePolicy(timeline, campaign, action.policy, timeline.timeOf(action.effectiveDay));
      return true;
    case 'raiseCapacity':
      raiseCapacity(timeline, campaign, action);
      return true;
    case 'fund':
      fundCampaign(timeline, campaign, action.amount);
      return true;
    case 'pause':
    case 'resume':
    case 'end':
      changeState(timeline, campaign, action.do);
      return true;
    case 'withdrawSurplus':
      withdrawSurplus(timeline, campaign);
      return true;
    case 'reverse':
      return reverseOne(timeline, campaign, action.afterClaim);
  }
}

function price(
  timeline: Timeline,
  { id, merchant, scenario, prices }: PlannedCampaign,
  action: Extract<MerchantAction, { do: 'price' }>,
): void {
  const sku = skuOf(scenario, action.variant);
  const amount = baseUnits(scenario.token, action.price);
  timeline.call(merchant, `prices ${sku} at ${action.price}`, {
    functionName: 'setVariantPrice',
    args: [id, hashOf(sku), amount],
  });
  prices.set(sku, amount);
}

function raiseCapacity(
  timeline: Timeline,
  campaign: PlannedCampaign,
  { nodes, sales }: Extract<MerchantAction, { do: 'raiseCapacity' }>,
): void {
  const what = `raises the capacity of campaign ${campaign.id} to ${nodes} nodes, ${sales} sales`;
  timeline.call(campaign.merchant, what, {
    functionName: 'raiseCapacity',
    args: [campaign.id, BigInt(nodes), BigInt(sales)],
  });
  const args = { nodeCapacity: nodes, saleCapacity: sales };
  foldEvents(timeline, campaign, [{ name: 'CapacityRaised', args }]);
}

function changeState(
  timeline: Timeline,
  campaign: PlannedCampaign,
  functionName: 'pause' | 'resume' | 'end',
): void {
  const { id, merchant } = campaign;
  timeline.call(merchant, `${functionName}s campaign ${id}`, { functionName, args: [id] });
  foldEvents(timeline, campaign, [{ name: stateEvents[functionName], args: {} }]);
}

const stateEvents = {
  pause: 'CampaignPaused',
  resume: 'CampaignResumed',
  end: 'CampaignEnded',
} as const;

function withdrawSurplus(timeline: Timeline, campaign: PlannedCampaign): void {
  const { id, merchant, ledger } = campaign;
  const amount = ledger.snapshot.ledger.available;
  timeline.call(merchant, `withdraws the surplus of campaign ${id}`, {
    functionName: 'withdrawSurplus',
    args: [id, amount],
  });
  const args = { account: merchant.address, amount };
  foldEvents(timeline, campaign, [{ name: 'SurplusWithdrawn', args }]);
}

function reverseOne(timeline: Timeline, campaign: PlannedCampaign, afterClaim: boolean): boolean {
  const sale = reversibleSale(campaign);
  if (sale === undefined) return false;
  const [seller] = sale.levels;
  if (afterClaim && seller) claimRewards(timeline, campaign, seller.recipient);
  reverse(timeline, campaign, sale);
  return true;
}

/** The newest finalized sale with several recipients, none of whom has claimed since. */
function reversibleSale({ ledger }: PlannedCampaign): Sale | undefined {
  return [...ledger.sales.values()].findLast(({ state, levels }) => {
    const recipients = new Set(levels.map(({ recipient }) => recipient));
    const unclaimed = (level: SaleLevel) => level.vested > 0n && !hasClaimedSince(ledger, level);
    const several = recipients.size === levels.length && recipients.size > 1;
    return state === 'finalized' && several && levels.every(unclaimed);
  });
}
