import { type Address, zeroAddress } from 'viem';
import { policyAt } from '../engine/core/campaign.ts';
import {
  claimEvents,
  type Node,
  refundEvents,
  reverseEvents,
  type Sale,
  saleEvents,
  saleOf,
} from '../engine/core/fold/index.ts';
import { type Actor, distributorOf } from './actors.ts';
import { foldEvents, hashOf, type PlannedCampaign } from './campaign.ts';
import type { Signing } from './planned-transaction.ts';
import type { Timeline } from './timeline.ts';

/** Seconds for which a signature is valid; the contract allows at most 900. */
const SIGNATURE_SECONDS = 600;
/** Share of sales through the buyer's own node, which rankings must ignore. */
const OWN_PURCHASES = 0.03;

/** The owner of the node that sells; another buyer if the policy excludes self-referral. */
function ownBuyer({ actors, now }: Timeline, { ledger }: PlannedCampaign, node: Node): Actor {
  const [first] = actors.buyers;
  const isExcluded = policyAt(ledger.policies, now)?.excludesSelfReferral === true;
  return isExcluded && first ? first : distributorOf(actors, node.owner);
}

/** Plans one sale: a purchase on the chain, or an attested sale, as the trust mode demands. */
export function sell(timeline: Timeline, campaign: PlannedCampaign, node: Node | null): Sale {
  const { id, scenario, prices } = campaign;
  const { random, actors, last } = timeline;
  const [sku, price] = random.pick([...prices]);
  const own = node !== null && random.chance(OWN_PURCHASES);
  const buyer = own ? ownBuyer(timeline, campaign, node) : random.pick(actors.buyers);
  last.sale += 1n;
  last.order += 1;
  const order = {
    campaignId: id,
    termsHash: campaign.termsHash,
    buyer: buyer.address,
    nodeId: BigInt(node?.nodeId ?? 0),
    nodeOwner: node?.owner ?? zeroAddress,
    amount: price,
    orderKey: hashOf(`order ${last.order}`),
    skuHash: hashOf(sku),
  };
  const what = `sale ${last.sale}, ${sku} ${node === null ? 'directly' : `through node ${node.nodeId}`}`;
  if (scenario.trustMode === 'NATIVE_ONCHAIN') {
    timeline.equip(buyer, scenario.token);
    const version = policyAt(campaign.ledger.policies, timeline.now)?.version ?? 0;
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
    const nonce = BigInt(last.order);
    const message = { ...order, nonce, deadline: deadlineOf(timeline) };
    const signer = attesterOf(timeline, campaign);
    timeline.call(actors.relayer, `records ${what}`, {
      functionName: 'recordAttestedSale',
      args: [message, '0x'],
      signing: {
        by: signer,
        message: { primaryType: 'SaleAttestation', message },
      },
    });
    const args = { saleId: String(last.sale), signer: signer.address, nonce: String(nonce) };
    foldEvents(timeline, campaign, [{ name: 'SaleAttested', args }]);
  }
  const saleId = String(last.sale);
  const { amount, orderKey, skuHash } = order;
  const sale = {
    saleId,
    buyer: buyer.address,
    nodeId: node?.nodeId ?? '0',
    amount,
    orderKey,
    skuHash,
  };
  foldEvents(timeline, campaign, saleEvents(campaign.ledger, sale, timeline.now));
  return saleOf(campaign.ledger, saleId);
}

/** Refunds a part of a sale. @param part base units; `null` refunds its rest. */
export function refund(
  timeline: Timeline,
  campaign: PlannedCampaign,
  saleId: string,
  part: bigint | null,
): void {
  const sale = saleOf(campaign.ledger, saleId);
  const amount = part ?? sale.amount - sale.refundedTotal;
  const reasonHash = hashOf(`sale ${saleId} came back`);
  foldEvents(timeline, campaign, refundEvents(campaign.ledger, saleId, amount, reasonHash));
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(timeline);
  timeline.call(campaign.merchant, `refunds ${amount} of sale ${saleId}`, {
    functionName: 'refund',
    args: [saleRef, amount, reasonHash, deadline, '0x'],
    ...signingOf(timeline, campaign, {
      primaryType: 'RefundApproval',
      message: { ...saleRef, refundedTotal: sale.refundedTotal + amount, reasonHash, deadline },
    }),
  });
}

/** Reverses the rewards of a finalized sale. */
export function reverse(timeline: Timeline, campaign: PlannedCampaign, sale: Sale): void {
  const { saleId } = sale;
  const reasonHash = hashOf(`sale ${saleId} was charged back`);
  foldEvents(timeline, campaign, reverseEvents(campaign.ledger, saleId, reasonHash));
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(timeline);
  timeline.call(campaign.merchant, `reverses sale ${saleId}`, {
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
  campaign: PlannedCampaign,
  account: Address,
): void {
  const { id, ledger } = campaign;
  foldEvents(timeline, campaign, claimEvents(ledger, account));
  const owner = distributorOf(timeline.actors, account);
  timeline.call(owner, `claims its rewards of campaign ${id}`, {
    functionName: 'claimRewards',
    args: [[id]],
  });
}

/** Fields that name a sale in a transaction: after a reorg its number can be another sale's. */
function saleRefOf({ id, termsHash }: PlannedCampaign, { buyer, orderKey }: Sale) {
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
