import { NOTHING_ASKED } from '../../../engine/core/buyer-details.ts';
import { testMessageOf } from '../../../engine/core/service-message.ts';
import { TEST_EVENT_TYPE } from '../../../engine/core/webhook-events.ts';
import { openDispute } from '../../../engine/db/commerce/disputes.ts';
import { keepIntent } from '../../../engine/db/commerce/intents.ts';
import { saveMerchant } from '../../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../../engine/db/commerce/save-product.ts';
import { inviteMember } from '../../../engine/db/commerce/team.ts';
import { createEndpoint, queueTest } from '../../../engine/db/commerce/webhook-endpoints.ts';
import { newId } from '../../../engine/http/auth/token.ts';
import { seal } from '../../../engine/secrets/seal.ts';
import { account, hash } from '../../support/history.ts';
import type { ApiFixture } from './api-fixture.ts';
import { keyOf } from './api-keys.ts';
import { moderate } from './moderate.ts';
import type { Parts } from './requests.ts';
import { signedIn } from './session.ts';

/** An account that owns something, one that has no part in it, and one that works for the owner. */
export const OWNER = account(70);
export const STRANGER = account(71);
export const MEMBER = account(72);

/** Makes a thing of OWNER's, and answers the input that names it. */
type Owned = (fixture: ApiFixture) => Promise<Partial<Parts>>;

