import type { z } from 'zod';
import type { Invitation } from '../../contract/shapes/partner.ts';
import type { InvitationView } from '../../db/read/campaigns/invitations.ts';

/** Invitation as both its sender and its recipient see it. A merchant cannot name a parent yet. */
export function invitation(view: InvitationView): z.infer<typeof Invitation> {
  return {
    id: view.id,
    distributor: view.distributor,
    campaignId: view.campaignId,
    merchantId: view.merchantId,
    message: view.message,
    terms: view.terms,
    parentNodeId: null,
    policyHash: view.policyHash,
    status: view.status,
    expiresAt: view.expiresAt.toISOString(),
    createdAt: view.createdAt.toISOString(),
    withdrawnAt: view.withdrawnAt?.toISOString() ?? null,
  };
}
