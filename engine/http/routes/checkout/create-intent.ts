import { createHash } from 'node:crypto';
import { fulfils } from '../../../core/checkout.ts';
import type { Address } from '../../../core/events.ts';
import { findIntent, type Intent, keepIntent } from '../../../db/commerce/intents.ts';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { orderSale } from '../../../db/read/order-sale.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { newId } from '../../auth/token.ts';
import { lowerHash, readChoice } from '../../checkout/choice.ts';
import { askOrderKeyUsed } from '../../checkout/observe.ts';
import { reconciled } from '../../checkout/reconcile.ts';
import type { AppDeps } from '../../deps.ts';
import { ConflictError, IdempotencyConflictError, UnprocessableError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import type { Choice } from '../../render/checkout.ts';
import { refusalsOf } from '../../render/refusals.ts';

type Request = Parameters<Handler<'checkout.createIntent'>>[0];

/** Milliseconds that a buyer has for sending a transaction. */
const PAYMENT_MS = 30 * 60_000;

/** Largest amount that the contract can be asked for. */
const LARGEST_AMOUNT = 2n ** 256n - 1n;

/**
 * `checkout.createIntent`: begins a purchase, once per buyer and order key. The same key and body
 * answer the same intent again, as it stands by now; another body is refused.
 */
export const createIntent: Handler<'checkout.createIntent'> = async (input, deps, { session }) => {
  const order = { buyer: session.address, orderKey: lowerHash(input.orderKey) };
  const requestHash = hashOf(input);
  const intent =
    (await findIntent(deps.pool, order)) ??
    (await keepIntent(deps.pool, await begin(deps, session.address, input)));
  if (!Buffer.from(intent.requestHash).equals(requestHash)) {
    throw new IdempotencyConflictError(
      `The order key ${order.orderKey} was used for another purchase: choose a new one.`,
    );
  }
  return await reconciled(deps, intent);
};

/**
 * A new intent. An order key that has a sale on the chain already is that sale, whatever the campaign
 * allows by now: refusing it, or asking for money again, would lose the buyer's purchase.
 */
async function begin(
  deps: AppDeps,
  buyer: Address,
  input: Request,
): Promise<Omit<Intent, 'state'>> {
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
  const spent = sale !== undefined || (await askOrderKeyUsed(deps, order)) === true;
  if (!spent) requireBuyable(campaign, choice, { ...input, clock });
  const most = smaller(BigInt(input.maxAmount), LARGEST_AMOUNT);
  const wanted = { skuHash: choice.skuHash, amount: most };
  const now = deps.clock();
  return {
    ...order,
    id: newId(),
    requestHash: hashOf(input),
    termsHash: campaign.termsHash,
    nodeId: choice.path[0]?.nodeId ?? null,
    nodeOwner: choice.path[0]?.owner ?? null,
    skuHash: choice.skuHash,
    token: tokenOf(campaign),
    amount: sale && fulfils(sale, wanted) ? sale.amount : spent ? most : choice.price,
    minPolicyVersion: input.minPolicyVersion,
    createdAt: new Date(now),
    updatedAt: new Date(now),
    expiresAt: new Date(now + PAYMENT_MS),
  };
}

/**
 * @param clock unix seconds of the block read.
 * @throws {UnprocessableError} where nobody can buy from the campaign now.
 * @throws {ConflictError} where price or policy are not what the buyer saw.
 */
function requireBuyable(
  campaign: CampaignView,
  { price }: Choice,
  {
    maxAmount,
    minPolicyVersion,
    clock,
  }: Pick<Request, 'maxAmount' | 'minPolicyVersion'> & { readonly clock: number },
): void {
  const refusals = refusalsOf(campaign, clock);
  if (refusals.length > 0) {
    throw new UnprocessableError(refusals.map(({ message }) => message).join(' '));
  }
  if (price > BigInt(maxAmount)) {
    throw new ConflictError(
      `The price is ${price} base units by now, above maxAmount ${maxAmount}: ask for a new preview.`,
    );
  }
  const { version } = campaign.policy;
  if (version < minPolicyVersion) {
    throw new ConflictError(
      `Policy version ${version} is in effect, older than minPolicyVersion ${minPolicyVersion}: ask for a new preview.`,
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

/** sha-256 of what was asked for, however its hex digits and its direct sale are written. */
function hashOf(input: Request): Buffer {
  const { campaignId, nodeId = '0', skuHash, variantId, maxAmount, minPolicyVersion } = input;
  const sku = skuHash === undefined ? null : lowerHash(skuHash);
  const asked = [campaignId, nodeId, sku, variantId ?? null, maxAmount, minPolicyVersion];
  return createHash('sha256').update(JSON.stringify(asked)).digest();
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