/**
 * For each session method that names a thing in its path: how to make one that is OWNER's, so that
 * STRANGER is refused it with 403 or 404; or `open`, where the thing is no one's alone.
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
  'apiKeys.rotate': async (fixture) => ({ params: { id: await keyIdOfOwner(fixture) } }),
  'apiKeys.revoke': async (fixture) => ({ params: { id: await keyIdOfOwner(fixture) } }),
  'apiKeys.usage': async (fixture) => ({ params: { id: await keyIdOfOwner(fixture) } }),
  'webhooks.test': async (fixture) => ({ params: { id: await endpointOf(fixture) } }),
  'webhooks.deliveries': async (fixture) => ({ params: { id: await endpointOf(fixture) } }),
  'webhooks.delivery': async (fixture) => ({ params: { id: await deliveryOf(fixture) } }),
  'webhooks.update': async (fixture) => ({ params: { id: await endpointOf(fixture) }, body: {} }),
  'webhooks.rotateSecret': async (fixture) => ({ params: { id: await endpointOf(fixture) } }),
  'webhooks.remove': async (fixture) => ({ params: { id: await endpointOf(fixture) } }),
  'webhooks.replay': async (fixture) => ({ params: { id: await deliveryOf(fixture) } }),
  'webhooks.replayRange': async (fixture) => ({
    params: { id: await endpointOf(fixture) },
    body: { range: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' } },
  }),
  'team.updateRole': async (fixture) => ({
    params: { id: await memberOf(fixture) },
    body: { role: 'analyst' },
  }),
  'team.remove': async (fixture) => ({ params: { id: await memberOf(fixture) } }),
  'checkout.getIntent': async (fixture) => ({ params: { id: await intentOf(fixture) } }),
  'checkout.getDetails': async (fixture) => ({ params: { id: await intentOf(fixture) } }),
  'checkout.saveDetails': async (fixture) => ({
    params: { id: await intentOf(fixture) },
    body: {},
  }),
  'checkout.prepareOrder': async (fixture) => ({ params: { id: await intentOf(fixture) } }),
  'checkout.submitOrder': async (fixture) => ({
    params: { id: await intentOf(fixture) },
    body: { payment: 'allowance', orderSignature: '0x', tokenSignature: '0x' },
  }),
  'checkout.attachTransaction': async (fixture) => ({
    params: { id: await intentOf(fixture) },
    body: { transactionHash: hash('transaction') },
  }),
  'intents.cancel': async (fixture) => ({ params: { id: await intentOf(fixture) } }),
  'orders.get': async (fixture) => {
    await campaignOf(fixture);
    return { params: { orderKey: hash('order 4') } };
  },
  'fulfillment.access': async (fixture) => ({ params: { saleId: await purchaseOf(fixture) } }),
  'disputes.get': async (fixture) => ({ params: { id: await disputeOf(fixture) } }),
  'disputes.respond': async (fixture) => ({
    params: { id: await disputeOf(fixture) },
    body: { response: 'message', message: 'Please.' },
  }),
  'refundRequests.get': async (fixture) => ({ params: { id: await disputeOf(fixture) } }),
  'refundRequests.respond': async (fixture) => ({
    params: { id: await disputeOf(fixture) },
    body: { message: 'Please.' },
  }),
  'refundRequests.withdraw': async (fixture) => ({
    params: { id: await disputeOf(fixture) },
    body: {},
  }),
  'products.save': async (fixture) => ({
    params: { id: await productOf(fixture) },
    body: {
      version: 1,
      status: 'draft',
      title: 'Changed',
      summary: '',
      category: 'x',
      fulfillmentMode: 'manual',
    },
  }),
  'products.remove': async (fixture) => ({ params: { id: await productOf(fixture) } }),
  'studio.deleteTemplate': async (fixture) => ({ params: { id: await templateOf(fixture) } }),
  'reports.get': async (fixture) => ({ params: { id: await reportOf(fixture) } }),
  'reports.remove': async (fixture) => ({ params: { id: await reportOf(fixture) } }),
  'products.uploadAsset': async (fixture) => ({ params: { id: await productOf(fixture) } }),
  'links.joinPreview': 'open',
  'links.stats': async ({ pool }) => {
    await nodeOf(pool);
    return { params: { nodeId: '70' } };
  },
  'links.label': async ({ pool }) => {
    await nodeOf(pool);
    return { params: { nodeId: '70' }, body: { label: 'Mine' } };
  },
  'campaigns.saveDraft': async (fixture) => ({
    params: { id: await draftOf(fixture) },
    body: { version: 1 },
  }),
  'campaigns.getDraft': async (fixture) => ({ params: { id: await draftOf(fixture) } }),
  'campaigns.deleteDraft': async (fixture) => ({ params: { id: await draftOf(fixture) } }),
  'campaigns.prepareCreate': async (fixture) => ({ params: { id: await draftOf(fixture) } }),
  'campaigns.updateSettings': async (fixture) => ({
    params: { campaignId: await campaignOf(fixture) },
    body: { listed: true },
  }),
  'analytics.campaign': async (fixture) => ({ params: { campaignId: await campaignOf(fixture) } }),
  'campaigns.distributors': async (fixture) => ({
    params: { campaignId: await campaignOf(fixture) },
  }),
  'operations.finalize': ofCampaign({}),
  'operations.pause': ofCampaign(),
  'operations.resume': ofCampaign(),
  // Of a campaign that has ended: others are ended with a fresh signature.
  'operations.end': async (fixture) => {
    const campaignId = await campaignOf(fixture);
    await fixture.pool`update ledger.journal set ended = true where campaign_id = ${campaignId}`;
    return { params: { campaignId }, body: {} };
  },
  'operations.schedulePolicy': ofCampaign({
    policy: {
      ...{ commissionBps: 500, maxRewardedAncestors: 1, weightsBps: [10_000], holdSeconds: 60 },
      expiry: '2090-01-01T00:00:00Z',
    },
    effectiveAt: '2080-01-01T00:00:00Z',
  }),
  'operations.priceVariant': ofCampaign({ price: '1' }),
  'operations.fund': ofCampaign({ amount: '1' }),
  'operations.raiseCapacity': ofCampaign({ nodes: 1_000_000 }),
  'operations.allowDistributors': ofCampaign({ accounts: [account(15)], allowed: true }),
  'operations.allowAttester': ofCampaign({ account: account(15), allowed: false }),
  'attestations.prepare': ofCampaign({
    ...{ buyer: account(15), orderKey: hash('an order'), amount: '1' },
  }),
  'operations.refund': ofSale({}),
  'operations.reverse': ofSale({}),
  'invitations.respond': async (fixture) => ({
    params: { id: await invitationOf(fixture, { distributor: OWNER }) },
    body: { response: 'decline' },
  }),
  'invitations.get': async (fixture) => ({
    params: { id: await invitationOf(fixture, { merchant: OWNER }) },
  }),
  'invitations.withdraw': async (fixture) => ({
    params: { id: await invitationOf(fixture, { merchant: OWNER }) },
  }),
  'joinRequests.answer': async (fixture) => {
    await fixture.pool`
      insert into commerce.join_request (id, merchant, campaign_id, terms_hash, distributor, message, created_at)
      values ('to-owner', ${OWNER}, 1, ${hash('terms 1')}, ${account(15)}, 'Please.', now())
      on conflict do nothing`;
    return { params: { id: 'to-owner' }, body: { response: 'decline' } };
  },
  'partners.get': partnerOf,
  'partners.sales': partnerOf,
};

/** A template of the owner. */
async function templateOf(fixture: ApiFixture): Promise<string> {
  await productOf(fixture);
  await fixture.pool`
    insert into commerce.policy_template (merchant_id, id, name, policy, updated_at)
    values ('owner', 'owner-template', 'Mine', '{}', now()) on conflict do nothing`;
  return 'owner-template';
}

/** A webhook endpoint of that account. */
async function endpointOf({ pool, deps }: ApiFixture, owner = OWNER): Promise<string> {
  const id = 'owner-endpoint';
  await pool`delete from commerce.webhook_endpoint where id = ${id}`;
  const made = await createEndpoint(pool, {
    ...{ id, owner, url: 'https://owner.example', events: ['*'], isOrdered: false },
    secret: seal('whsec_', deps.keys, 'webhook secret'),
    createdAt: new Date(),
  });
  if (made === undefined) throw new Error('The endpoint was not made.');
  return id;
}

/** A delivery to a webhook endpoint of that account. */
export async function deliveryOf(fixture: ApiFixture, owner = OWNER): Promise<string> {
  const endpointId = await endpointOf(fixture, owner);
  const id = 'owner-delivery';
  const [eventId, now] = [`evt_${newId()}`, new Date()];
  const body = JSON.stringify(testMessageOf(eventId, owner, now));
  await queueTest(fixture.pool, { id, endpointId, eventId, type: TEST_EVENT_TYPE, body }, now);
  return id;
}

