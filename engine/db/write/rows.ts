import type { Hex } from '../../core/events.ts';
import type { Applied, CampaignState } from '../../core/fold/index.ts';
import type { Row } from './json-rows.ts';
import { standingColumns } from './standing-columns.ts';

/** What an event did, with the campaign's digest after it. */
export interface Folded extends Applied {
  readonly digest: Hex;
}

export function journalRow({ seq, fact, standing, digest }: Folded): Row {
  return {
    campaign_id: fact.campaignId,
    seq,
    event_id: fact.id,
    block_number: fact.blockNumber,
    block_hash: fact.blockHash,
    block_timestamp: fact.timestamp,
    transaction_hash: fact.transactionHash,
    log_index: fact.logIndex,
    name: fact.name,
    sale_id: 'saleId' in fact.args ? fact.args.saleId : null,
    args: fact.args,
    digest,
    ...standingColumns(standing),
  };
}

export function entryRows({ seq, fact, entries }: Folded): Row[] {
  return entries.map((entry, ordinal) => ({
    campaign_id: fact.campaignId,
    seq,
    ordinal,
    block_number: fact.blockNumber,
    kind: entry.kind,
    account: entry.account,
    sale_id: entry.saleId,
    level: entry.level,
    node_id: entry.nodeId,
    amount: entry.amount,
    reserved_after: entry.after.reserved,
    claimable_after: entry.after.claimable,
    claimed_after: entry.after.claimed,
    refunded_after: entry.after.refunded,
    reversed_after: entry.after.reversed,
    held_after: entry.heldAfter,
  }));
}

export function missedRows({ seq, fact, missed }: Folded): Row[] {
  return missed.map((one) => ({
    campaign_id: fact.campaignId,
    sale_id: one.saleId,
    level: one.level,
    reason: one.reason,
    seq,
    node_id: one.nodeId,
    recipient: one.recipient,
    amount: one.amount,
  }));
}

export function discrepancyRows({ seq, fact, discrepancies }: Folded): Row[] {
  return discrepancies.map((one, ordinal) => ({
    campaign_id: fact.campaignId,
    seq,
    ordinal,
    kind: one.kind,
    sale_id: one.saleId,
    level: one.level,
    account: one.account,
    expected: one.expected,
    actual: one.actual,
  }));
}

export function saleVersionRows({ seq, fact, sale }: Folded): Row[] {
  if (sale === null) return [];
  return [
    {
      campaign_id: fact.campaignId,
      sale_id: sale.saleId,
      seq,
      state: sale.state,
      refunded_total: sale.refundedTotal,
      finalized_at: sale.finalizedAt,
    },
  ];
}

export function nodeRows(state: CampaignState, { seq, fact, discrepancies }: Folded): Row[] {
  if (fact.name !== 'NodeJoined') return [];
  const node = state.nodes.get(fact.args.nodeId);
  const again = discrepancies.some(({ kind }) => kind === 'DUPLICATE');
  if (node === undefined || again) return [];
  return [
    {
      campaign_id: fact.campaignId,
      node_id: node.nodeId,
      seq,
      parent_node_id: node.parentNodeId,
      owner: node.owner,
      depth: node.depth,
      block_number: fact.blockNumber,
      block_timestamp: fact.timestamp,
      transaction_hash: fact.transactionHash,
    },
  ];
}

export function policyRows({ seq, fact }: Folded): Row[] {
  if (fact.name !== 'PolicyScheduled') return [];
  const { policy, version, effectiveAt, eligibilityHash, policyHash } = fact.args;
  return [
    {
      campaign_id: fact.campaignId,
      version,
      seq,
      effective_at: effectiveAt,
      reward_token: policy.rewardToken,
      commission_bps: policy.commissionBps,
      per_sale_cap: policy.perSaleCap,
      campaign_liability_cap: policy.campaignLiabilityCap,
      max_rewarded_ancestors: policy.maxRewardedAncestors,
      weights_bps: policy.weightsBps,
      short_path_mode: policy.shortPathMode,
      hold_seconds: policy.holdSeconds,
      expiry: policy.expiry,
      regions: policy.regions,
      sharing_rules: policy.sharingRules,
      eligibility_hash: eligibilityHash,
      policy_hash: policyHash,
    },
  ];
}

export function priceRows({ seq, fact }: Folded): Row[] {
  if (fact.name !== 'VariantPriced' && fact.name !== 'CampaignCreated') return [];
  const { skuHash, price } = fact.args;
  return [{ campaign_id: fact.campaignId, sku_hash: skuHash, seq, price }];
}

export function permissionRows({ seq, fact }: Folded): Row[] {
  if (fact.name !== 'DistributorAllowed' && fact.name !== 'AttesterAllowed') return [];
  const role = fact.name === 'DistributorAllowed' ? 'distributor' : 'attester';
  return [{ campaign_id: fact.campaignId, role, ...fact.args, seq }];
}

export function creditRows({ seq, fact, credit }: Folded): Row[] {
  if (credit === null) return [];
  const { account, after } = credit;
  const { campaignId, blockNumber } = fact;
  return [
    { campaign_id: campaignId, account, seq, block_number: blockNumber, credit_after: after },
  ];
}

export function attestationRows({ seq, fact }: Folded): Row[] {
  if (fact.name !== 'SaleAttested') return [];
  const { saleId, signer, nonce } = fact.args;
  return [{ campaign_id: fact.campaignId, sale_id: saleId, seq, signer, nonce }];
}
