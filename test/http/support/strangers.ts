import { openDispute } from '../../../engine/db/commerce/disputes.ts';
import { keepIntent } from '../../../engine/db/commerce/intents.ts';
import { saveMerchant } from '../../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../../engine/db/commerce/save-product.ts';
import { account, hash } from '../../support/history.ts';
import type { ApiBench } from './bench.ts';
import { moderate } from './moderate.ts';
import type { Parts } from './requests.ts';
import { signedIn } from './session.ts';

/** An account that owns something, and one that has no part in it. */
export const OWNER = account(70);
export const STRANGER = account(71);

/** Makes a thing of OWNER's, and answers the input that names it. */
type Owned = (bench: ApiBench) => Promise<Partial<Parts>>;

/**
 * For each session method that names a thing in its path: how to make one that is OWNER's, so that
 * STRANGER is refused it with 403 or 404; or `open`, where the thing is nobody's alone.
 */
export const owned: Readonly<Record<string, Owned | 'open'>> = {
  'auth.revokeSession': async ({ deps }) => ({
    params: { id: (await signedIn(deps, OWNER)).id },
  }),
  'moderation.hide': async () => ({ params: { campaignId: '1' }, body: { reason: 'A fake.' } }),
  'moderation.unhide': async ({ pool }) => {
    await moderate(pool, 'hide', '1');
    return { params: { campaignId: '1' }, body: { reason: 'Fine.' } };
  },
  'moderation.log': async ({ pool }) => {
    await moderate(pool, 'hide', '1');
    await moderate(pool, 'unhide', '1');
    return {};
  },
  'merchants.slugAvailable': 'open',
  'checkout.getIntent': async (bench) => ({ params: { id: await intentOf(bench) } }),
  'checkout.attachTransaction': async (bench) => ({
    params: { id: await intentOf(bench) },
    body: { transactionHash: hash('transaction') },
  }),
  'fulfillment.access': async (bench) => ({ params: { saleId: await purchaseOf(bench) } }),
  'disputes.get': async (bench) => ({ params: { id: await disputeOf(bench) } }),
  'disputes.respond': async (bench) => ({
    params: { id: await disputeOf(bench) },
    body: { response: 'message', message: 'Please.' },
  }),
  'products.save': async (bench) => ({
    params: { id: await productOf(bench) },
    body: {
      version: 1,
      status: 'draft',
      title: 'Changed',
      summary: '',
      category: 'x',
      fulfillmentMode: 'manual',
    },
  }),
  'products.uploadAsset': async (bench) => ({ params: { id: await productOf(bench) } }),
  'links.joinPreview': 'open',
  'links.stats': async ({ pool }) => {
    await pool`
      insert into ledger.node
      select campaign_id, 70, seq, null, ${OWNER}, 1, block_number, block_timestamp,
        transaction_hash
      from ledger.node where node_id = 1 on conflict do nothing`;
    return { params: { nodeId: '70' } };
  },
  'campaigns.saveDraft': async (bench) => ({
    params: { id: await draftOf(bench) },
    body: { version: 1 },
  }),
  'campaigns.getDraft': async (bench) => ({ params: { id: await draftOf(bench) } }),
  'campaigns.deleteDraft': async (bench) => ({ params: { id: await draftOf(bench) } }),
  'campaigns.prepareCreate': async (bench) => ({ params: { id: await draftOf(bench) } }),
  'campaigns.updateSettings': async (bench) => ({
    params: { campaignId: await campaignOf(bench) },
    body: { listed: true },
  }),
  'analytics.campaign': async (bench) => ({ params: { campaignId: await campaignOf(bench) } }),
  'campaigns.distributors': async (bench) => ({ params: { campaignId: await campaignOf(bench) } }),
  'invitations.respond': async (bench) => ({
    params: { id: await invitationOf(bench, { distributor: OWNER }) },
    body: { response: 'decline' },
  }),
  'invitations.withdraw': async (bench) => ({
    params: { id: await invitationOf(bench, { merchant: OWNER }) },
  }),
  'partners.get': async (bench) => {
    await campaignOf(bench);
    return { params: { address: account(15) } };
  },
};

/** A product of OWNER's, in a world where STRANGER is a merchant too. */
async function productOf({ pool }: ApiBench): Promise<string> {
  for (const [id, address] of Object.entries({ owner: OWNER, stranger: STRANGER })) {
    await saveMerchant(pool, { id, address, slug: id, name: id });
  }
  const product = { id: 'owner-product', merchantId: 'owner', skuHash: hash('owner product') };
  await saveProduct(pool, {
    ...product,
    title: 'A product',
    summary: '',
    category: 'x',
    fulfillmentMode: 'manual',
    price: 1n,
    status: 'draft',
  });
  return product.id;
}

/** A sale of campaign 1 to OWNER: the story's second. */
async function purchaseOf({ pool }: ApiBench): Promise<string> {
  await pool`update ledger.sale set buyer = ${OWNER} where sale_id = 2`;
  return '2';
}

async function disputeOf(bench: ApiBench): Promise<string> {
  const id = 'owner-dispute';
  await purchaseOf(bench);
  const at = new Date();
  const dispute = {
    id,
    campaignId: '1',
    buyer: OWNER,
    orderKey: hash('order 2'),
    merchant: account(1_000),
    holdUntil: 1_700_000_000,
    reason: 'other',
    requestedAmount: 1n,
    refundedBefore: 0n,
    at,
  } as const;
  const message = { id: 'owner-message', from: 'buyer', text: 'Please.', at } as const;
  await openDispute(bench.pool, dispute, message);
  return id;
}

async function intentOf({ pool }: ApiBench): Promise<string> {
  const now = new Date();
  const { id } = await keepIntent(pool, {
    id: 'owner-intent',
    buyer: OWNER,
    orderKey: hash('order'),
    requestHash: Buffer.alloc(32),
    campaignId: '1',
    termsHash: hash('terms 1'),
    nodeId: null,
    nodeOwner: null,
    skuHash: hash('sku 1'),
    token: { address: account(1), symbol: 'TUSD', decimals: 6, name: '' },
    amount: 1n,
    minPolicyVersion: 1,
    createdAt: now,
    updatedAt: now,
    expiresAt: now,
  });
  return id;
}

/** A draft of OWNER's, in a world where STRANGER is a merchant too. */
async function draftOf(bench: ApiBench): Promise<string> {
  await productOf(bench);
  await bench.pool`
    insert into commerce.campaign_draft (merchant, id, version, draft)
    values (${OWNER}, 'owner-draft', 1, '{}')
    on conflict (merchant, id) do update set version = 1`;
  return 'owner-draft';
}

/** A campaign of OWNER's, with the story's node 5: its second. */
async function campaignOf({ pool }: ApiBench): Promise<string> {
  await pool`update ledger.campaign set merchant = ${OWNER} where campaign_id = 2`;
  return '2';
}

async function invitationOf(
  bench: ApiBench,
  { distributor = account(15), merchant = account(1_000) },
): Promise<string> {
  await productOf(bench);
  const id = `of-${merchant.slice(-4)}-to-${distributor.slice(-4)}`;
  await bench.pool`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
      terms, policy_hash, created_at, expires_at)
    values (${id}, ${merchant}, 'owner', 1, ${distributor}, '', '', ${hash('policy 1 1')}, now(),
      now() + interval '1 day')`;
  return id;
}