/** A key of OWNER's. */
async function keyIdOfOwner(fixture: ApiFixture): Promise<string> {
  return (await keyOf(fixture, OWNER)).split('_')[2] ?? '';
}

/** A member of OWNER's team. */
async function memberOf(fixture: ApiFixture): Promise<string> {
  await productOf(fixture);
  const member = { merchant: OWNER, account: account(73), role: 'viewer' } as const;
  const { id } = await inviteMember(fixture.pool, { id: 'owner-viewer', ...member }, new Date());
  return id;
}

/** A product of OWNER's, in a world where STRANGER is a merchant too. */
async function productOf({ pool }: ApiFixture): Promise<string> {
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

/** The node 70, which is OWNER's. */
async function nodeOf(pool: ApiFixture['pool']): Promise<void> {
  await pool`
    insert into ledger.node
    select campaign_id, 70, seq, null, ${OWNER}, 1, block_number, block_timestamp,
      transaction_hash
    from ledger.node where node_id = 1 on conflict do nothing`;
}

/** A report that OWNER ordered. */
async function reportOf(fixture: ApiFixture): Promise<string> {
  await productOf(fixture);
  await fixture.pool`
    insert into commerce.report (id, merchant, kind, format, created_at, changed_at)
    values ('owner-report', ${OWNER}, 'sales', 'csv', now(), now())
    on conflict (id) do update set status = 'queued'`;
  return 'owner-report';
}

/** A sale of campaign 1 to that buyer: the small history's second. */
async function purchaseOf({ pool }: ApiFixture, buyer = OWNER): Promise<string> {
  await pool`update ledger.sale set buyer = ${buyer} where sale_id = 2`;
  return '2';
}

/** The buyer's refund request about that sale. */
export async function disputeOf(fixture: ApiFixture, buyer = OWNER): Promise<string> {
  const id = 'owner-dispute';
  await purchaseOf(fixture, buyer);
  const at = new Date();
  const dispute = {
    id,
    campaignId: '1',
    buyer,
    orderKey: hash('order 2'),
    merchant: account(1_000),
    holdUntil: 1_700_000_000,
    reason: 'other',
    requestedAmount: 1n,
    refundedBefore: 0n,
    at,
  } as const;
  const message = { id: newId(), from: 'buyer', text: 'Please.', at } as const;
  await openDispute(fixture.pool, dispute, message);
  return id;
}

/** A checkout intent of the buyer. */
export async function intentOf({ pool }: ApiFixture, buyer = OWNER): Promise<string> {
  const now = new Date();
  const { id } = await keepIntent(pool, {
    id: 'owner-intent',
    buyer,
    orderKey: hash('order'),
    requestHash: Buffer.alloc(32),
    campaignId: '1',
    termsHash: hash('terms 1'),
    nodeId: null,
    nodeOwner: null,
    skuHash: hash('sku 1'),
    token: { address: account(1), symbol: 'TUSD', decimals: 6, name: '' },
    amount: 1n,
    asks: NOTHING_ASKED,
    minPolicyVersion: 1,
    createdAt: now,
    updatedAt: now,
    expiresAt: now,
  });
  return id;
}

/** A draft of OWNER's, in a world where STRANGER is a merchant too. */
async function draftOf(fixture: ApiFixture): Promise<string> {
  await productOf(fixture);
  await fixture.pool`
    insert into commerce.campaign_draft (merchant, id, version, draft)
    values (${OWNER}, 'owner-draft', 1, '{}')
    on conflict (merchant, id) do update set version = 1`;
  return 'owner-draft';
}

/** A campaign of OWNER's, with the small history's node 5: its second. */
async function campaignOf({ pool }: ApiFixture): Promise<string> {
  await pool`update ledger.campaign set merchant = ${OWNER} where campaign_id = 2`;
  return '2';
}

/** A partner of OWNER's: the owner of node 5. */
async function partnerOf(fixture: ApiFixture): Promise<Partial<Parts>> {
  await campaignOf(fixture);
  return { params: { address: account(15) } };
}

/** The input of a method about a campaign of OWNER's. */
function ofCampaign(body?: object): Owned {
  return async (fixture) => ({
    params: { campaignId: await campaignOf(fixture) },
    ...(body && { body }),
  });
}

/** The input of a method about a sale of a campaign of OWNER's: the small history's fourth. */
function ofSale(body: object): Owned {
  return async (fixture) => {
    await campaignOf(fixture);
    return { params: { saleId: '4' }, body };
  };
}

async function invitationOf(
  fixture: ApiFixture,
  { distributor = account(15), merchant = account(1_000) },
): Promise<string> {
  await productOf(fixture);
  const id = `of-${merchant.slice(-4)}-to-${distributor.slice(-4)}`;
  await fixture.pool`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
      terms, policy_hash, created_at, expires_at)
    values (${id}, ${merchant}, 'owner', 1, ${distributor}, '', '', ${hash('policy 1 1')}, now(),
      now() + interval '1 day')
    on conflict do nothing`;
  return id;
}
