import { zeroAddress } from 'viem';
import type { CheckoutPreview } from '../../contract/shapes/checkout.ts';
import { NOTHING_ASKED } from '../../core/buyer-details.ts';
import { liabilityOf, type Policy } from '../../core/campaign.ts';
import type { Address, Hex } from '../../core/events.ts';
import { missedShares, splitReward } from '../../core/split.ts';
import type { CampaignView } from '../../db/read/campaigns/rows.ts';
import type { NodeView } from '../../db/read/graph/nodes.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { soldBy } from './campaign.ts';
import { nextPolicy } from './policy.ts';
import { merchantRef, productOf } from './product.ts';
import { refusalsOf, selfReferralRefusal } from './refusals.ts';
import { isoTime } from './time.ts';

/** Buyer's choice, with its price and path at the block read. */
export interface PurchaseChoice {
  readonly skuHash: Hex;
  readonly variant: { readonly id: string; readonly name: string } | null;
  /** Base units. */
  readonly price: bigint;
  /** Rewarded nodes, starting with the one that sells; empty for a sale without a link. */
  readonly path: readonly NodeView[];
  readonly nextPolicy: Policy | undefined;
}

export function checkoutPreview(
  deployment: ServedDeployment,
  head: ReadHead,
  campaign: CampaignView,
  choice: PurchaseChoice,
  buyer?: Address,
): CheckoutPreview {
  const { policy, campaignId, trustMode } = campaign;
  const { skuHash, variant, price, path } = choice;
  const { id, title, summary, category, token } = productOf(soldBy(campaign));
  const refusals = [
    ...refusalsOf(campaign, head.timestamp),
    ...(buyer === undefined ? [] : selfReferralRefusal(campaign, path, buyer)),
  ];
  const nodeId = path[0]?.nodeId ?? null;
  const limits = { maxAmount: price.toString(), minPolicyVersion: policy.version };
  return {
    chainId: deployment.chainId,
    campaignId,
    state: campaign.state,
    trustMode,
    buyable: refusals.length === 0,
    refusals,
    merchant: merchantRef(campaign.seller),
    product: { id, title, summary, category },
    variant,
    skuHash,
    asks: campaign.product?.asks ?? NOTHING_ASKED,
    token,
    price: price.toString(),
    nodeId,
    policyVersion: policy.version,
    excludesSelfReferral: policy.excludesSelfReferral,
    nextPolicy: nextPolicy(choice.nextPolicy),
    holdSeconds: policy.holdSeconds,
    holdUntil: isoTime(head.timestamp + policy.holdSeconds),
    ...limits,
    split: splitOf(campaign, price, path),
    buy:
      trustMode === 'NATIVE_ONCHAIN'
        ? {
            contractAddress: deployment.contractAddress,
            functionName: 'buy',
            campaignId,
            termsHash: campaign.termsHash,
            nodeId: nodeId ?? '0',
            nodeOwner: path[0]?.owner ?? zeroAddress,
            skuHash,
            ...limits,
            allowance: price.toString(),
          }
        : null,
  };
}

/** Split of the price that settlement would predict for a sale at the block read. */
function splitOf(
  { policy, snapshot }: CampaignView,
  price: bigint,
  path: readonly NodeView[],
): CheckoutPreview['split'] {
  const { ledger } = snapshot;
  const input = {
    amount: price,
    liability: liabilityOf(ledger),
    available: ledger.available,
    path: path.map(({ nodeId }) => nodeId),
    policy,
  };
  const split = splitReward(input);
  const shares = split.shares.flatMap(({ level, nodeId, amount }) => {
    const recipient = path[level - 1]?.owner;
    return recipient === undefined ? [] : [{ level, nodeId, recipient, amount: amount.toString() }];
  });
  return {
    gross: split.gross.toString(),
    pool: split.pool.toString(),
    reserved: split.reserved.toString(),
    returned: split.returned.toString(),
    shares,
    missed: missedShares(input).map((one) => ({ ...one, amount: one.amount.toString() })),
  };
}
