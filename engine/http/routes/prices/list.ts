import { listPrices } from '../../../db/read/prices/list.ts';
import { variantOfSku } from '../../../db/read/products/variant.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { lowerHash } from '../../input/hash.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `prices.list`: prices of a campaign in the order in which they were set. */
export const list: Handler<'prices.list'> = async (input, deps) => {
  const { campaignId, atBlock, current } = input;
  const page = new ListPage('prices.list', input, { seq: cursorId });
  const { after, limit } = page.query;
  const filter = { current, skuHash: input.skuHash && lowerHash(input.skuHash) };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listPrices(snapshot, campaign, filter, { after: after?.seq, limit });
    const variants = campaign.product?.variants ?? [];
    const data = mapItems(page.of(found), ({ skuHash, price, isCurrent, seq, tx }) => ({
      skuHash,
      isOwnSku: skuHash === campaign.skuHash,
      variant: variantOfSku(campaign.skuHash, variants, skuHash),
      price: price.toString(),
      isCurrent,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return {
      data,
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};
