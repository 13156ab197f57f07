import { nextPolicyOf } from '../../../core/campaign.ts';
import type { Hex } from '../../../core/events.ts';
import { ledgerId } from '../../../db/ids.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { waitingPoliciesOf } from '../../../db/read/campaigns/waiting-policies.ts';
import { type NodeView, readPath } from '../../../db/read/graph/nodes.ts';
import { skuPrice } from '../../../db/read/products/get.ts';
import { variantSku } from '../../../db/read/products/variant.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { invalidField, notFound } from '../../errors.ts';
import { lowerHash } from '../../input/hash.ts';
import type { PurchaseChoice } from '../../render/checkout.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';

/** Product, variant and link that a buyer asks for. */
export interface RequestedPurchase {
  readonly campaignId: string;
  readonly skuHash?: Hex | undefined;
  readonly variantId?: string | undefined;
  /** Node that sells; unset or 0 for a sale without a link. */
  readonly nodeId?: string | undefined;
}

/**
 * Reads a buyer's choice at the settled block.
 * @throws {HttpError} NOT_FOUND if the campaign, variant, price or node does not exist.
 * @throws {HttpError} VALIDATION_FAILED if `skuHash` and `variantId` contradict each other.
 */
export async function readChoice(
  snapshot: Snapshot,
  requested: RequestedPurchase,
): Promise<{ campaign: CampaignView; choice: PurchaseChoice }> {
  const { campaignId, nodeId = '0' } = requested;
  const campaign = await requireCampaign(snapshot, campaignId);
  const { skuHash, variant } = chosenSku(campaign, requested);
  const [price, path, waiting] = await Promise.all([
    priceOf(snapshot, campaign, skuHash),
    nodeId === '0' ? [] : rewardedPath(snapshot, campaign, nodeId),
    waitingPoliciesOf(snapshot, campaign),
  ]);
  return { campaign, choice: { skuHash, variant, price, path, nextPolicy: nextPolicyOf(waiting) } };
}

/**
 * Requested SKU, the campaign's own by default, and its variant if the merchant described one.
 * @throws {HttpError} NOT_FOUND for a variant that the product does not have.
 * @throws {HttpError} VALIDATION_FAILED naming `variantId` if `skuHash` belongs to another variant.
 */
export function chosenSku(
  campaign: CampaignView,
  { skuHash, variantId }: Pick<RequestedPurchase, 'skuHash' | 'variantId'>,
) {
  const variants = (campaign.product?.variants ?? []).map((variant) => ({
    id: variant.id,
    name: variant.name,
    skuHash: variantSku(campaign.skuHash, variant),
  }));
  const requestedSku = skuHash === undefined ? undefined : lowerHash(skuHash);
  const found = variants.find((one) =>
    variantId === undefined ? one.skuHash === requestedSku : one.id === variantId,
  );
  if (variantId !== undefined && found === undefined) {
    throw notFound(`The product of campaign ${campaign.campaignId} has no variant ${variantId}.`);
  }
  if (found !== undefined && requestedSku !== undefined && found.skuHash !== requestedSku) {
    const message = `has the SKU ${found.skuHash}, which differs from skuHash: send only one of the two`;
    throw invalidField('variantId', message);
  }
  return {
    skuHash: found?.skuHash ?? requestedSku ?? campaign.skuHash,
    variant: found ? { id: found.id, name: found.name } : null,
  };
}

async function priceOf(snapshot: Snapshot, campaign: CampaignView, skuHash: Hex): Promise<bigint> {
  if (skuHash === campaign.skuHash) return campaign.snapshot.price;
  const price = await skuPrice(snapshot.sql, campaign, skuHash);
  if (price !== undefined) return price;
  throw notFound(`Campaign ${campaign.campaignId} has no price for the SKU ${skuHash}.`);
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
  throw notFound(`There is no node ${nodeId} in campaign ${campaignId}.`);
}
