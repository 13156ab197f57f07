import type { Policy } from '../campaign.ts';
import { FactError } from '../events.ts';
import type { Node } from './state.ts';
import { adjustCounts, adjustLedger, report, type Step } from './step.ts';

/** CampaignCreated: everything that cannot change, and the first price and capacities. */
export function createCampaign(step: Step<'CampaignCreated'>): void {
  const { price, nodeCapacity, saleCapacity, ...created } = step.fact.args;
  if (step.state.campaign !== null) {
    throw new FactError(`campaign ${step.fact.campaignId} was created twice`);
  }
  step.state.campaign = { campaignId: step.fact.campaignId, ...created };
  step.state.standing = { ...step.state.standing, price, nodeCapacity, saleCapacity };
}

/** VariantPriced: on the campaign's own SKU it changes the campaign's price (design §3). */
export function priceVariant(step: Step<'VariantPriced'>): void {
  const { skuHash, price } = step.fact.args;
  if (step.state.campaign?.skuHash === skuHash) {
    step.state.standing = { ...step.state.standing, price };
  }
}

export function schedulePolicy(step: Step<'PolicyScheduled'>): void {
  const { policy, ...version } = step.fact.args;
  const expected = step.state.policies.length + 1;
  if (version.version !== expected) report(step, 'POLICY_VERSION', expected, version.version);
  const scheduled: Policy = { ...policy, ...version };
  step.state.policies = [...step.state.policies, scheduled];
}

/** NodeJoined: a link under a node of the campaign, or a root. */
export function joinNode(step: Step<'NodeJoined'>): void {
  const { nodeId, parentNodeId, owner } = step.fact.args;
  const { state } = step;
  if (state.nodes.has(nodeId)) {
    report(step, 'DUPLICATE', 'a new node', `node ${nodeId} again`, { account: owner });
    return;
  }
  const parent = parentNodeId === '0' ? null : state.nodes.get(parentNodeId);
  if (parent === undefined) {
    report(step, 'UNKNOWN_NODE', 'a node of this campaign', parentNodeId, { account: owner });
  }
  const nodes = state.standing.counts.nodes + 1;
  if (nodes > state.standing.nodeCapacity) {
    report(step, 'CAPACITY', `at most ${state.standing.nodeCapacity} nodes`, nodes);
  }
  const node: Node = {
    nodeId,
    parentNodeId: parent?.nodeId ?? null,
    owner,
    depth: (parent?.depth ?? 0) + 1,
  };
  state.nodes.set(nodeId, node);
  adjustCounts(step, { nodes: 1 });
}

export function fundCampaign(step: Step<'CampaignFunded'>): void {
  const { amount } = step.fact.args;
  adjustLedger(step, { netDeposited: amount, available: amount });
  step.state.standing = { ...step.state.standing, funded: true };
}

/** SurplusWithdrawn: only ever from what nobody has a claim on. */
export function withdrawSurplus(step: Step<'SurplusWithdrawn'>): void {
  const { amount, account } = step.fact.args;
  const { available } = step.state.standing.ledger;
  if (amount > available) report(step, 'SURPLUS', `at most ${available}`, amount, { account });
  adjustLedger(step, { available: -amount, surplusWithdrawn: amount });
}

/** ProceedsClaimed: the merchant takes all that was finalized. */
export function claimProceeds(step: Step<'ProceedsClaimed'>): void {
  const { amount, account } = step.fact.args;
  const { proceedsClaimable } = step.state.standing.ledger;
  if (amount !== proceedsClaimable) {
    report(step, 'PROCEEDS', proceedsClaimable, amount, { account });
  }
  adjustLedger(step, { proceedsClaimable: -amount, proceedsClaimed: amount });
}
