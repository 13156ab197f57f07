import type { z } from 'zod';
import type { JoinRequest } from '../../contract/shapes/join-request.ts';
import type { JoinRequest as StoredRequest } from '../../db/commerce/join-requests.ts';

/** Request to join as both its sender and the merchant see it. */
export function joinRequest(request: StoredRequest): z.infer<typeof JoinRequest> {
  const { id, campaignId, distributor, message, status, reason, createdAt, answeredAt } = request;
  return {
    ...{ id, campaignId, distributor, message, status, reason },
    createdAt: createdAt.toISOString(),
    answeredAt: answeredAt?.toISOString() ?? null,
  };
}
