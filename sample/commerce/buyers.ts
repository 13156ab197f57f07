import type { Client } from '../../engine/client/index.ts';
import { hashOf } from '../campaign.ts';
import { campaignIdOf, type MerchantSlug, merchant, numbered, type World } from './world.ts';

type Purchase = Awaited<ReturnType<Client['receipts']['forBuyer']>>['data']['items'][number];

/** Disputes by the buyer's number, and the merchant's response. */
const disputes: readonly {
  readonly buyer: number;
  readonly campaign: string;
  readonly merchant: MerchantSlug;
  readonly reason: 'not_received' | 'not_as_described' | 'charged_in_error' | 'other';
  readonly message: string;
  readonly answer: Readonly<Omit<Parameters<Client['disputes']['respond']>[0], 'id'>> | null;
}[] = [
  {
    buyer: 5,
    campaign: 'single-origin-subscription',
    merchant: 'harbor-roasters',
    reason: 'not_received',
    message: 'The parcel should have been here on Friday.',
    answer: { response: 'message', message: 'It is at your post office; can you look there?' },
  },
  {
    buyer: 15,
    campaign: 'single-origin-subscription',
    merchant: 'harbor-roasters',
    reason: 'not_as_described',
    message: 'The bag was open, and half of the beans were in the box.',
    answer: { response: 'accept', message: 'We are sorry. You get all of it back.' },
  },
  {
    buyer: 15,
    campaign: 'alpine-shell-jacket',
    merchant: 'fjord-outfitters',
    reason: 'other',
    message: 'I wore it for a week, and would rather have the blue one.',
    answer: {
      response: 'decline',
      reason: 'Worn jackets are repaired or exchanged, not refunded.',
    },
  },
  {
    buyer: 30,
    campaign: 'barista-starter-kit',
    merchant: 'harbor-roasters',
    reason: 'charged_in_error',
    message: 'I ordered one kit and paid for two.',
    answer: null,
  },
];

/** Opens disputes of buyers about pending sales, and responds as their merchants. */
export async function dispute({ accounts, actors }: World): Promise<void> {
  for (const { buyer, campaign, merchant: slug, answer, reason, message } of disputes) {
    const client = await accounts.as(numbered(actors.buyers, buyer));
    const sale = await newestSale(client, { campaign, state: 'pending' });
    if (sale === undefined || !sale.refundable || sale.dispute !== null) continue;
    const { chainId, saleId } = sale;
    const { data } = await client.disputes.open({ chainId, saleId, reason, message });
    if (answer === null) continue;
    const seller = await accounts.as(merchant(slug));
    await seller.disputes.respond({ id: data.id, ...answer });
  }
}

/** Makes two purchase intents: one that a recorded sale paid for, and one that is still open. */
export async function checkOut({ accounts, actors }: World): Promise<void> {
  const client = await accounts.as(numbered(actors.buyers, 15));
  const campaignId = campaignIdOf('single-origin-subscription');
  const sale = await newestSale(client, { campaign: 'single-origin-subscription' });
  if (sale === undefined) return;
  const { data: receipt } = await client.receipts.get({
    chainId: sale.chainId,
    saleId: sale.saleId,
  });
  await client.checkout.createIntent({
    campaignId,
    orderKey: sale.orderKey,
    skuHash: sale.product.skuHash,
    nodeId: sale.nodeId ?? '0',
    maxAmount: sale.amount,
    minPolicyVersion: receipt.policy.version,
  });
  const { data: preview } = await client.checkout.preview({ campaignId });
  await client.checkout.createIntent({
    campaignId,
    orderKey: hashOf('the next order of buyer 15'),
    maxAmount: preview.maxAmount,
    minPolicyVersion: preview.minPolicyVersion,
  });
}

/** Gives the merchant of a physical product what its checkout asks for, as the buyer of a kit that is on hold. */
export async function orderDelivery({ accounts, actors }: World): Promise<void> {
  const campaign = 'barista-starter-kit';
  const client = await accounts.as(numbered(actors.buyers, 30));
  const sale = await newestSale(client, { campaign, state: 'pending' });
  if (sale === undefined) return;
  const { chainId, saleId } = sale;
  const { data: receipt } = await client.receipts.get({ chainId, saleId });
  const { data: intent } = await client.checkout.createIntent({
    campaignId: campaignIdOf(campaign),
    orderKey: sale.orderKey,
    skuHash: sale.product.skuHash,
    nodeId: sale.nodeId ?? '0',
    maxAmount: sale.amount,
    minPolicyVersion: receipt.policy.version,
  });
  await client.checkout.saveDetails({
    id: intent.id,
    email: 'nora@example.com',
    address: {
      name: 'Nora Lind',
      line1: '12 Harbour Street',
      postalCode: '5003',
      city: 'Bergen',
      country: 'NO',
    },
    note: 'Please ring twice: the bell is soft.',
  });
}

async function newestSale(
  client: Client,
  { campaign, state }: { readonly campaign: string; readonly state?: Purchase['state'] },
): Promise<Purchase | undefined> {
  const campaignId = campaignIdOf(campaign);
  const { data } = await client.receipts.forBuyer({ campaignId, state, limit: 1 });
  return data.items[0];
}
