import type { Policy } from '../campaign.ts';
import { FactError } from '../events.ts';
import type { Node } from './state.ts';
import { adjustCounts, adjustLedger, type FoldStep, report } from './step.ts';

/** CampaignCreated: everything that cannot change, and the first price and capacities. */
export function createCampaign(step: FoldStep<'CampaignCreated'>): void {
  const { price, nodeCapacity, saleCapacity, ...created } = step.fact.args;
  if (step.state.campaign !== null) {
    throw new FactError(`campaign ${step.fact.campaignId} was created twice`);
  }
  step.state.campaign = { campaignId: step.fact.campaignId, ...created };
  step.state.snapshot = { ...step.state.snapshot, price, nodeCapacity, saleCapacity };
}

/** VariantPriced: on the campaign's own SKU it changes the campaign's price (docs/reference/protocol.md#campaigns). */
export function priceVariant(step: FoldStep<'VariantPriced'>): void {
  const { skuHash, price } = step.fact.args;
  if (step.state.campaign?.skuHash === skuHash) {
    step.state.snapshot = { ...step.state.snapshot, price };
  }
}

/** PolicyScheduled: adds a version of the policy; versions must be consecutive. */
export function schedulePolicy(step: FoldStep<'PolicyScheduled'>): void {
  const { policy, ...version } = step.fact.args;
  const expected = step.state.policies.length + 1;
  if (version.version !== expected) report(step, 'POLICY_VERSION', expected, version.version);
  const scheduled: Policy = { ...policy, ...version };
  step.state.policies = [...step.state.policies, scheduled];
}

/** NodeJoined: a link under a node of the campaign, or a root. */
export function joinNode(step: FoldStep<'NodeJoined'>): void {
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
  const nodes = state.snapshot.counts.nodes + 1;
  if (nodes > state.snapshot.nodeCapacity) {
    report(step, 'CAPACITY', `at most ${state.snapshot.nodeCapacity} nodes`, nodes);
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

/** CampaignFunded: adds to the budget; the first funding opens the campaign. */
export function fundCampaign(step: FoldStep<'CampaignFunded'>): void {
  const { amount } = step.fact.args;
  adjustLedger(step, { netDeposited: amount, available: amount });
  step.state.snapshot = { ...step.state.snapshot, funded: true };
}

/** SurplusWithdrawn: the merchant takes from `available`, which is reserved for no sale. */
export function withdrawSurplus(step: FoldStep<'SurplusWithdrawn'>): void {
  const { amount, account } = step.fact.args;
  const { available } = step.state.snapshot.ledger;
  if (amount > available) report(step, 'SURPLUS', `at most ${available}`, amount, { account });
  adjustLedger(step, { available: -amount, surplusWithdrawn: amount });
}

/** ProceedsClaimed: the merchant takes all that was finalized. */
export function claimProceeds(step: FoldStep<'ProceedsClaimed'>): void {
  const { amount, account } = step.fact.args;
  const { proceedsClaimable } = step.state.snapshot.ledger;
  if (amount !== proceedsClaimable) {
    report(step, 'PROCEEDS', proceedsClaimable, amount, { account });
  }
  adjustLedger(step, { proceedsClaimable: -amount, proceedsClaimed: amount });
}
