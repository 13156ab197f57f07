import { isoTime, policyFields, saleFields, stateFields } from '../receipt-fields.ts';
import type { ProvenSale } from './evidence.ts';
import { eventOf } from './logs.ts';
import { bundleSplit } from './split.ts';
import type { BundleCampaign, BundleReceipt } from './types.ts';

/** The receipt that follows from the proven logs; `undefined` if a part of it is not among them. */
export function receiptOf(sale: ProvenSale): BundleReceipt | undefined {
  const { subject, created, claims } = sale;
  const { facts, policy, path, soldAt } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const split = bundleSplit(subject);
  if (created === undefined || scheduled === undefined || split === undefined) return undefined;
  if (!path.ok || path.value.problems.length > 0 || !soldAt.ok) return undefined;
  const { amount, buyer, campaignId, nodeId, orderKey, skuHash } = saleFields(subject);
  const { holdUntil, state, refundedTotal } = stateFields(facts);
  return {
    amount,
    buyer,
    campaign: campaignFields(created),
    campaignId,
    claims: claims.map(eventOf),
    holdUntil,
    nodeId,
    orderKey,
    path: path.value.nodes,
    policy: policyFields(scheduled),
    refundedTotal,
    skuHash,
    soldAt: isoTime(soldAt.value),
    split,
    state,
    transitions: facts.events.map(eventOf),
  };
}

/** The fields of a campaign that identify it and its token, as a bundle shows them. */
export function campaignFields({ args }: NonNullable<ProvenSale['created']>): BundleCampaign {
  const { merchant, metadataHash, salt, termsHash, token, trustMode } = args;
  const { tokenDecimals, tokenName, tokenSymbol } = args;
  const named = { merchant, metadataHash, salt, termsHash, token };
  return { ...named, tokenDecimals, tokenName, tokenSymbol, trustMode };
}
