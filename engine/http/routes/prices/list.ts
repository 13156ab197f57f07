import { z } from 'zod';
import { listPrices } from '../../../db/read/prices/list.ts';
import { variantOfSku } from '../../../db/read/products/variant.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { lowerHash } from '../../input/hash.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'prices.list';
const Position = z.tuple([cursorId]);

/** `prices.list`: prices of a campaign in the order in which they were set. */
export const list: Handler<'prices.list'> = async (input, deps) => {
  const { campaignId, atBlock, current, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const after = decodeCursor(scope, Position)?.[0];
  const filter = { current, skuHash: input.skuHash && lowerHash(input.skuHash) };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listPrices(snapshot, campaign, filter, { after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [String(one.seq)]);
    const variants = campaign.product?.variants ?? [];
    const data = items.map(({ skuHash, price, isCurrent, seq, tx }) => ({
      skuHash,
      isOwnSku: skuHash === campaign.skuHash,
      variant: variantOfSku(campaign.skuHash, variants, skuHash),
      price: price.toString(),
      isCurrent,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return {
      data: { items: data, nextCursor },
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};
