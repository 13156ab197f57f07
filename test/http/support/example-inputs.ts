import { privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import type { Client } from '../../../engine/client/index.ts';
import { encodeReferralCode } from '../../../engine/core/referral-code.ts';
import type { Actor } from '../../../sample/actors.ts';
import { merchantOf } from '../../../sample/actors.ts';
import { hashOf } from '../../../sample/campaign.ts';
import { campaignIdOf, merchant, numbered } from '../../../sample/commerce/world.ts';
import { SAMPLE_SEED } from '../../../sample/run-sample.ts';
import { CHAIN_ID } from './api-fixture.ts';
import { png } from './images.ts';
import { addressOf, NOW, ORIGIN, type SampleApi } from './sample-api.ts';

/** One request to record. */
export interface Recording {
  /** The account that is signed in; without it the request has no session. */
  readonly as?: Actor;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The JSON body; a payload is the body itself. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly file?: Blob;
  /** True if the write needs a fresh signature. */
  readonly isConfirmed?: boolean;
  /** Which item of the list is shown; by default the first ones. */
  readonly shows?: (item: { readonly name?: string }) => boolean;
}

/** Makes the request to record, after what it needs. */
export type MakeRecording = (sample: SampleApi) => Recording | Promise<Recording>;

const harbor = merchant('harbor-roasters');
const northlight = merchant('northlight-studio');
const campaignId = campaignIdOf('single-origin-subscription');
const inviteOnly = campaignIdOf('icon-library-licence');
const attested = campaignIdOf('guided-ridge-weekend');
const verified = campaignIdOf('quarterly-atlas');
const merchantOfAttested = merchant('fjord-outfitters');
const merchantOfVerified = merchant('meridian-press');
/** The chain's clock runs on while examples are recorded: the default would differ each time. */
const attestationEnd = new Date(NOW + 600_000).toISOString();
const page = { limit: 2 };
const range = { from: '2025-06-20T00:00:00.000Z', to: '2025-06-27T00:00:00.000Z' };

const buyer = ({ actors }: SampleApi) => numbered(actors.buyers, 15);
const distributor = ({ actors }: SampleApi, number = 1) => numbered(actors.distributors, number);
const client = async ({ fixture }: SampleApi, actor: Actor): Promise<Client> =>
  await fixture.clientAs(addressOf(actor));

/** A read of one account, with these query fields. */
const as =
  (actor: Actor | ((sample: SampleApi) => Actor), query: Recording['query'] = {}): MakeRecording =>
  (sample) => ({ as: typeof actor === 'function' ? actor(sample) : actor, query });

const ofCampaign =
  (query: Recording['query'] = {}): MakeRecording =>
  () => ({ params: { campaignId }, query });

/** The request for a sale with a path of several nodes, whose reward has vested. */
const ofSale =
  (query: Recording['query'] = {}): MakeRecording =>
  async ({ fixture }) => ({
    params: { chainId: CHAIN_ID, saleId: await vestedSale(fixture) },
    query,
  });

/**
 * A successful request of each live method, over the sample. They are recorded in this order: what a write
 * changes is there for the methods after it.
 */
export const exampleInputs: Readonly<Record<string, MakeRecording>> = {
  'campaigns.list': () => ({ query: { limit: 1, sort: 'reward', status: 'active' } }),
  'campaigns.get': ofCampaign(),
  'campaigns.policy': ofCampaign(),
  'metadata.get': ofCampaign(),
  'campaigns.stats': ofCampaign(),
  'campaigns.activity': ofCampaign(page),
  'campaigns.mine': as(harbor, page),
  'campaigns.getDraft': () => ({ as: harbor, params: { id: 'spring-blend' } }),
  'campaigns.saveDraft': () => ({
    as: harbor,
    params: { id: 'gift-cards' },
    body: { version: 1, name: 'Gift cards', nodeCapacity: 100, policy: { commissionBps: 700 } },
  }),
  'campaigns.deleteDraft': () => ({ as: harbor, params: { id: 'gift-cards' } }),
  'campaigns.prepareCreate': async (sample) => {
    const id = 'spring-blend';
    const { campaigns } = await client(sample, harbor);
    const { draft } = (await campaigns.getDraft({ id })).data;
    await campaigns.saveDraft({ id, draft: { ...draft, salt: hashOf('the example salt') } });
    return { as: harbor, params: { id } };
  },
  'campaigns.updateSettings': () => ({
    as: harbor,
    params: { campaignId },
    body: { note: 'Compare the depth of sales before and after day 12.', listed: true },
  }),
  'campaigns.distributors': () => ({ as: harbor, params: { campaignId }, query: page }),
  'products.list': as(harbor, page),
  'products.get': () => ({ params: { id: 'single-origin-subscription' } }),
  'products.save': () => ({
    as: harbor,
    params: { id: 'cold-brew-kit' },
    body: {
      version: 0,
      status: 'draft',
      title: 'Cold brew kit',
      summary: 'A bottle, a filter and a bag of beans.',
      category: 'Coffee',
      fulfillmentMode: 'manual',
      priceBaseUnits: '32000000',
      variants: [{ id: 'large', name: 'Two litres', priceBaseUnits: '41000000' }],
    },
  }),
  'products.uploadAsset': () => ({
    as: harbor,
    params: { id: 'cold-brew-kit' },
    file: png(64, 32),
  }),
  'products.remove': () => ({ as: harbor, params: { id: 'cold-brew-kit' } }),
  'products.categories': () => ({}),
  'merchants.list': () => ({ query: page }),
  'merchants.get': () => ({ params: { slug: 'harbor-roasters' } }),
  'merchants.record': () => ({ params: { slug: 'harbor-roasters' } }),
  'merchants.me': as(harbor),
  'merchants.setup': () => ({
    as: merchantOf(SAMPLE_SEED, 'driftwood'),
    body: { slug: 'driftwood', name: 'Driftwood', websiteUrl: 'https://driftwood.example' },
  }),
  'merchants.update': () => ({
    as: harbor,
    body: { supportEmail: 'help@harbor-roasters.example' },
  }),
  'merchants.slugAvailable': () => ({ as: harbor, params: { slug: 'harbor' } }),
  'merchants.uploadLogo': () => ({ as: harbor, file: png(64, 64) }),
  'merchants.removeLogo': as(merchant('fjord-outfitters')),
  'merchants.close': () => ({
    as: merchant('meridian-press'),
    body: { slug: 'meridian-press' },
    isConfirmed: true,
  }),
  'merchants.offers': () => ({ params: { slug: 'harbor-roasters' }, query: { limit: 1 } }),
  'studio.templates': as(harbor, page),
  'studio.saveTemplate': () => ({
    as: harbor,
    body: {
      name: 'Two levels',
      policy: {
        commissionBps: 1_000,
        maxRewardedAncestors: 2,
        weightsBps: [7_000, 3_000],
        holdSeconds: 259_200,
      },
    },
  }),
  'studio.deleteTemplate': async (sample) => ({
    as: harbor,
    params: { id: await templateOf(sample) },
  }),
  'studio.simulate': () => ({
    body: {
      policy: { commissionBps: 1_000, maxRewardedAncestors: 2, weightsBps: [7_000, 3_000] },
      amount: '18500000',
      pathLengths: [0, 1, 2],
    },
  }),
  'checkout.preview': ofCampaign(),
  'checkout.createIntent': async (sample) => {
    const { data } = await sample.fixture.client().checkout.preview({ campaignId });
    const { maxAmount, minPolicyVersion } = data;
    const orderKey = hashOf('the example order');
    return { as: buyer(sample), body: { campaignId, orderKey, maxAmount, minPolicyVersion } };
  },
  'checkout.getIntent': async (sample) => ({
    as: buyer(sample),
    params: { id: await intentOf(sample) },
  }),
  'checkout.attachTransaction': async (sample) => ({
    as: buyer(sample),
    params: { id: await intentOf(sample) },
    body: { transactionHash: hashOf('the example transaction') },
  }),
  'checkout.getDetails': async (sample) => ({
    as: buyer(sample),
    params: { id: await intentOf(sample) },
  }),
  'checkout.saveDetails': async (sample) => {
    const id = await intentOf(sample);
    const asks = { email: 'required', address: 'no', note: 'optional' };
    await sample.fixture.pool`
      update commerce.checkout_intent set asks = ${sample.fixture.pool.json(asks)} where id = ${id}`;
    return {
      as: buyer(sample),
      params: { id },
      body: { email: 'ada@shop.example', note: 'Ground for a moka pot, please.' },
    };
  },
  'checkout.prepareOrder': async (sample) => ({
    as: buyer(sample),
    params: { id: await intentOf(sample) },
  }),
  'checkout.submitOrder': async (sample) => {
    const id = await intentOf(sample);
    // The sample has no relayer, and an order that was accepted is answered again.
    await sample.fixture.pool`
      insert into commerce.signed_order (intent_id, merchant, campaign_id, buyer, order_key, payment,
        data, deadline, created_at, updated_at)
      select intent.id, sold.merchant, campaign_id, intent.buyer, intent.order_key, 'authorization', '0x00',
        floor(extract(epoch from intent.expires_at))::bigint, intent.created_at, intent.created_at
      from commerce.checkout_intent intent join ledger.campaign sold using (campaign_id)
      where intent.id = ${id} on conflict do nothing`;
    const signature: `0x${string}` = `0x${'5a'.repeat(64)}1b`;
    return {
      as: buyer(sample),
      params: { id },
      body: { payment: 'authorization', orderSignature: '0x', tokenSignature: signature },
    };
  },
  'intents.list': as(buyer, page),
  'intents.cancel': async (sample) => {
    const { data } = await sample.fixture.client().checkout.preview({ campaignId });
    const { maxAmount, minPolicyVersion } = data;
    const orderKey = hashOf('the example order that is given up');
    const { checkout } = await client(sample, buyer(sample));
    const body = { campaignId, orderKey, maxAmount, minPolicyVersion };
    const intent = await checkout.createIntent(body);
    return { as: buyer(sample), params: { id: intent.data.id } };
  },
  'receipts.get': ofSale(),
  'receipts.events': ofSale(page),
  'receipts.verify': ofSale(),
  'receipts.bundle': ofSale(),
  'receipts.recent': () => ({ query: page }),
  'receipts.forBuyer': as(buyer, page),
  'receipts.forMerchant': as(harbor, page),
  'receipts.forCampaign': ofCampaign(page),
  'fulfillment.access': async (sample) => {
    const { data } = await (await client(sample, buyer(sample))).receipts.forBuyer({ limit: 100 });
    const saleId = data.items.find(({ fulfillment }) => fulfillment.available)?.saleId;
    return { as: buyer(sample), params: { saleId } };
  },
  'earnings.summary': as(distributor),
  'earnings.byCampaign': as(distributor, page),
  'earnings.byConversion': as(distributor, page),
  'earnings.missed': as(distributor, page),
  'earnings.claimable': as(distributor, page),
  'earnings.claims': as(distributor, page),
  'earnings.credits': as(distributor, page),
  'statements.earnings': as(distributor, { interval: 'day' }),
  'statements.csv': as(distributor, { interval: 'month' }),
  'notifications.list': as(distributor, { ...page, kind: 'rewards_claimable' }),
  'vault.get': as(harbor),
  'vault.get.narrowed': () => ({ as: harbor, params: { campaignId } }),
  'vault.movements': as(harbor, page),
  'reports.export': () => ({ as: harbor, body: { kind: 'rewards', format: 'csv', range } }),
  'reports.preview': as(harbor, { kind: 'movements', limit: 2 }),
  'reports.list': as(harbor, page),
  'reports.get': async (sample) => ({ as: harbor, params: { id: await reportOf(sample) } }),
  'reports.remove': async (sample) => ({ as: harbor, params: { id: await reportOf(sample) } }),
  'disputes.open': async (sample) => ({ ...(await refundableSale(sample)) }),
  'disputes.list': as(harbor, page),
  'disputes.get': async (sample) => ({ as: harbor, params: { id: await disputeOf(sample) } }),
  'disputes.respond': async (sample) => ({
    as: harbor,
    params: { id: await disputeOf(sample) },
    body: { response: 'accept', message: 'We are sorry. You get all of it back.' },
  }),
  'disputes.exposure': as(harbor),
  'refundRequests.list': as(buyer, page),
  'refundRequests.get': async (sample) => ({
    as: buyer(sample),
    params: { id: await requestOf(sample) },
  }),
  'refundRequests.respond': async (sample) => ({
    as: buyer(sample),
    params: { id: await requestOf(sample) },
    body: { message: 'Thank you. The bag is on its way back.' },
  }),
  'refundRequests.withdraw': async (sample) => ({
    as: buyer(sample),
    params: { id: await requestOf(sample) },
    body: { message: 'The next bag was fine: there is no need.' },
  }),
  'links.mine': as(distributor, page),
  'links.get': async (sample) => ({ params: { nodeId: await nodeOf(sample) } }),
  'links.joinPreview': async (sample) => ({
    as: distributor(sample, 3),
    params: { campaignId },
    query: { parentNodeId: await nodeOf(sample) },
  }),
  'links.label': async (sample) => ({
    as: distributor(sample),
    params: { nodeId: await nodeOf(sample) },
    body: { label: 'Newsletter' },
  }),
  'links.stats': async (sample) => ({
    as: distributor(sample),
    params: { nodeId: await nodeOf(sample) },
    query: { range },
  }),
  'referrals.get': async (sample) => ({ params: { code: await codeOf(sample) } }),
  'referrals.open': async (sample) => ({ params: { code: await codeOf(sample) } }),
  'graph.forCampaign': ofCampaign({ limit: 2, depthMax: 2 }),
  'graph.mine': as(distributor, page),
  'graph.ancestry': async (sample) => ({
    params: { chainId: CHAIN_ID, nodeId: await nodeOf(sample) },
  }),
  'graph.salePath': ofSale(),
  'graph.search': async (sample) => ({
    params: { campaignId },
    query: { q: await codeOf(sample), limit: 2 },
  }),
  'reputation.get': () => ({ params: { addressOrHandle: 'kettle-and-cup' } }),
  'reputation.mine': as(distributor),
  'reputation.updateVisibility': (sample) => ({
    as: distributor(sample, 14),
    body: { visibility: 'public', handle: 'slow-mornings', displayName: 'Slow Mornings' },
    isConfirmed: true,
  }),
  'distributors.list': () => ({ query: page }),
  'distributors.get': (sample) => ({ params: { address: addressOf(distributor(sample)) } }),
  'partners.list': as(harbor, page),
  'partners.get': (sample) => ({ as: harbor, params: { address: addressOf(distributor(sample)) } }),
  'partners.sales': (sample) => ({
    as: harbor,
    params: { address: addressOf(distributor(sample)) },
    query: page,
  }),
  'invitations.mine': as((sample) => distributor(sample, 8), page),
  'invitations.sent': as(northlight, page),
  'invitations.send': (sample) => ({
    as: northlight,
    body: {
      distributor: addressOf(distributor(sample, 20)),
      campaignId: inviteOnly,
      message: 'Your readers draw screens all day: our icons may save them some of it.',
      terms: 'Show the icons as they are, and say that you are paid.',
      expiresAt: new Date(NOW + 30 * 86_400_000).toISOString(),
    },
  }),
  'invitations.respond': async (sample) => ({
    as: distributor(sample, 8),
    params: { id: await invitationOf(sample, 8) },
    body: { response: 'accept' },
  }),
  'invitations.get': async (sample) => ({
    as: northlight,
    params: { id: await invitationOf(sample, 8) },
  }),
  'invitations.withdraw': async (sample) => ({
    as: northlight,
    params: { id: await invitationOf(sample, 20) },
  }),
  'joinRequests.send': (sample) => ({
    as: buyer(sample),
    body: {
      campaignId: inviteOnly,
      message: 'I write a newsletter about interface design, with 4,000 readers.',
    },
  }),
  'joinRequests.mine': as(buyer, page),
  'joinRequests.received': as(northlight, page),
  'joinRequests.answer': async (sample) => {
    const { data } = await (await client(sample, northlight)).joinRequests.received({});
    return {
      as: northlight,
      params: { id: data.items[0]?.id ?? '' },
      body: { response: 'invite' },
    };
  },
  'deliveries.list': async (sample) => {
    await giveDetails(sample);
    return { as: harbor, query: page };
  },
  'analytics.merchant': as(harbor, { range }),
  'analytics.campaign': () => ({ as: harbor, params: { campaignId }, query: { range } }),
  'billing.summary': as(harbor),
  'billing.invoices': as(harbor, page),
  'auth.nonce': () => ({}),
  'auth.signIn': async (sample) => ({ body: await signed(sample, harbor) }),
  'auth.confirm': async (sample) => ({ as: harbor, body: await signed(sample, harbor) }),
  'auth.session': as(harbor),
  'auth.sessions': as(harbor),
  'auth.revokeSession': async (sample) => {
    const { data } = await (await client(sample, harbor)).auth.sessions();
    return { as: harbor, params: { id: data.items[0]?.id } };
  },
  'auth.signOut': as(harbor),
  'account.export': ({ actors }) => ({ as: numbered(actors.buyers, 2), query: { limit: 1 } }),
  'account.delete': ({ actors }) => ({ as: numbered(actors.buyers, 2), isConfirmed: true }),
  'moderation.hide': ({ actors }) => ({
    as: actors.operator,
    params: { campaignId: campaignIdOf('driftwood-lamp') },
    body: { reason: 'It is not known who sells this lamp.' },
  }),
  'moderation.unhide': ({ actors }) => ({
    as: actors.operator,
    params: { campaignId: campaignIdOf('driftwood-lamp') },
    body: { reason: 'The lamps arrive: three buyers confirmed it.' },
  }),
  'moderation.log': as(({ actors }) => actors.operator, page),
  'system.endpoints': () => ({ shows: ({ name }) => name === 'auth.sessions' }),
  'system.status': () => ({}),
  'system.audit': () => ({}),
  'system.digest': () => ({ query: { campaignId } }),
  'system.digestEvents': ofCampaign(page),
  'operations.finalize': () => ({ as: harbor, params: { campaignId }, body: {} }),
  'operations.pause': () => ({ as: harbor, params: { campaignId } }),
  'operations.resume': () => ({ as: harbor, params: { campaignId } }),
  'operations.end': () => ({ as: harbor, params: { campaignId }, body: {}, isConfirmed: true }),
  'operations.schedulePolicy': () => ({
    as: harbor,
    params: { campaignId },
    body: { policy, effectiveAt: new Date(NOW + 2 * 86_400_000).toISOString() },
  }),
  'operations.priceVariant': () => ({
    as: harbor,
    params: { campaignId },
    body: { price: '19500000' },
  }),
  'operations.fund': () => ({ as: harbor, params: { campaignId }, body: { amount: '5000000' } }),
  'operations.raiseCapacity': () => ({
    as: harbor,
    params: { campaignId },
    body: { sales: 100_000 },
  }),
  'operations.allowDistributors': (sample) => ({
    as: northlight,
    params: { campaignId: inviteOnly },
    body: { accounts: [addressOf(distributor(sample, 30))], allowed: true },
  }),
  'operations.allowAttester': (sample) => ({
    as: merchantOfVerified,
    params: { campaignId: verified },
    body: {
      account: addressOf(distributor(sample, 31)),
      allowed: true,
      perOrder: '100000000',
      daily: '640000000',
      expiry: '2028-12-31T00:00:00.000Z',
    },
  }),
  'operations.refund': async (sample) => ({
    as: harbor,
    params: { saleId: await pendingSale(sample) },
    body: { amount: '1000000', reason: 'A dented bag.' },
  }),
  'operations.reverse': async (sample) => ({
    as: merchantOfAttested,
    params: { saleId: await attestedSale(sample) },
    body: { reason: 'Fraud.' },
  }),
  'attestations.prepare': (sample) => ({
    as: merchantOfAttested,
    params: { campaignId: attested },
    body: {
      buyer: addressOf(buyer(sample)),
      orderKey: hashOf('the example order'),
      amount: '20000000',
      deadline: attestationEnd,
    },
  }),
  'attestations.submit': async (sample) => {
    const { attestations } = await client(sample, merchantOfAttested);
    const { data } = await attestations.prepare({
      campaignId: attested,
      buyer: addressOf(buyer(sample)),
      orderKey: hashOf('the example order'),
      amount: '20000000',
      deadline: attestationEnd,
    });
    const { typedData, attestation } = data;
    if (typedData === null || attestation === null) throw new Error('Nothing can be attested.');
    const account = privateKeyToAccount(merchantOfAttested.privateKey);
    const signature = await account.signTypedData(typedData);
    return { as: merchantOfAttested, body: { attestation, signature } };
  },
  'payouts.prepareAll': as(distributor),
  'orders.list': as(harbor, { limit: 1 }),
  'orders.get': async (sample) => {
    const { data } = await (await client(sample, harbor)).orders.list({ limit: 1 });
    return { as: harbor, params: { orderKey: data.items[0]?.orderKey } };
  },
  'transactions.get': async (sample) => ({ params: { hash: await transactionOf(sample) } }),
  'blocks.get': () => ({ params: { number: '60' }, query: page }),
  'search.find': () => ({ query: { q: 'harbor', limit: 1 } }),
  'events.list': () => ({ query: page }),
  'events.types': () => ({ shows: ({ name }) => name === 'SaleRecorded' }),
  'policies.list': ofCampaign(page),
  'prices.list': ofCampaign(page),
  'permissions.list': () => ({ params: { campaignId: verified }, query: page }),
  'versions.list': () => ({ params: { id: 'single-origin-subscription' }, query: page }),
  'versions.get': () => ({ params: { id: 'single-origin-subscription', version: 1 } }),
  'ledger.entries': ofCampaign(page),
  'ledger.balances': (sample) => ({
    params: { address: addressOf(distributor(sample)) },
    query: page,
  }),
  'ledger.discrepancies': () => ({ query: page }),
  'lookups.receipts': async (sample) => ({
    body: { chainId: CHAIN_ID, saleIds: [await vestedSale(sample.fixture)] },
  }),
  'lookups.names': (sample) => ({
    body: { addresses: [addressOf(harbor), addressOf(distributor(sample))] },
  }),
  'tokens.list': () => ({ query: page }),
  'system.activity': () => ({ query: { days: 2 } }),
};

/** A finalized sale that its merchant attested. */
async function attestedSale(sample: SampleApi): Promise<string> {
  const { receipts } = await client(sample, merchantOfAttested);
  const { data } = await receipts.forMerchant({
    campaignId: attested,
    state: 'finalized',
    limit: 1,
  });
  return data.items[0]?.saleId ?? '';
}

/** A transaction that recorded a sale. */
async function transactionOf(sample: SampleApi): Promise<string> {
  const { data } = await (await client(sample, harbor)).receipts.forMerchant({
    campaignId,
    limit: 1,
  });
  return data.items[0]?.tx.hash ?? '';
}

/** The merchant's newest pending sale. */
async function pendingSale(sample: SampleApi): Promise<string> {
  const { data } = await (await client(sample, harbor)).receipts.forMerchant({
    campaignId,
    state: 'pending',
    limit: 1,
  });
  return data.items[0]?.saleId ?? '';
}

const policy = {
  commissionBps: 800,
  maxRewardedAncestors: 2,
  weightsBps: [7_000, 3_000],
  shortPathMode: 'RETURN_UNUSED',
  holdSeconds: 259_200,
  expiry: '2028-12-31T00:00:00.000Z',
  excludesSelfReferral: true,
} as const;

async function vestedSale({ pool }: SampleApi['fixture']): Promise<string> {
  const [sale] = await pool<{ id: string }[]>`
    select sale.sale_id::text as id from ledger.sale
    join ledger.node using (campaign_id, node_id)
    where sale.campaign_id = ${campaignId} and sale.state = 'finalized' and node.depth = 4
    order by sale.sale_id limit 1`;
  return sale?.id ?? '';
}

/** Input of a dispute about a sale that can be refunded, by its buyer. */
async function refundableSale(sample: SampleApi): Promise<Recording> {
  for (const as of sample.actors.buyers) {
    const { data } = await (await client(sample, as)).receipts.forBuyer({ state: 'pending' });
    const sale = data.items.find((one) => one.refundable && one.dispute === null);
    if (sale === undefined) continue;
    const message = 'The parcel should have been here on Friday.';
    return {
      as,
      body: { chainId: CHAIN_ID, saleId: sale.saleId, reason: 'not_received', message },
    };
  }
  throw new Error('The sample has no sale that can be refunded.');
}

/** The newest report of the merchant: the one that `reports.export` ordered. */
async function reportOf(sample: SampleApi): Promise<string> {
  const { data } = await (await client(sample, harbor)).reports.list({ limit: 1 });
  return data.items[0]?.id ?? '';
}

/** The merchant's first open dispute. */
async function disputeOf(sample: SampleApi): Promise<string> {
  const { data } = await (await client(sample, harbor)).disputes.list({ status: 'open', limit: 1 });
  return data.items[0]?.id ?? '';
}

/** The buyer's request about a purchase of that campaign, which its merchant accepted. */
async function requestOf(sample: SampleApi): Promise<string> {
  const { refundRequests } = await client(sample, buyer(sample));
  const { data } = await refundRequests.list({ limit: 100 });
  return data.items.find((one) => one.campaignId === campaignId)?.id ?? '';
}

/** Details that the buyer gave with a purchase that is paid. */
async function giveDetails(sample: SampleApi): Promise<void> {
  const as = await client(sample, buyer(sample));
  const { data: bought } = await as.receipts.forBuyer({ campaignId, limit: 100 });
  const id = bought.items.find(({ intentId }) => intentId !== null)?.intentId;
  if (id == null) throw new Error('The buyer of the examples has bought nothing here.');
  const asks = { email: 'required', address: 'required', note: 'optional' };
  await sample.fixture.pool`
    update commerce.checkout_intent set asks = ${sample.fixture.pool.json(asks)} where id = ${id}`;
  await as.checkout.saveDetails({
    id,
    email: 'ada@shop.example',
    address: {
      ...{ name: 'Ada Nordmann', line1: 'Storgata 7', city: 'Ålesund' },
      ...{ postalCode: '6002', country: 'NO' },
    },
    note: 'Ground for a moka pot, please.',
  });
}

/** The intent that the example of `checkout.createIntent` made. */
async function intentOf({ fixture }: SampleApi): Promise<string> {
  const [intent] = await fixture.pool<{ id: string }[]>`
    select id from commerce.checkout_intent order by created_at desc limit 1`;
  return intent?.id ?? '';
}

/** A node of the distributor with a parent. */
async function nodeOf(sample: SampleApi): Promise<string> {
  const { data } = await (await client(sample, distributor(sample))).links.mine({ campaignId });
  const link = data.items.find(({ parentNodeId }) => parentNodeId !== null) ?? data.items[0];
  return link?.nodeId ?? '';
}

async function codeOf(sample: SampleApi): Promise<string> {
  return encodeReferralCode(await nodeOf(sample)) ?? '';
}

/** The template that the example of `studio.saveTemplate` made. */
async function templateOf(sample: SampleApi): Promise<string | undefined> {
  const { data } = await (await client(sample, harbor)).studio.templates({ limit: 100 });
  return data.items.find(({ name }) => name === 'Two levels')?.id;
}

async function invitationOf(sample: SampleApi, number: number): Promise<string> {
  const invited = addressOf(distributor(sample, number));
  const { data } = await (await client(sample, northlight)).invitations.sent({
    distributor: invited,
  });
  return data.items[0]?.id ?? '';
}

/** A sign-in message with its signature. */
async function signed({ fixture }: SampleApi, { privateKey, address }: Actor) {
  const { data } = await fixture.client().auth.nonce();
  const message = createSiweMessage({
    address,
    domain: new URL(ORIGIN).host,
    uri: ORIGIN,
    version: '1',
    chainId: data.chainId,
    nonce: data.nonce,
    issuedAt: new Date(),
  });
  return { message, signature: await privateKeyToAccount(privateKey).signMessage({ message }) };
}
