import { fundCampaign, hashOf, type PlannedCampaign, schedulePolicy } from './campaign.ts';
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
  { id, merchant, scenario, ledger }: PlannedCampaign,
  action: Extract<MerchantAction, { do: 'price' }>,
): void {
  const sku = skuOf(scenario, action.variant);
  const amount = baseUnits(scenario.token, action.price);
  timeline.call(merchant, `prices ${sku} at ${action.price}`, {
    functionName: 'setVariantPrice',
    args: [id, hashOf(sku), amount],
  });
  ledger.prices.set(sku, amount);
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
  campaign.nodeCapacity = nodes;
  campaign.saleCapacity = sales;
}

function changeState(
  timeline: Timeline,
  campaign: PlannedCampaign,
  functionName: 'pause' | 'resume' | 'end',
): void {
  const { id, merchant } = campaign;
  timeline.call(merchant, `${functionName}s campaign ${id}`, { functionName, args: [id] });
  campaign.open = functionName === 'resume';
}

function withdrawSurplus(timeline: Timeline, { id, merchant, ledger }: PlannedCampaign): void {
  timeline.call(merchant, `withdraws the surplus of campaign ${id}`, {
    functionName: 'withdrawSurplus',
    args: [id, ledger.available],
  });
  ledger.available = 0n;
}

function reverseOne(timeline: Timeline, campaign: PlannedCampaign, afterClaim: boolean): boolean {
  const sale = campaign.ledger.reversible();
  if (sale === undefined) return false;
  const [seller] = sale.levels;
  if (afterClaim && seller) claimRewards(timeline, campaign, seller.owner);
  reverse(timeline, campaign, sale);
  return true;
}
