import { createHash } from 'node:crypto';
import { NOTHING_ASKED } from '../../../core/buyer-details.ts';
import { intentAmount } from '../../../core/checkout.ts';
import type { Address } from '../../../core/events.ts';
import {
  findIntent,
  type Intent,
  keepIntent,
  type NewIntent,
} from '../../../db/commerce/intents.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { orderSale } from '../../../db/read/sales/by-order.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';
import { conflict, HttpError, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerHash } from '../../input/hash.ts';
import type { PurchaseChoice } from '../../render/checkout.ts';
import { refusalsOf, selfReferralRefusal } from '../../render/refusals.ts';
import { readChoice } from '../../resources/checkout/choice.ts';
import { readOrderKeyUsed } from '../../resources/checkout/observe.ts';
import { reconciled } from '../../resources/checkout/reconcile.ts';

type Request = Parameters<Handler<'checkout.createIntent'>>[0];

/** Milliseconds that a buyer has to send a transaction. */
const PAYMENT_MS = 30 * 60_000;

/**
 * `checkout.createIntent`: starts a purchase, once per buyer and order key. The same key and body return
 * the current state of the same intent, even if it was cancelled; another body is rejected.
 */
export const createIntent: Handler<'checkout.createIntent'> = async (input, deps, { account }) => {
  const order = { buyer: account, orderKey: lowerHash(input.orderKey) };
  const requestHash = hashOf(input);
  const intent =
    (await findIntent(deps.pool, order)) ??
    (await keepIntent(deps.pool, await begin(deps, account, input)));
  if (!Buffer.from(intent.requestHash).equals(requestHash)) {
    throw new HttpError(
      'IDEMPOTENCY_CONFLICT',
      `The order key ${order.orderKey} was used for another purchase: choose a new key.`,
    );
  }
  return await reconciled(deps, intent);
};

/**
 * Creates an intent. If the order key already has a sale on the chain, the intent is that sale, whatever the
 * campaign allows now: rejecting it, or asking for money again, would lose the buyer's purchase.
 */
async function begin(deps: AppDeps, buyer: Address, input: Request): Promise<NewIntent> {
  const orderKey = lowerHash(input.orderKey);
  const { campaign, choice, sale, clock } = await readLedger(deps.pool, async (snapshot) => {
    const chosen = await readChoice(snapshot, input);
    const order = { campaignId: chosen.campaign.campaignId, buyer, orderKey };
    return {
      ...chosen,
      sale: await orderSale(snapshot, order),
      clock: snapshot.head.timestamp,
    };
  });
  const order = { campaignId: campaign.campaignId, buyer, orderKey };
  const spent = sale !== undefined || (await readOrderKeyUsed(deps, order)) === true;
  if (!spent) requireBuyable(campaign, choice, { ...input, buyer, clock });
  const requested = { skuHash: choice.skuHash, amount: BigInt(input.maxAmount) };
  const now = deps.clock();
  return {
    ...order,
    id: newId(),
    requestHash: hashOf(input),
    termsHash: campaign.termsHash,
    nodeId: choice.path[0]?.nodeId ?? null,
    nodeOwner: choice.path[0]?.owner ?? null,
    skuHash: choice.skuHash,
    asks: campaign.product?.asks ?? NOTHING_ASKED,
    token: tokenOf(campaign),
    amount: intentAmount(requested, { sale: sale ?? null, spent, price: choice.price }),
    minPolicyVersion: input.minPolicyVersion,
    createdAt: new Date(now),
    updatedAt: new Date(now),
    expiresAt: new Date(now + PAYMENT_MS),
  };
}

/**
 * @param clock unix seconds of the block read.
 * @throws {HttpError} UNPROCESSABLE if the buyer cannot buy the campaign's product now.
 * @throws {HttpError} CONFLICT if the price or the policy is not the one that the buyer saw.
 */
function requireBuyable(
  campaign: CampaignView,
  { price, path }: PurchaseChoice,
  {
    maxAmount,
    minPolicyVersion,
    buyer,
    clock,
  }: Pick<Request, 'maxAmount' | 'minPolicyVersion'> & {
    readonly buyer: Address;
    readonly clock: number;
  },
): void {
  const refusals = [...refusalsOf(campaign, clock), ...selfReferralRefusal(campaign, path, buyer)];
  if (refusals.length > 0) {
    throw unprocessable(refusals.map(({ message }) => message).join(' '));
  }
  if (price > BigInt(maxAmount)) {
    throw conflict(
      `The price is ${price} base units now, above maxAmount ${maxAmount}: get a new preview.`,
    );
  }
  const { version } = campaign.policy;
  if (version < minPolicyVersion) {
    throw conflict(
      `Policy version ${version} is in effect, older than minPolicyVersion ${minPolicyVersion}: get a new preview.`,
    );
  }
}

function tokenOf(campaign: CampaignView): Intent['token'] {
  const {
    token: address,
    tokenSymbol: symbol,
    tokenDecimals: decimals,
    tokenName: name,
  } = campaign;
  return { address, symbol, decimals, name };
}

/** SHA-256 of the request, independent of the case of hex digits and the spelling of a sale without a link. */
function hashOf(input: Request): Buffer {
  const { campaignId, nodeId = '0', skuHash, variantId, maxAmount, minPolicyVersion } = input;
  const sku = skuHash === undefined ? null : lowerHash(skuHash);
  const fields = [campaignId, nodeId, sku, variantId ?? null, maxAmount, minPolicyVersion];
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}
