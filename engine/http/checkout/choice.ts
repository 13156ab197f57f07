import type { Hex } from '../../core/events.ts';
import type { CampaignView } from '../../db/read/campaign-rows.ts';
import { getCampaign } from '../../db/read/get-campaign.ts';
import { skuPrice } from '../../db/read/get-product.ts';
import { ledgerId } from '../../db/read/ids.ts';
import { nextPolicy } from '../../db/read/next-policy.ts';
import { type NodeView, readPath } from '../../db/read/nodes.ts';
import type { Snapshot } from '../../db/read/snapshot.ts';
import { NotFoundError, ValidationError } from '../errors.ts';
import type { Choice } from '../render/checkout.ts';
import { variantSku } from '../variant-sku.ts';

/** What a buyer asks for. */
export interface Wanted {
  readonly campaignId: string;
  readonly skuHash?: Hex | undefined;
  readonly variantId?: string | undefined;
  /** Left out, or 0, for a direct sale. */
  readonly nodeId?: string | undefined;
}

/**
 * What a buyer chose, as the ledger has it at the settled block.
 * @throws {NotFoundError} where there is no such campaign, variant, price or node.
 * @throws {ValidationError} where `skuHash` and `variantId` say two things.
 */
export async function readChoice(
  snapshot: Snapshot,
  wanted: Wanted,
): Promise<{ campaign: CampaignView; choice: Choice }> {
  const { campaignId, nodeId = '0' } = wanted;
  const campaign = await getCampaign(snapshot, campaignId);
  if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
  const { skuHash, variant } = chosenSku(campaign, wanted);
  const [price, path, waiting] = await Promise.all([
    priceOf(snapshot, campaign, skuHash),
    nodeId === '0' ? [] : rewardedPath(snapshot, campaign, nodeId),
    nextPolicy(snapshot, campaign),
  ]);
  return { campaign, choice: { skuHash, variant, price, path, nextPolicy: waiting } };
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
  const wanted = skuHash === undefined ? undefined : lowerHash(skuHash);
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
export function lowerHash(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
