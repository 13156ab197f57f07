import type { Transaction } from 'viem';
import { sum } from '../core/amounts.ts';
import { attachedCodes } from '../core/calldata-suffix.ts';
import type { ReceiptPolicy } from '../core/receipt.ts';
import { BPS_WHOLE } from '../core/split.ts';
import { type DecodedLog, logsOf } from './chain/decode.ts';
import type { ChainValue, ChainValues } from './compare.ts';
import { levelFields, missedFields, refundedTotalOf, stateOf } from './outcome.ts';
import type { RewardBudget } from './reward-budget.ts';
import type { Subject } from './subject.ts';
import type { ChainFields } from './types.ts';

/** Formats Unix seconds as ISO 8601. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The fields of a receipt that come from its SaleRecorded. */
export function saleFields({ chainId, contractAddress, facts }: Subject) {
  const { args, campaignId } = facts.record;
  return {
    chainId,
    contractAddress,
    saleId: args.saleId,
    campaignId,
    buyer: args.buyer,
    nodeId: args.nodeId === '0' ? null : args.nodeId,
    amount: args.amount.toString(),
    skuHash: args.skuHash,
    product: { skuHash: args.skuHash },
    orderKey: args.orderKey,
  };
}

/** The node of the sale, from its SaleRecorded, and the codes at the end of its transaction's calldata. */
export function attributionFields({ contractAddress, facts }: Subject) {
  const { nodeId } = facts.record.args;
  return {
    nodeId: nodeId === '0' ? null : nodeId,
    codes: facts.transaction.ok ? codesOf(facts.transaction.value, contractAddress) : undefined,
  };
}

/** `null` if the transaction calls another contract, such as a wallet: its calldata may be about other calls. */
function codesOf({ to, input }: Pick<Transaction, 'to' | 'input'>, contractAddress: string) {
  if (to?.toLowerCase() !== contractAddress.toLowerCase()) return null;
  return attachedCodes(input);
}

/** The policy of a receipt, from its PolicyScheduled. */
export function policyFields({ args }: DecodedLog<'PolicyScheduled'>): ReceiptPolicy {
  const { policy } = args;
  return {
    ...policy,
    version: args.version,
    effectiveAt: isoTime(args.effectiveAt),
    perSaleCap: policy.perSaleCap.toString(),
    campaignLiabilityCap: policy.campaignLiabilityCap.toString(),
    expiry: isoTime(policy.expiry),
    eligibilityHash: args.eligibilityHash,
    policyHash: args.policyHash,
  };
}

/** The split of a receipt, from the sale's log; fields that need policy, path or budget are `undefined` if unknown. */
export function splitFields({ facts, policy, path }: Subject, budget: RewardBudget | undefined) {
  const { amount, pool, shares } = facts.record.args;
  const reserved = sum(shares);
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const nodes = path.ok ? path.value.nodes : [];
  return {
    gross:
      scheduled && ((amount * BigInt(scheduled.args.policy.commissionBps)) / BPS_WHOLE).toString(),
    pool: pool.toString(),
    reserved: reserved.toString(),
    returned: (pool - reserved).toString(),
    liabilityBefore: budget?.liability.toString(),
    availableBefore: budget?.available.toString(),
    shares: shares.map((share, i) => ({
      level: i + 1,
      nodeId: nodes[i]?.nodeId,
      recipient: nodes[i]?.owner,
      amount: share.toString(),
    })),
  };
}

/** The transitions of a receipt, from the sale's events. */
function transitionFields(events: readonly DecodedLog[]) {
  return events.map(({ location, name, json }) => ({ ...location, name, args: json }));
}

/** State, refunded total and hold of a sale, from its events alone. */
export function stateFields({ record, events }: Subject['facts']) {
  return {
    holdUntil: isoTime(record.args.holdUntil),
    state: stateOf({ record, events }),
    refundedTotal: refundedTotalOf(events).toString(),
  };
}

/** The campaign's fields of a receipt, from its CampaignCreated. */
function campaignFields({ args }: DecodedLog<'CampaignCreated'>) {
  const { token, tokenSymbol, tokenDecimals, tokenName, merchant, trustMode, termsHash } = args;
  return {
    token: {
      address: token,
      symbol: tokenSymbol,
      decimals: tokenDecimals,
      ...(tokenName !== '' && { name: tokenName }),
    },
    merchant: { address: merchant },
    trustMode,
    termsHash,
  };
}

const UNKNOWN_CAMPAIGN = {
  token: undefined,
  merchant: undefined,
  trustMode: undefined,
  termsHash: undefined,
};

/** Every field of a receipt that the chain determines; `undefined` where something could not be read. */
export function chainValues(subject: Subject, budget: RewardBudget | undefined): ChainValues {
  const { facts, policy, path, soldAt, head } = subject;
  const { location } = facts.record;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const created = facts.created.ok ? facts.created.value : undefined;
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const recordedAt = soldAt.ok ? isoTime(soldAt.value) : undefined;
  const finalizedAt = facts.finalizedAt.ok ? facts.finalizedAt.value : undefined;
  const [attested] = logsOf(facts.events, 'SaleAttested');
  const { holdUntil } = facts.record.args;
  return {
    ...saleFields(subject),
    attestation: attested ? { signer: attested.args.signer, nonce: attested.args.nonce } : null,
    attribution: attributionFields(subject),
    record: { ...location },
    recordedAt,
    tx: { hash: location.transactionHash, blockNumber: location.blockNumber, at: recordedAt },
    ...(created ? campaignFields(created) : UNKNOWN_CAMPAIGN),
    policy: scheduled && { ...policyFields(scheduled) },
    path: nodes?.map((node) => ({ ...node })),
    split: splitFields(subject, budget),
    missed: missedFields(subject, budget),
    transitions: transitionFields(facts.events),
    ...stateFields(facts),
    finalizedAt: typeof finalizedAt === 'number' ? isoTime(finalizedAt) : finalizedAt,
    hold: {
      holdSeconds: scheduled?.args.policy.holdSeconds,
      holdUntil: isoTime(holdUntil),
      over: head && head.timestamp >= holdUntil,
    },
    levels: levelFields(subject),
  };
}

/** The fields of `chainValues` that are known completely. */
export function knownFields(values: ChainValues): ChainFields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isKnown(value)));
}

function isKnown(value: ChainValue): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isKnown);
}
