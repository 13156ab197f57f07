import type { z } from 'zod';
import type { Dispute, DisputeDetail, DisputeExposure } from '../../contract/shapes/dispute.ts';
import type { DisputeMessage } from '../../db/commerce/disputes.ts';
import type { TokenExposure } from '../../db/read/disputes/exposure.ts';
import type { DisputeWithTerms } from '../../db/read/disputes/list.ts';
import type { DisputeView } from '../../db/read/disputes/rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { tokenOf } from './product.ts';
import { soldVersion } from './sold-version.ts';
import { isoTime, timeOrNull } from './time.ts';

export function disputeOf(
  { chainId }: ServedDeployment,
  dispute: DisputeView,
): z.infer<typeof Dispute> {
  const { sale, closedAt, updatedAt } = dispute;
  const changed = closedAt === null ? 0 : closedAt * 1_000;
  return {
    id: dispute.id,
    chainId,
    saleId: sale.saleId,
    campaignId: sale.campaignId,
    merchantId: sale.seller.profile?.id ?? sale.seller.address,
    buyer: sale.buyer,
    ...soldVersion(sale),
    token: tokenOf(sale.token),
    saleAmount: sale.amount.toString(),
    requestedAmount: dispute.requestedAmount.toString(),
    acceptedAmount: dispute.acceptedAmount?.toString() ?? null,
    refundedTotal: sale.refundedTotal.toString(),
    saleState: sale.state,
    reason: dispute.reason,
    status: dispute.status,
    declineReason: dispute.status === 'declined' ? dispute.declineReason : null,
    respondBy: isoTime(sale.holdUntil),
    openedAt: dispute.openedAt.toISOString(),
    updatedAt: new Date(Math.max(updatedAt.getTime(), changed)).toISOString(),
    closedAt: timeOrNull(closedAt),
  };
}

export function disputeDetail(
  deployment: ServedDeployment,
  dispute: DisputeWithTerms,
  messages: readonly DisputeMessage[],
): z.infer<typeof DisputeDetail> {
  return {
    ...disputeOf(deployment, dispute),
    refundPolicy: dispute.refundPolicy,
    messages: messages.map(({ at, ...message }) => ({ ...message, at: at.toISOString() })),
  };
}

export function exposureOf(tokens: readonly TokenExposure[]): z.infer<typeof DisputeExposure> {
  const count = (of: (one: TokenExposure) => number) =>
    tokens.reduce((total, one) => total + of(one), 0);
  const ends = tokens.map(({ nextRespondBy }) => nextRespondBy);
  return {
    open: count(({ open }) => open),
    accepted: count(({ accepted }) => accepted),
    nextRespondBy: ends.length === 0 ? null : isoTime(Math.min(...ends)),
    byToken: tokens.map((one) => ({
      token: tokenOf(one.token),
      disputes: one.open + one.accepted,
      requested: one.requested.toString(),
      rewardsAtRisk: one.rewardsAtRisk.toString(),
      proceedsPending: one.proceedsPending.toString(),
    })),
  };
}
