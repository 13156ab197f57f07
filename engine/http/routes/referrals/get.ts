import { type SaleRefusal, saleRefusals } from '../../../core/checkout.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { linkOf } from '../../render/link.ts';
import { takesSales } from '../../render/refusals.ts';
import { readLink } from '../../resources/links/read-link.ts';
import { namedBy } from '../../resources/referrals/referral.ts';

/** `referrals.get`: the link of a code, and whether its campaign takes sales. */
export const get: Handler<'referrals.get'> = async (input, { pool, deployment }) => {
  const { code, nodeId } = namedBy(input.code);
  return await readLedger(pool, async (snapshot) => {
    const { campaign, waiting, node } = await readLink(snapshot, nodeId);
    const [refusal] = saleRefusals(takesSales(campaign), snapshot.head.timestamp);
    return {
      data: {
        code,
        link: linkOf(deployment, campaign, waiting, node),
        open: refusal === undefined,
        closedReason: refusal === undefined ? null : lowerCase(refusal),
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};

/** Reason as this method spells it, which is older than the codes of `checkout.preview`. */
function lowerCase<R extends SaleRefusal>(refusal: R): Lowercase<R> {
  return refusal.toLowerCase() as Lowercase<R>;
}
