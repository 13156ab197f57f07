import type { Hex } from '../../../core/events.ts';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { skuPrice } from '../../../db/read/get-product.ts';
import { ledgerId } from '../../../db/read/ids.ts';
import { nextPolicy } from '../../../db/read/next-policy.ts';
import { type NodeView, readPath } from '../../../db/read/nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { NotFoundError, ValidationError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { checkoutPreview } from '../../render/checkout.ts';
import { variantSku } from '../../variant-sku.ts';

/** `checkout.preview`: what a purchase would cost and pay, as of the settled block. */
export const preview: Handler<'checkout.preview'> = async (input, { pool, deployment }) => {
  const { campaignId, nodeId = '0' } = input;
  return await readLedger(pool, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const { skuHash, variant } = chosenSku(campaign, input);
    const [price, path, waiting] = await Promise.all([
      priceOf(snapshot, campaign, skuHash),
      nodeId === '0' ? [] : rewardedPath(snapshot, campaign, nodeId),
      nextPolicy(snapshot, campaign),
    ]);
    const choice = { skuHash, variant, price, path, nextPolicy: waiting };
    return {
      data: checkoutPreview(deployment, snapshot.head, campaign, choice),
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock),
    };
  });
};

interface Wanted {
  readonly skuHash?: Hex | undefined;
  readonly variantId?: string | undefined;
}

/**
 * The SKU that is asked for, and the variant that it is, where the merchant described one.
 * @throws {NotFoundError} for a variant that the product does not have.
 * @throws {ValidationError} naming `variantId` where `skuHash` is another one's.
 */
function chosenSku(campaign: CampaignView, { skuHash, variantId }: Wanted) {
  const variants = (campaign.product?.variants ?? []).map((variant) => ({
    id: variant.id,
    name: variant.name,
    skuHash: variantSku(campaign.skuHash, variant),
  }));
  const wanted = skuHash === undefined ? undefined : lowerCase(skuHash);
  const found = variants.find((one) =>
    variantId === undefined ? one.skuHash === wanted : one.id === variantId,
  );
  if (variantId !== undefined && found === undefined) {
    throw new NotFoundError(
      `The product of campaign ${campaign.campaignId} has no variant ${variantId}.`,
    );
  }
  if (found !== undefined && wanted !== undefined && found.skuHash !== wanted) {
    const message = `has the SKU ${found.skuHash}, which is not the skuHash given: give one of the two`;
    throw new ValidationError([{ path: 'variantId', message }]);
  }
  return {
    skuHash: found?.skuHash ?? wanted ?? campaign.skuHash,
    variant: found ? { id: found.id, name: found.name } : null,
  };
}

async function priceOf(snapshot: Snapshot, campaign: CampaignView, skuHash: Hex): Promise<bigint> {
  if (skuHash === campaign.skuHash) return campaign.standing.price;
  const price = await skuPrice(snapshot.sql, campaign, skuHash);
  if (price !== undefined) return price;
  throw new NotFoundError(`Campaign ${campaign.campaignId} has no price for the SKU ${skuHash}.`);
}

async function rewardedPath(
  { sql, head }: Snapshot,
  { campaignId, policy }: CampaignView,
  nodeId: string,
): Promise<NodeView[]> {
  const id = ledgerId(nodeId);
  const path =
    id === undefined
      ? []
      : await readPath(sql, head, { campaignId, nodeId: id }, policy.maxRewardedAncestors);
  if (path.length > 0) return path;
  throw new NotFoundError(`There is no node ${nodeId} in campaign ${campaignId}.`);
}

/** Hashes are kept in lower case. */
function lowerCase(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
