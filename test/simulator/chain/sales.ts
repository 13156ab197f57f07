import type { Actor } from '../../../sample/actors.ts';
import { signTyped } from '../../../sample/typed-data.ts';
import { type Call, callOf } from './call.ts';
import { buyByOrder } from './orders.ts';
import {
  campaignStates,
  type SeenCampaign,
  type Sight,
  saleStatuses,
  trustModes,
} from './sight.ts';
import { hashOf } from './terms.ts';

/** Makes a sensible call; `undefined` where there is nothing to make one of. */
export type Move = (sight: Sight, step: number) => Promise<Call | undefined>;

const REASON = hashOf('reason');

/** A number that no sale has. */
const NOWHERE = 1_000_000n;

/** How long an approval is valid: nearly as long as the contract allows. */
const APPROVAL_SECONDS = 890n;

/** A purchase or an attested sale, whichever the campaign takes. */
export const sell: Move = async (sight, step) => {
  const campaign = await sight.campaignIn(campaignStates.active);
  if (campaign === undefined) return undefined;
  return campaign.trustMode === trustModes.native
    ? await buyIn(sight, campaign, step)
    : await attestIn(sight, campaign, step);
};

async function buyIn(sight: Sight, campaign: SeenCampaign, step: number): Promise<Call> {
  const { nodeId, owner } = await sight.anyNode(campaign.id);
  const maxAmount = await sight.price(campaign);
  const { id: campaignId, termsHash, skuHash } = campaign;
  const orderKey = hashOf(`order ${step}`);
  const buyer = sight.anybody();
  if (sight.dice.chance(30)) {
    const sold = { campaignId, termsHash, skuHash, orderKey, maxAmount, minPolicyVersion: 0 };
    return await buyByOrder(sight, buyer, { ...sold, nodeId, nodeOwner: owner });
  }
  const order = [skuHash, orderKey, maxAmount, 0] as const;
  return callOf(buyer.address, 'buy', [campaignId, termsHash, nodeId, owner, ...order]);
}

/** An attested sale as its signer signs it. */
export async function attestationOf(
  sight: Sight,
  { id: campaignId, termsHash }: Pick<SeenCampaign, 'id' | 'termsHash'>,
  step: number,
) {
  const { nodeId, owner: nodeOwner } = await sight.anyNode(campaignId);
  return {
    campaignId,
    termsHash,
    buyer: sight.anybody().address,
    nodeId,
    nodeOwner,
    amount: BigInt(sight.dice.pick([1, 999, 250_001, 9_000_000])),
    orderKey: hashOf(`order ${step}`),
    skuHash: hashOf('sku'),
    nonce: BigInt(step),
    // Good for as long as it may be, so that a reorg finds most of them still good.
    deadline: (await sight.now()) + 890n,
  };
}

async function attestIn(sight: Sight, campaign: SeenCampaign, step: number): Promise<Call> {
  const message = await attestationOf(sight, campaign, step);
  const byMerchant = campaign.trustMode === trustModes.merchantAttested;
  const signer = byMerchant ? campaign.merchant : sight.market.attester;
  const signature = await sign(sight, signer, { primaryType: 'SaleAttestation', message });
  return callOf(sight.anybody().address, 'recordAttestedSale', [message, signature]);
}

/** Gives back a part of a sale, or all that is left of it. */
export const refund: Move = async (sight) => {
  const sale = await sight.anySale(saleStatuses.pending);
  if (sale === undefined) return undefined;
  const campaign = await sight.campaign(sale.campaignId);
  const left = sale.amount - sale.refundedTotal;
  const part = sight.dice.pick([left, left / 2n + 1n, left / 3n + 1n, 1n]);
  const deadline = (await sight.now()) + APPROVAL_SECONDS;
  const saleRef = await sight.saleRef(campaign, sale.id);
  const refundedTotal = sale.refundedTotal + part;
  const message = { ...saleRef, refundedTotal, reasonHash: REASON, deadline };
  const signature =
    campaign.trustMode === trustModes.thirdPartyVerified
      ? await sign(sight, sight.market.attester, { primaryType: 'RefundApproval', message })
      : '0x';
  const args = [saleRef, part, REASON, deadline, signature] as const;
  return callOf(campaign.merchant.address, 'refund', args);
};

/** Reverses an attested sale after its finalization. */
export const reverse: Move = async (sight) => {
  const campaign = await sight.campaignOfMode((mode) => mode !== trustModes.native);
  if (campaign === undefined) return undefined;
  for (let tries = 0; tries < 6; tries += 1) {
    const sale = await sight.anySale(saleStatuses.finalized);
    if (sale === undefined || sale.campaignId !== campaign.id) continue;
    const deadline = (await sight.now()) + APPROVAL_SECONDS;
    const saleRef = await sight.saleRef(campaign, sale.id);
    const message = { ...saleRef, reasonHash: REASON, deadline };
    const signature =
      campaign.trustMode === trustModes.thirdPartyVerified
        ? await sign(sight, sight.market.attester, { primaryType: 'ReversalApproval', message })
        : '0x';
    const args = [saleRef, REASON, deadline, signature] as const;
    return callOf(campaign.merchant.address, 'reverse', args);
  }
  return undefined;
};

/** Finalizes up to three sales whose hold is over; now and then names one that has to be skipped. */
export const finalize: Move = async (sight) => {
  const now = await sight.now();
  const due: bigint[] = [];
  for (let tries = 0; tries < 6 && due.length < 3; tries += 1) {
    const sale = await sight.anySale(saleStatuses.pending);
    if (sale === undefined) return undefined;
    if (sale.holdUntil <= now) due.push(sale.id);
  }
  if (due.length > 0 && sight.dice.chance(20)) due.push(sight.dice.pick([NOWHERE, ...due]));
  return due.length === 0 ? undefined : callOf(sight.anybody().address, 'finalize', [due]);
};

/** Signs typed data for the contract of the market. */
export function sign(sight: Sight, by: Actor, message: Parameters<typeof signTyped>[2]) {
  const { contract: contractAddress } = sight.market.chain;
  return signTyped(by, { chainId: 31_337, contractAddress }, message);
}
