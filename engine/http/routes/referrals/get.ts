import type { z } from 'zod';
import type { Referral } from '../../../contract/shapes/link.ts';
import { decodeReferralCode, encodeReferralCode } from '../../../core/referral-code.ts';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { readLink } from '../../read-link.ts';
import { linkOf } from '../../render/link.ts';

/** `referrals.get`: the link that a code names, and whether its campaign takes sales. */
export const get: Handler<'referrals.get'> = async (input, { pool, deployment }) => {
  const { code, nodeId } = namedBy(input.code);
  return await readLedger(pool, async (snapshot) => {
    const { campaign, node } = await readLink(snapshot, nodeId);
    const closedReason = closedReasonOf(campaign, snapshot.head.timestamp);
    return {
      data: {
        code,
        link: linkOf(deployment, campaign, node),
        open: closedReason === null,
        closedReason,
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};

/**
 * The node of a code, and the code as it should be written.
 * @throws {NotFoundError} where it is none; the contract refuses such a one before.
 */
export function namedBy(written: string): { readonly code: string; readonly nodeId: string } {
  const nodeId = decodeReferralCode(written);
  const code = nodeId === undefined ? undefined : encodeReferralCode(nodeId);
  if (nodeId === undefined || code === undefined) {
    throw new NotFoundError(`There is no referral ${written}.`);
  }
  return { code, nodeId };
}

/** Why a campaign takes no sales at a time (design §3, Settled readings). */
function closedReasonOf(
  { state, startsAt }: CampaignView,
  clock: number,
): z.infer<typeof Referral>['closedReason'] {
  switch (state) {
    case 'ENDED':
      return 'ended';
    case 'EXPIRED':
      return 'expired';
    case 'PAUSED':
      return 'paused';
    case 'CREATED_UNFUNDED':
      return 'not_funded';
    case 'FUNDED_ACTIVE':
      return clock < startsAt ? 'not_started' : null;
  }
}
