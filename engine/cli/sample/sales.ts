import { zeroAddress } from 'viem';
import type { BookNode, BookSale } from './book.ts';
import { hashOf, type PlannedCampaign } from './campaign.ts';
import type { Actor } from './cast.ts';
import type { Signing } from './steps.ts';
import type { Story } from './story.ts';

/** How long a signature is good for, seconds; the contract takes 900 at most. */
const SIGNATURE_SECONDS = 600;
/** How often somebody buys through a node of their own: rankings must leave such sales out. */
const OWN_PURCHASES = 0.03;

/** Sells once: on the chain, or attested where the campaign wants it so. */
export function sell(story: Story, campaign: PlannedCampaign, node: BookNode | null): BookSale {
  const { id, script, book } = campaign;
  const { random, cast, last } = story;
  const [sku, price] = random.pick([...book.prices]);
  const own = node !== null && random.chance(OWN_PURCHASES);
  const buyer = own ? node.owner : random.pick(cast.buyers);
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
  if (script.trustMode === 'NATIVE_ONCHAIN') {
    story.equip(buyer, script.token);
    const { version } = book.policyAt(story.now);
    story.commerce(buyer, `buys ${what}`, {
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
    const message = { ...order, nonce: BigInt(last.order), deadline: deadlineOf(story) };
    story.commerce(cast.relayer, `records ${what}`, {
      functionName: 'recordAttestedSale',
      args: [message, '0x'],
      signing: {
        by: attesterOf(story, campaign),
        message: { primaryType: 'SaleAttestation', message },
      },
    });
  }
  return book.record({ id: last.sale, ...order }, node, story.now);
}

/** Refunds part of a sale, or what is left of it. @param amount base units. */
export function refund(
  story: Story,
  campaign: PlannedCampaign,
  sale: BookSale,
  amount: bigint,
): void {
  campaign.book.refund(sale, amount);
  const reasonHash = hashOf(`sale ${sale.id} came back`);
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(story);
  story.commerce(campaign.merchant, `refunds ${amount} of sale ${sale.id}`, {
    functionName: 'refund',
    args: [saleRef, amount, reasonHash, deadline, '0x'],
    ...signingOf(story, campaign, {
      primaryType: 'RefundApproval',
      message: { ...saleRef, refundedTotal: sale.refunded, reasonHash, deadline },
    }),
  });
}

/** Takes back the rewards of a finalized sale. */
export function reverse(story: Story, campaign: PlannedCampaign, sale: BookSale): void {
  campaign.book.reverse(sale);
  const reasonHash = hashOf(`sale ${sale.id} was charged back`);
  const saleRef = saleRefOf(campaign, sale);
  const deadline = deadlineOf(story);
  story.commerce(campaign.merchant, `reverses sale ${sale.id}`, {
    functionName: 'reverse',
    args: [saleRef, reasonHash, deadline, '0x'],
    ...signingOf(story, campaign, {
      primaryType: 'ReversalApproval',
      message: { ...saleRef, reasonHash, deadline },
    }),
  });
}

export function claimRewards(story: Story, { id, book }: PlannedCampaign, owner: Actor): void {
  book.claim(owner);
  story.commerce(owner, `claims its rewards of campaign ${id}`, {
    functionName: 'claimRewards',
    args: [[id]],
  });
}

/** What names a sale in a transaction: a reorg can give its number to another one. */
function saleRefOf({ id, termsHash }: PlannedCampaign, { buyer, orderKey }: BookSale) {
  return { campaignId: id, termsHash, buyer, orderKey };
}

/** The attester's consent, in the campaigns where a merchant needs it. */
function signingOf(
  story: Story,
  { script }: PlannedCampaign,
  message: Signing['message'],
): { signing?: Signing } {
  if (script.trustMode !== 'THIRD_PARTY_VERIFIED') return {};
  return { signing: { by: story.cast.attester, message } };
}

function attesterOf({ cast }: Story, { script, merchant }: PlannedCampaign): Actor {
  return script.trustMode === 'THIRD_PARTY_VERIFIED' ? cast.attester : merchant;
}

function deadlineOf({ now }: Story): bigint {
  return BigInt(now + SIGNATURE_SECONDS);
}
