import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { checkoutPreview } from '../../render/checkout.ts';
import { readChoice } from '../../resources/checkout/choice.ts';

/** `checkout.preview`: what a purchase would cost and pay, as of the settled block. */
export const preview: Handler<'checkout.preview'> = async (input, { pool, deployment }) => {
  return await readLedger(pool, async (snapshot) => {
    const { campaign, choice } = await readChoice(snapshot, input);
    const buyer = input.buyer && lowerAddress(input.buyer);
    return {
      data: checkoutPreview(deployment, snapshot.head, campaign, choice, buyer),
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};
