import { type Hex, hexToBigInt, zeroAddress } from 'viem';
import type { Actor } from '../actors.ts';
import { hashOf } from '../campaign.ts';
import {
  type CampaignRecord,
  findCampaign,
  merchantOfCampaign,
  randomKey,
  TriggerError,
  type TriggerWorld,
  tokenOfCampaign,
} from './world.ts';

/** Seconds for which a signature is valid; the contract allows at most 900. */
const SIGNATURE_SECONDS = 600;

/** A sale that a transaction of the timeline records. */
interface TriggeredSale {
  readonly campaign: CampaignRecord;
  readonly buyer: Actor;
  readonly amount: bigint;
  readonly orderKey: Hex;
}

/** Sells the campaign's own SKU through its first node, as the trust mode demands. */
export async function sell(world: TriggerWorld): Promise<TriggeredSale> {
  const { client, timeline, actors } = world;
  const need = 'be active, and its budget, capacity and policy must allow a sale';
  const campaign = await findCampaign(world, need, async ({ campaignId, state, trustMode }) => {
    if (state !== 'FUNDED_ACTIVE') return false;
    if (trustMode !== 'NATIVE_ONCHAIN') return world.campaignId !== undefined;
    return (await client.checkout.preview({ campaignId })).data.buyable;
  });
  const { campaignId } = campaign;
  const { data: graph } = await client.graph.forCampaign({ campaignId, limit: 1 });
  const { data: preview } = await client.checkout.preview({ campaignId });
  const [node] = graph.items;
  const buyer = timeline.random.pick(actors.buyers);
  const orderKey = randomKey();
  const amount = BigInt(preview.price);
  const order = {
    campaignId: BigInt(campaignId),
    termsHash: campaign.termsHash,
    buyer: buyer.address,
    nodeId: BigInt(node?.nodeId ?? 0),
    nodeOwner: node?.owner ?? zeroAddress,
    amount,
    orderKey,
    skuHash: preview.skuHash,
  };
  if (campaign.trustMode === 'NATIVE_ONCHAIN') {
    timeline.equip(buyer, tokenOfCampaign(world, campaign));
    const { termsHash, nodeId, nodeOwner, skuHash } = order;
    timeline.call(buyer, `buys in campaign ${campaignId}`, {
      functionName: 'buy',
      args: [
        ...([order.campaignId, termsHash, nodeId, nodeOwner] as const),
        ...([skuHash, orderKey, amount, preview.minPolicyVersion] as const),
      ],
    });
  } else {
    const message = { ...order, nonce: hexToBigInt(randomKey()), deadline: deadlineOf(world) };
    const isThird = campaign.trustMode === 'THIRD_PARTY_VERIFIED';
    timeline.call(actors.relayer, `records a sale of campaign ${campaignId}`, {
      functionName: 'recordAttestedSale',
      args: [message, '0x'],
      signing: {
        by: isThird ? actors.attester : merchantOfCampaign(campaign),
        message: { primaryType: 'SaleAttestation', message },
      },
    });
  }
  return { campaign, buyer, amount, orderKey };
}

/** Sells, and refunds all of it. */
export async function sellAndRefund(world: TriggerWorld): Promise<void> {
  const { campaign, buyer, amount, orderKey } = await sell(world);
  const { campaignId, termsHash } = campaign;
  const saleRef = { campaignId: BigInt(campaignId), termsHash, buyer: buyer.address, orderKey };
  const reasonHash = hashOf('The sale was made to be refunded.');
  const deadline = deadlineOf(world);
  const approval = { ...saleRef, refundedTotal: amount, reasonHash, deadline };
  world.timeline.call(merchantOfCampaign(campaign), 'refunds the sale', {
    functionName: 'refund',
    args: [saleRef, amount, reasonHash, deadline, '0x'],
    ...(campaign.trustMode === 'THIRD_PARTY_VERIFIED' && {
      signing: {
        by: world.actors.attester,
        message: { primaryType: 'RefundApproval', message: approval },
      },
    }),
  });
}

/**
 * Finalizes the oldest sale whose hold is over.
 * @throws {TriggerError} with the time of the next one if there is none.
 */
export async function finalize(
  world: TriggerWorld,
  { withReward }: { readonly withReward: boolean },
): Promise<void> {
  const { client, timeline, actors, campaignId } = world;
  const sales =
    campaignId === undefined
      ? client.pages(client.receipts.recent, { limit: 100 })
      : client.pages(client.receipts.forCampaign, { campaignId, limit: 100 });
  let next: { readonly saleId: string; readonly holdUntil: string } | undefined;
  for await (const sale of sales) {
    if (sale.state !== 'pending') continue;
    if (withReward && (sale.nodeId === null || sale.pool === '0')) continue;
    if (next === undefined || sale.holdUntil <= next.holdUntil) next = sale;
  }
  if (next === undefined) throw new TriggerError('No sale is pending.');
  const { saleId, holdUntil } = next;
  if (Date.parse(holdUntil) / 1_000 > timeline.now) {
    throw new TriggerError(
      `No sale is past its hold: the next one is sale ${saleId}, at ${holdUntil}.`,
    );
  }
  timeline.call(actors.relayer, `finalizes sale ${saleId}`, {
    functionName: 'finalize',
    args: [[BigInt(saleId)]],
  });
}

/** Sells, and returns how the buyer disputes the sale once it is settled. */
export async function sellAndDispute(
  world: TriggerWorld,
): Promise<(chainId: number, saleId: string) => Promise<string>> {
  const { buyer } = await sell(world);
  return async (chainId, saleId) => {
    const client = await world.accounts.as(buyer);
    try {
      const { data } = await client.disputes.open({
        chainId,
        saleId,
        reason: 'not_received',
        message: 'This dispute is a test of `tributary trigger`.',
      });
      return data.id;
    } finally {
      await world.accounts.leave();
    }
  };
}

function deadlineOf({ timeline }: TriggerWorld): bigint {
  return BigInt(timeline.now + SIGNATURE_SECONDS);
}
