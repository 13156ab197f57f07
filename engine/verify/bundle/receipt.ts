import { isoTime, policyFigures, saleFigures, stateFigures } from '../figures.ts';
import type { ProvenSale } from './evidence.ts';
import { eventOf } from './logs.ts';
import { bundleSplit } from './split.ts';
import type { BundleCampaign, BundleReceipt } from './types.ts';

/** The receipt that the proven logs give; `undefined` where a part of it is not among them. */
export function receiptOf(sale: ProvenSale): BundleReceipt | undefined {
  const { subject, created, claims } = sale;
  const { facts, policy, path, soldAt } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const split = bundleSplit(subject);
  if (created === undefined || scheduled === undefined || split === undefined) return undefined;
  if (!path.ok || path.value.problems.length > 0 || !soldAt.ok) return undefined;
  const { amount, buyer, campaignId, nodeId, orderKey, skuHash } = saleFigures(subject);
  const { holdUntil, state, refundedTotal } = stateFigures(facts);
  return {
    amount,
    buyer,
    campaign: campaignFigures(created),
    campaignId,
    claims: claims.map(eventOf),
    holdUntil,
    nodeId,
    orderKey,
    path: path.value.nodes,
    policy: policyFigures(scheduled),
    refundedTotal,
    skuHash,
    soldAt: isoTime(soldAt.value),
    split,
    state,
    transitions: facts.events.map(eventOf),
  };
}

/** What a campaign was created with, as far as it says whose and of what the amounts are. */
export function campaignFigures({ args }: NonNullable<ProvenSale['created']>): BundleCampaign {
  const { merchant, metadataHash, salt, termsHash, token, trustMode } = args;
  const { tokenDecimals, tokenName, tokenSymbol } = args;
  const named = { merchant, metadataHash, salt, termsHash, token };
  return { ...named, tokenDecimals, tokenName, tokenSymbol, trustMode };
}
