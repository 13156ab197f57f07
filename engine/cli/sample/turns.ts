import { fundCampaign, hashOf, type PlannedCampaign, schedulePolicy } from './campaign.ts';
import { claimRewards, reverse } from './sales.ts';
import { skuOf, type Turn } from './script.ts';
import type { Story } from './story.ts';
import { baseUnits } from './tokens.ts';

/** Does what a turn of a script says. Answers false where it cannot happen yet. */
export function takeTurn(story: Story, campaign: PlannedCampaign, turn: Turn): boolean {
  switch (turn.do) {
    case 'price':
      price(story, campaign, turn);
      return true;
    case 'schedulePolicy':
      schedulePolicy(story, campaign, turn.policy, story.timeOf(turn.effectiveDay));
      return true;
    case 'raiseCapacity':
      raiseCapacity(story, campaign, turn);
      return true;
    case 'fund':
      fundCampaign(story, campaign, turn.amount);
      return true;
    case 'pause':
    case 'resume':
    case 'end':
      changeState(story, campaign, turn.do);
      return true;
    case 'withdrawSurplus':
      withdrawSurplus(story, campaign);
      return true;
    case 'reverse':
      return reverseOne(story, campaign, turn.afterClaim);
  }
}

function price(
  story: Story,
  { id, merchant, script, book }: PlannedCampaign,
  turn: Extract<Turn, { do: 'price' }>,
): void {
  const sku = skuOf(script, turn.variant);
  const amount = baseUnits(script.token, turn.price);
  story.commerce(merchant, `prices ${sku} at ${turn.price}`, {
    functionName: 'setVariantPrice',
    args: [id, hashOf(sku), amount],
  });
  book.prices.set(sku, amount);
}

function raiseCapacity(
  story: Story,
  campaign: PlannedCampaign,
  { nodes, sales }: Extract<Turn, { do: 'raiseCapacity' }>,
): void {
  const what = `raises the capacity of campaign ${campaign.id} to ${nodes} nodes, ${sales} sales`;
  story.commerce(campaign.merchant, what, {
    functionName: 'raiseCapacity',
    args: [campaign.id, BigInt(nodes), BigInt(sales)],
  });
  campaign.nodeCapacity = nodes;
  campaign.saleCapacity = sales;
}

function changeState(
  story: Story,
  campaign: PlannedCampaign,
  functionName: 'pause' | 'resume' | 'end',
): void {
  const { id, merchant } = campaign;
  story.commerce(merchant, `${functionName}s campaign ${id}`, { functionName, args: [id] });
  campaign.open = functionName === 'resume';
}

function withdrawSurplus(story: Story, { id, merchant, book }: PlannedCampaign): void {
  story.commerce(merchant, `withdraws the surplus of campaign ${id}`, {
    functionName: 'withdrawSurplus',
    args: [id, book.available],
  });
  book.available = 0n;
}

function reverseOne(story: Story, campaign: PlannedCampaign, afterClaim: boolean): boolean {
  const sale = campaign.book.reversible();
  if (sale === undefined) return false;
  const [seller] = sale.levels;
  if (afterClaim && seller) claimRewards(story, campaign, seller.owner);
  reverse(story, campaign, sale);
  return true;
}
