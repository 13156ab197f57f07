import { zeroAddress } from 'viem';
import type { Actor } from './actors.ts';
import { hashOf, type PlannedCampaign } from './campaign.ts';
import type { ModelNode, ModelSale } from './ledger-model.ts';
import type { Signing } from './planned-transaction.ts';
import type { Timeline } from './timeline.ts';

/** Seconds for which a signature is valid; the contract allows at most 900. */
const SIGNATURE_SECONDS = 600;
/** Share of sales through the buyer's own node, which rankings must ignore. */
const OWN_PURCHASES = 0.03;

/** Plans one sale: a purchase on the chain, or an attested sale, as the trust mode demands. */
export function sell(
  timeline: Timeline,
  campaign: PlannedCampaign,
  node: ModelNode | null,
): ModelSale {
  const { id, scenario, ledger } = campaign;
  const { random, actors, last } = timeline;
  const [sku, price] = random.pick([...ledger.prices]);
  const own = node !== null && random.chance(OWN_PURCHASES);
  const buyer = own ? node.owner : random.pick(actors.buyers);
  last.sale += 1n;
  last.order += 1;
  const order = {
    campaignId: id,
    termsHash: campaign.termsHash,
    buyer: buyer.address,
    nodeId: node?.id ?? 0n,
    nodeOwner: node?.owner.address ?? zeroAddress,
    amount: price,
    orderKey: hashOf(`order ${last.order}`),
    skuHash: hashOf(sku),
  };
  const what = `sale ${last.sale}, ${sku} ${node === null ? 'directly' : `through node ${node.id}`}`;
  if (scenario.trustMode === 'NATIVE_ONCHAIN') {
    timeline.equip(buyer, scenario.token);
    const { version } = ledger.policyAt(timeline.now);
    timeline.call(buyer, `buys ${what}`, {
      functionName: 'buy',
      args: [
        id,
        order.termsHash,
        order.nodeId,
        order.nodeOwner,
        order.skuHash,
        order.orderKey,
        price,
        version,
      ],
    });
  } else {
    const message = { ...order, nonce: BigInt(last.order), deadline: deadlineOf(timeline) };
    timeline.call(actors.relayer, `records ${what}`, {
      functionName: 'recordAttestedSale',
      args: [message, '0x'],
      signing: {
        by: attesterOf(timeline, campaign),
        message: { primaryType: 'SaleAttestation', message },
      },
    });
  }
  return ledger.record({ id: last.sale, ...order }, node, timeline.now);
}

/** Refunds a part of a sale, or its rest. @param amount base units. */
export function refund(
  timeline: Timeline,
  campaign: PlannedCampaign,
  sale: ModelSale,
  amount: bigint,
): void {
  campaign.ledger.refund(sale, amount);
  const reasonHash = hashOf(`sale ${sale.id} came back`);
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(timeline);
  timeline.call(campaign.merchant, `refunds ${amount} of sale ${sale.id}`, {
    functionName: 'refund',
    args: [saleRef, amount, reasonHash, deadline, '0x'],
    ...signingOf(timeline, campaign, {
      primaryType: 'RefundApproval',
      message: { ...saleRef, refundedTotal: sale.refunded, reasonHash, deadline },
    }),
  });
}

/** Reverses the rewards of a finalized sale. */
export function reverse(timeline: Timeline, campaign: PlannedCampaign, sale: ModelSale): void {
  campaign.ledger.reverse(sale);
  const reasonHash = hashOf(`sale ${sale.id} was charged back`);
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(timeline);
  timeline.call(campaign.merchant, `reverses sale ${sale.id}`, {
    functionName: 'reverse',
    args: [saleRef, reasonHash, deadline, '0x'],
    ...signingOf(timeline, campaign, {
      primaryType: 'ReversalApproval',
      message: { ...saleRef, reasonHash, deadline },
    }),
  });
}

/** Claims all rewards of an account in a campaign. */
export function claimRewards(
  timeline: Timeline,
  { id, ledger }: PlannedCampaign,
  owner: Actor,
): void {
  ledger.claim(owner);
  timeline.call(owner, `claims its rewards of campaign ${id}`, {
    functionName: 'claimRewards',
    args: [[id]],
  });
}

/** Fields that name a sale in a transaction: after a reorg its number can be another sale's. */
function saleRefOf({ id, termsHash }: PlannedCampaign, { buyer, orderKey }: ModelSale) {
  return { campaignId: id, termsHash, buyer, orderKey };
}

/** Signature of the attester, if the trust mode requires it. */
function signingOf(
  timeline: Timeline,
  { scenario }: PlannedCampaign,
  message: Signing['message'],
): { signing?: Signing } {
  if (scenario.trustMode !== 'THIRD_PARTY_VERIFIED') return {};
  return { signing: { by: timeline.actors.attester, message } };
}

function attesterOf({ actors }: Timeline, { scenario, merchant }: PlannedCampaign): Actor {
  return scenario.trustMode === 'THIRD_PARTY_VERIFIED' ? actors.attester : merchant;
}

function deadlineOf({ now }: Timeline): bigint {
  return BigInt(now + SIGNATURE_SECONDS);
}
