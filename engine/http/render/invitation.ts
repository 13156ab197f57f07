import type { z } from 'zod';
import type { Invitation } from '../../contract/shapes/partner.ts';
import type { InvitationView } from '../../db/read/invitations.ts';

/** An invitation, the same for who sent it and whom it is for. A merchant can name no parent yet. */
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
