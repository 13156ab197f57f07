import type { Address, Hex } from 'viem';
import { keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError, Client } from '../../engine/client/index.ts';
import { deleteAccount } from '../../engine/db/commerce/delete-account.ts';
import { deleteOldDetails, deleteUnpaidDetails } from '../../engine/db/commerce/purges.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { inviteMember } from '../../engine/db/commerce/team.ts';
import { newId } from '../../engine/http/auth/token.ts';
import { resealDetails } from '../../engine/jobs/reseal-details.ts';
import { openDetails } from '../../engine/secrets/buyer-details.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import type { ApiFixture } from './support/api-fixture.ts';
import { LiveFixture } from './support/live-fixture.ts';

const PRICE = 1_000_000n;
const DAY_MS = 86_400_000;

const ADDRESS = {
  name: 'Ada Nordmann',
  line1: 'Storgata 7',
  city: 'Ålesund',
  postalCode: 'N-6002',
  country: 'NO',
};
const DETAILS = { email: 'ada@example.com', address: ADDRESS, note: 'Size M' };
/** Texts that only the buyer and the merchant may read; none can arise by chance in a hash, a time or an id. */
const SECRETS = /ada@example|Nordmann|Storgata|Ålesund|N-6002|Size M/;

/** Details that buyers give, over a real chain: who reads them, and when they are deleted. */
describe('details of an order', () => {
  let live: LiveFixture;
  let fixture: ApiFixture;
  let chain: TestChain;
  let merchant: Address;
  let buyer: Address;
  let client: Client;
  let shop: Client;
  let campaignId: bigint;
  let orders = 0;

  beforeAll(async () => {
    live = await LiveFixture.open({ enabled: new Set(['team'] as const) });
    ({ fixture, chain } = live);
    merchant = accountAt(chain.accounts, 1);
    buyer = accountAt(chain.accounts, 2);
    const token = await deployToken(chain);
    campaignId = await act.createCampaign(chain, merchant, token);
    await act.fund(chain, { id: campaignId, token }, merchant, 1_000_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    await live.sync();
    await saveMerchant(fixture.pool, {
      ...{ id: 'm-kits', address: lower(merchant), slug: 'kits', name: 'Kits' },
    });
    await saveProduct(fixture.pool, {
      ...{ id: 'kit', merchantId: 'm-kits', skuHash: act.SKU, title: 'Kit', summary: 'A kit.' },
      ...{ category: 'Kitchen', fulfillmentMode: 'manual', price: PRICE },
      asks: { email: 'required', address: 'required', note: 'optional' },
    });
    client = await fixture.clientAs(lower(buyer));
    shop = await fixture.clientAs(lower(merchant));
  });
  afterAll(() => live.close());

  async function begin() {
    orders += 1;
    const orderKey = keccak256(toHex(`details ${orders}`));
    const maxAmount = String(PRICE);
    const body = { campaignId: String(campaignId), orderKey, maxAmount, minPolicyVersion: 1 };
    return (await client.checkout.createIntent(body)).data;
  }
  const pay = async (orderKey: Hex) => await act.buy(chain, campaignId, buyer, { orderKey });
  const delivered = async (as = shop, query = {}) => (await as.deliveries.list(query)).data.items;
  const stored = async (intentId: string) => {
    const [row] = await fixture.pool<{ sealed: string; buyer: string }[]>`
      select sealed, buyer from commerce.buyer_details where intent_id = ${intentId}`;
    return row;
  };
  async function issuesOf(request: Promise<unknown>): Promise<string[]> {
    return await request.then(
      () => [],
      ({ issues }: ApiError) => issues.map(({ path, message }) => `${path} ${message}`),
    );
  }

  it('hands out no transaction before the required details are stored, which only their buyer reads', async () => {
    const { data: preview } = await client.checkout.preview({ campaignId: String(campaignId) });
    expect(preview.asks).toEqual({ email: 'required', address: 'required', note: 'optional' });
    const intent = await begin();
    expect(intent).toMatchObject({
      ...{ state: 'created', transactions: [], detailsUpdatedAt: null },
      missingDetails: ['email', 'address'],
    });
    const { data: none } = await client.checkout.getDetails({ id: intent.id });
    expect(none).toMatchObject({ email: null, address: null, note: null, givenAt: null });
    const { data: saved } = await client.checkout.saveDetails({ id: intent.id, ...DETAILS });
    expect(saved.missingDetails).toEqual([]);
    expect(saved.transactions.map(({ step }) => step)).toEqual(['BUY']);
    expect(JSON.stringify(saved)).not.toMatch(SECRETS);
    const { data: read } = await client.checkout.getDetails({ id: intent.id });
    expect(read).toMatchObject({
      ...DETAILS,
      address: { ...ADDRESS, line2: '', region: '' },
      updatedAt: saved.detailsUpdatedAt,
    });
    for (const other of [shop, await fixture.clientAs(lower(accountAt(chain.accounts, 5)))]) {
      const foreign = other.checkout.getDetails({ id: intent.id });
      await expect(foreign).rejects.toMatchObject({ status: 404 });
      const write = other.checkout.saveDetails({ id: intent.id, ...DETAILS });
      await expect(write).rejects.toMatchObject({ status: 404 });
    }
  });

  it('names each field that is missing, wrong, too long or not asked for', async () => {
    const { id } = await begin();
    const save = (details: object) => issuesOf(client.checkout.saveDetails({ id, ...details }));
    expect(await save({ note: 'x' })).toEqual([
      'email is required by the merchant',
      'address is required by the merchant',
    ]);
    expect(await save({ ...DETAILS, email: 'ada' })).toEqual(['email must be an e-mail address']);
    expect(await save({ ...DETAILS, note: 'x'.repeat(1_001) })).toEqual([
      'note must have at most 1000 characters',
    ]);
    const address = { ...ADDRESS, name: ' ', country: 'Norway', city: 'x'.repeat(101) };
    expect(await save({ ...DETAILS, address })).toEqual([
      'address.name must not be empty',
      'address.city must have at most 100 characters',
      'address.country must be a country code of two capital letters',
    ]);
    await fixture.pool`
      update commerce.checkout_intent set asks = '{"email":"no","address":"no","note":"no"}' where id = ${id}`;
    expect(await save({ email: DETAILS.email })).toEqual([
      'email was not asked for, so it is not stored',
    ]);
    expect(await stored(id)).toBeUndefined();
  });

  it('stores no readable text, and opens only for the order that it was given with', async () => {
    const [one, other] = [await begin(), await begin()];
    await client.checkout.saveDetails({ id: one.id, ...DETAILS });
    const [row] = await fixture.pool<{ text: string }[]>`
      select details::text as text from commerce.buyer_details details where intent_id = ${one.id}`;
    const hex = /\\\\x([0-9a-f]+)/.exec(row?.text ?? '')?.[1] ?? '';
    expect(hex.length).toBeGreaterThan(100);
    expect(`${row?.text}${Buffer.from(hex, 'hex').toString('utf8')}`).not.toMatch(SECRETS);
    const sealed = Buffer.from(hex, 'hex');
    const order = { intentId: one.id, buyer: lower(buyer) };
    const { keys } = fixture.deps;
    expect(openDetails({ ...order, sealed }, keys)?.email).toBe(DETAILS.email);
    expect(openDetails({ ...order, intentId: other.id, sealed }, keys)).toBeNull();
    expect(openDetails({ ...order, buyer: lower(merchant), sealed }, keys)).toBeNull();
  });

  it('shows them to the merchant’s admins alone, once the order is paid, and no longer after a reorg', async () => {
    const intent = await begin();
    await client.checkout.saveDetails({ id: intent.id, ...DETAILS });
    expect(await delivered()).toEqual([]);
    const before = await chain.client.snapshot();
    await pay(intent.orderKey);
    await live.sync();
    const [order, ...others] = await delivered();
    expect(others).toEqual([]);
    expect(order).toMatchObject({
      ...{ orderKey: intent.orderKey, title: 'Kit', email: DETAILS.email, note: DETAILS.note },
      ...{ address: { ...ADDRESS, line2: '', region: '' }, readable: true, amount: String(PRICE) },
    });
    const sales = await shop.receipts.forMerchant({ orderKey: intent.orderKey });
    expect(sales.data.items.map(({ hasDetails }) => hasDetails)).toEqual([true]);
    expect(JSON.stringify(sales.data)).not.toMatch(SECRETS);
    expect(await delivered(shop, { saleId: order?.saleId })).toHaveLength(1);
    expect(await delivered(shop, { saleId: '999999' })).toEqual([]);
    // Corrected after the payment: the merchant reads the new one.
    await client.checkout.saveDetails({ id: intent.id, ...DETAILS, note: 'Size L' });
    expect((await delivered())[0]?.note).toBe('Size L');

    const stranger = await fixture.clientAs(lower(accountAt(chain.accounts, 5)));
    expect(await delivered(stranger)).toEqual([]);
    const analyst = lower(accountAt(chain.accounts, 6));
    const member = { id: newId(), merchant: lower(merchant), account: analyst };
    await inviteMember(fixture.pool, { ...member, role: 'analyst' }, new Date());
    await fixture.pool`
      update commerce.team_member set status = 'active', joined_at = now() where id = ${member.id}`;
    const working = await fixture.signingClientAs(analyst, {}, { merchant: lower(merchant) });
    await expect(delivered(working)).rejects.toMatchObject({ status: 403 });

    await chain.client.revert({ id: before });
    await live.sync();
    expect(await delivered()).toEqual([]);
  });

  it('deletes those of unpaid orders after a week and all others after 180 days, and those of cancelled ones immediately', async () => {
    const [paid, unpaid, cancelled] = [await begin(), await begin(), await begin()];
    for (const { id } of [paid, unpaid, cancelled]) {
      await client.checkout.saveDetails({ id, ...DETAILS });
    }
    await client.intents.cancel({ id: cancelled.id });
    expect(await stored(cancelled.id)).toBeUndefined();
    const late = client.checkout.saveDetails({ id: cancelled.id, ...DETAILS });
    await expect(late).rejects.toMatchObject({ status: 409 });
    await pay(paid.orderKey);
    await live.sync();
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
    const purge = async (step: typeof deleteOldDetails, days: number) => {
      while ((await step(fixture.pool, inDays(days))) > 0);
      return [await stored(paid.id), await stored(unpaid.id)].map((row) => row !== undefined);
    };
    expect(await purge(deleteUnpaidDetails, 6)).toEqual([true, true]);
    expect(await purge(deleteUnpaidDetails, 8)).toEqual([true, false]);
    expect(await purge(deleteOldDetails, 179)).toEqual([true, false]);
    expect(await purge(deleteOldDetails, 181)).toEqual([false, false]);
  });

  it('encrypts them again under a new secret, and exports them to their buyer alone', async () => {
    const { id } = await begin();
    await client.checkout.saveDetails({ id, ...DETAILS });
    const old = await stored(id);
    const next = deriveKeys(['another secret of tests, 32 characters', OLD_SECRET]);
    await resealDetails(fixture.pool, next);
    const fresh = await stored(id);
    expect(fresh?.sealed).not.toBe(old?.sealed);
    const sealed = Buffer.from(fresh?.sealed.slice(2) ?? '', 'hex');
    const alone = deriveKeys(['another secret of tests, 32 characters']);
    expect(openDetails({ intentId: id, buyer: lower(buyer), sealed }, alone)?.note).toBe('Size M');
    await resealDetails(
      fixture.pool,
      deriveKeys([OLD_SECRET, 'another secret of tests, 32 characters']),
    );

    const records = [];
    for await (const row of client.pages(client.account.export, { limit: 100 })) records.push(row);
    const own = records.filter(({ table }) => table === 'buyer_details');
    expect(own.some(({ record }) => record.intent_id === id)).toBe(true);
    expect(JSON.stringify(own)).toMatch(SECRETS);
    expect(JSON.stringify(own)).not.toContain('sealed":');
    const theirs = [];
    for await (const row of shop.pages(shop.account.export, { limit: 100 })) theirs.push(row);
    expect(JSON.stringify(theirs)).not.toMatch(SECRETS);
  });

  it('deletes them with the account of their buyer, and with that of the merchant', async () => {
    const count = async () => (await fixture.pool`select 1 from commerce.buyer_details`).length;
    const { id } = await begin();
    await client.checkout.saveDetails({ id, ...DETAILS });
    expect(await count()).toBeGreaterThan(0);
    // Nothing is open once no sale is left in the ledger's campaigns.
    await fixture.pool`update ledger.sale set state = 'finalized'`;
    const { deletedAt } = await deleteAccount(fixture.pool, lower(buyer), Date.now);
    expect(deletedAt).not.toBeNull();
    expect(await count()).toBe(0);
  });
});

const OLD_SECRET = 'a secret of tests, 32 characters or more';
