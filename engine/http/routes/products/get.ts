import type { Product } from '../../../contract/shapes/common.ts';
import type { Address } from '../../../core/events.ts';
import { productUses, unused } from '../../../db/read/products/campaigns.ts';
import { getProduct, liveCampaignsOf, newestCampaignOf } from '../../../db/read/products/get.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { soldBy } from '../../render/campaign.ts';
import { productOf, unknownProductKey } from '../../render/product.ts';

/** `products.get`: a product that its merchant described, or one that only a campaign knows. */
export const get: Handler<'products.get'> = async ({ id }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const data = (await describedProduct(snapshot, id)) ?? (await campaignProduct(snapshot, id));
    if (data === undefined) throw notFound(`There is no product ${id}.`);
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });

/** Product that its merchant described. Without a token it is unfinished: its price has no meaning. */
async function describedProduct(snapshot: Snapshot, id: string): Promise<Product | undefined> {
  const found = await getProduct(snapshot, id);
  if (found === undefined || found.token === null) return undefined;
  const { seller, product, skuHash, status, token } = found;
  const sold = { campaignId: '', seller, product, skuHash, price: product.price, token };
  const { campaigns, liveCampaigns } = (await productUses(snapshot, [id])).get(id) ?? unused;
  const usedBy = campaigns
    .filter(({ unlisted }) => !unlisted)
    .map(({ campaignId, title: name, state, productVersion }) => ({
      campaignId,
      name,
      state,
      productVersion,
    }));
  return { ...productOf(sold), status, liveCampaignCount: liveCampaigns, usedBy };
}

/** Product that is known only as the SKU of a campaign, by the id that `campaigns.get` gives it. */
async function campaignProduct(snapshot: Snapshot, id: string): Promise<Product | undefined> {
  const key = unknownProductKey(id);
  const campaign = key && (await newestCampaignOf(snapshot, key));
  if (campaign === undefined) return undefined;
  const counted = await live(snapshot, campaign.merchant, campaign.skuHash);
  return { ...productOf(soldBy(campaign)), ...counted };
}

async function live(snapshot: Snapshot, merchant: Address, skuHash: Address) {
  return { liveCampaignCount: await liveCampaignsOf(snapshot, { merchant, skuHash }) };
}
