import type { z } from 'zod';
import type { Receipt, ReceiptSummary } from '../../contract/shapes/receipt.ts';
import { sum } from '../../core/amounts.ts';
import { attachedCodes } from '../../core/calldata-suffix.ts';
import { selfReferralOf } from '../../core/self-referral.ts';
import { splitReward } from '../../core/split.ts';
import type { LevelView } from '../../db/read/sales/levels.ts';
import type { ReceiptSale, ReceiptView } from '../../db/read/sales/receipt.ts';
import type { SaleView } from '../../db/read/sales/rows.ts';
import { finalityOf, type ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { eventLocation } from './event.ts';
import { missedOf } from './missed.ts';
import { policyTerms } from './policy.ts';
import { merchantRef, tokenOf } from './product.ts';
import { soldVersion } from './sold-version.ts';
import { isoTime, timeOrNull } from './time.ts';
import { txRef } from './tx-ref.ts';

type ReceiptData = z.infer<typeof Receipt>;

/** Fields of a sale that both a list and a receipt show. */
function saleHead(deployment: ServedDeployment, sale: SaleView, head: ReadHead, newest: number) {
  return {
    chainId: deployment.chainId,
    contractAddress: deployment.contractAddress,
    saleId: sale.saleId,
    campaignId: sale.campaignId,
    buyer: sale.buyer,
    nodeId: sale.nodeId,
    amount: sale.amount.toString(),
    token: tokenOf(sale.token),
    ...soldVersion(sale),
    merchant: merchantRef(sale.seller),
    trustMode: sale.trustMode,
    state: sale.state,
    refundedTotal: sale.refundedTotal.toString(),
    holdUntil: isoTime(sale.holdUntil),
    recordedAt: isoTime(sale.record.timestamp),
    finalizedAt: timeOrNull(sale.finalizedAt),
    tx: txRef(deployment, sale.record),
    finality: finalityOf(head, newest, sale.campaignId),
  };
}

export function receiptSummary(
  deployment: ServedDeployment,
  sale: SaleView,
  head: ReadHead,
): z.infer<typeof ReceiptSummary> {
  return { ...saleHead(deployment, sale, head, sale.newestBlock), pool: sale.pool.toString() };
}

/** Block of the newest event that a receipt depends on: its own, or a claim of a level. */
export function newestBlockOf({ sale, levels }: Pick<ReceiptView, 'sale' | 'levels'>): number {
  return Math.max(sale.newestBlock, ...levels.map(({ claimBlock }) => claimBlock ?? 0));
}

/** Receipt of a sale: the fields that verification checks, and those for readers. */
export function receiptOf(
  deployment: ServedDeployment,
  view: ReceiptView,
  head: ReadHead,
): ReceiptData {
  const { sale, levels } = view;
  const rewarded = view.path.slice(0, sale.policy.maxRewardedAncestors);
  return {
    ...saleHead(deployment, sale, head, newestBlockOf(view)),
    termsHash: sale.termsHash,
    skuHash: sale.skuHash,
    refundPolicy: sale.refundPolicy,
    orderKey: sale.orderKey,
    record: {
      blockNumber: String(sale.record.blockNumber),
      blockHash: sale.recordedBlockHash,
      transactionHash: sale.record.hash,
      logIndex: sale.recordedLogIndex,
    },
    policy: policyTerms(sale.policy),
    path: rewarded.map(({ nodeId, parentNodeId, owner }) => ({ nodeId, parentNodeId, owner })),
    selfReferral: selfReferralOf({ buyer: sale.buyer, path: rewarded }),
    split: splitOf(sale, levels, rewarded),
    levels: levels.map(levelState),
    missed: missedOf(view),
    hold: {
      holdSeconds: sale.policy.holdSeconds,
      holdUntil: isoTime(sale.holdUntil),
      over: head.timestamp >= sale.holdUntil,
    },
    attestation: sale.attestation === null ? null : { ...sale.attestation },
    attribution: {
      nodeId: sale.nodeId,
      codes: sale.calldataEnd === null ? null : [...attachedCodes(sale.calldataEnd)],
    },
    transitions: view.events.map((event) => ({
      ...eventLocation(event),
      name: event.name,
      args: { ...event.args },
    })),
    discrepancies: view.discrepancies.map((one) => ({ ...one })),
  };
}

/** Split of a sale: pool and shares come from the chain, gross is recomputed from the sale and its policy. */
function splitOf(
  sale: ReceiptSale,
  levels: readonly LevelView[],
  path: ReceiptView['path'],
): ReceiptData['split'] {
  const { gross } = splitReward({
    amount: sale.amount,
    liability: sale.liabilityBefore,
    available: sale.availableBefore,
    path: path.map(({ nodeId }) => nodeId),
    policy: sale.policy,
  });
  const reserved = sum(levels.map(({ share }) => share));
  return {
    gross: gross.toString(),
    pool: sale.pool.toString(),
    reserved: reserved.toString(),
    returned: (sale.pool - reserved).toString(),
    liabilityBefore: sale.liabilityBefore.toString(),
    availableBefore: sale.availableBefore.toString(),
    shares: levels.map(({ level, nodeId, recipient, share }) => ({
      level,
      nodeId,
      recipient,
      amount: share.toString(),
    })),
  };
}

function levelState(level: LevelView): ReceiptData['levels'][number] {
  return {
    level: level.level,
    nodeId: level.nodeId,
    recipient: level.recipient,
    state: level.state,
    share: level.share.toString(),
    reserved: level.reserved.toString(),
    released: level.released.toString(),
    vested: level.vested.toString(),
    reversed: level.reversed.toString(),
  };
}
