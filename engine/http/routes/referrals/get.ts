import { closedReason } from '../../../core/checkout.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { linkOf } from '../../render/link.ts';
import { readLink } from '../../resources/links/read-link.ts';
import { namedBy } from '../../resources/referrals/referral.ts';

/** `referrals.get`: the link of a code, and whether its campaign takes sales. */
export const get: Handler<'referrals.get'> = async (input, { pool, deployment }) => {
  const { code, nodeId } = namedBy(input.code);
  return await readLedger(pool, async (snapshot) => {
    const { campaign, node } = await readLink(snapshot, nodeId);
    const reason = closedReason(campaign, snapshot.head.timestamp);
    return {
      data: {
        code,
        link: linkOf(deployment, campaign, node),
        open: reason === null,
        closedReason: reason,
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};
