import { type Address, type Hex, keccak256, toHex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { readIntent } from '../../engine/db/commerce/intents.ts';
import { reconciled } from '../../engine/http/resources/checkout/reconcile.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, mined, receiptOf, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import type { ApiFixture } from './support/api-fixture.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

const PRICE = 1_000_000n;

describe('the checkout intents of a buyer', () => {
  let live: LiveFixture;
  let fixture: ApiFixture;
  let chain: TestChain;
  let merchant: Address;
  let buyer: Address;
  let client: Client;
  let token: Address;
  let campaignId: bigint;
  let orders = 0;

  beforeAll(async () => {
    live = await LiveFixture.open();
    ({ fixture, chain } = live);
    merchant = accountAt(chain.accounts, 1);
    buyer = accountAt(chain.accounts, 2);
    token = await deployToken(chain);
    campaignId = await act.createCampaign(chain, merchant, token);
    await act.fund(chain, { id: campaignId, token }, merchant, 1_000_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    await live.sync();
    client = await fixture.clientAs(lower(buyer));
  });
  afterAll(() => live.close());
  afterEach(() => chain.client.setAutomine(true));

  type Intent = Awaited<ReturnType<typeof begin>>;

  function body() {
    orders += 1;
    const orderKey = keccak256(toHex(`intent ${orders}`));
    const id = String(campaignId);
    return { campaignId: id, orderKey, maxAmount: String(PRICE), minPolicyVersion: 1 };
  }
  const begin = async (as = client) => (await as.checkout.createIntent(body())).data;
  const get = async (id: string) => (await client.checkout.getIntent({ id })).data;
  const cancel = async (id: string, as = client) => (await as.intents.cancel({ id })).data;
  const attach = async (id: string, transactionHash: Hex) =>
    (await client.checkout.attachTransaction({ id, transactionHash })).data;

  /** Sends the purchase of an intent, which the buyer has approved. */
  async function pay({ transactions }: Pick<Intent, 'transactions'>, gas = 1_500_000n) {
    const step = transactions.find((one) => one.step === 'BUY');
    if (step === undefined) throw new Error('There is nothing to pay.');
    const { to, data } = step.transaction;
    const call = { to: lower(to), data: lower(data), account: buyer, gas };
    return await chain.client.sendTransaction(call);
  }

  async function refusedAs(refused: Promise<unknown>, message: string): Promise<void> {
    const expected = { status: 409, code: 'CONFLICT', message: expect.stringContaining(message) };
    await expect(refused).rejects.toMatchObject(expected);
  }

  it('cancels an intent once, and a repeated cancellation changes nothing', async () => {
    const intent = await begin();
    expect(intent.cancelledAt).toBeNull();
    const cancelled = await cancel(intent.id);
    const { cancelledAt, updatedAt } = cancelled;
    expect(cancelled).toEqual({
      ...intent,
      ...{ state: 'cancelled', transactions: [], cancelledAt, updatedAt },
    });
    expect(cancelledAt).toBe(updatedAt);
    expect(await cancel(intent.id)).toEqual(cancelled);
    expect(await get(intent.id)).toEqual(cancelled);
    const another = await begin();
    const all = await Promise.all(Array.from({ length: 10 }, () => cancel(another.id)));
    expect(new Set(all.map((one) => one.cancelledAt)).size).toBe(1);
  });

  it('returns 404 for the intent of another buyer', async () => {
    const { id } = await begin();
    const other = await fixture.clientAs(lower(merchant));
    await expect(cancel(id, other)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await get(id)).state).toBe('created');
  });

  it('returns the cancelled intent for the same order key, and asks for no payment', async () => {
    const request = body();
    const { id } = (await client.checkout.createIntent(request)).data;
    const cancelled = await cancel(id);
    expect((await client.checkout.createIntent(request)).data).toEqual(cancelled);
    const other = client.checkout.createIntent({ ...request, maxAmount: String(PRICE + 1n) });
    await expect(other).rejects.toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
    const next = { ...request, orderKey: keccak256(toHex('a new key')) };
    expect((await client.checkout.createIntent(next)).data.state).toBe('created');
  });

  it('confirms a cancelled intent that was paid all the same', async () => {
    const intent = await begin();
    await cancel(intent.id);
    await chain.client.setAutomine(false);
    const hash = await pay(intent);
    expect(await get(intent.id)).toMatchObject({ state: 'submitted', transactions: [] });
    const attached = await attach(intent.id, hash);
    expect(attached).toMatchObject({
      state: 'submitted',
      submitted: [{ hash, status: 'pending' }],
    });
    await refusedAs(cancel(intent.id), hash);
    await chain.client.mine({ blocks: 1 });
    await live.sync();
    const paid = await get(intent.id);
    expect(paid).toMatchObject({ state: 'confirmed', tx: { hash } });
    expect(paid.cancelledAt).not.toBeNull();
    await refusedAs(cancel(intent.id), `sale ${paid.saleId}`);
  });

  it('shows a cancelled intent as cancelled again after its transaction was dropped', async () => {
    const intent = await begin();
    await cancel(intent.id);
    await chain.client.setAutomine(false);
    const hash = await pay(intent);
    expect((await attach(intent.id, hash)).state).toBe('submitted');
    await chain.client.dropTransaction({ hash });
    const back = await get(intent.id);
    expect(back).toMatchObject({ state: 'cancelled', submitted: [{ status: 'dropped' }] });
    expect(back.transactions).toEqual([]);
  });

  it('refuses to cancel an intent while a transaction waits, or after one was mined', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const hash = await pay(intent);
    // Not reported: the pending block has it.
    await refusedAs(cancel(intent.id), 'not settled');
    await attach(intent.id, hash);
    await refusedAs(cancel(intent.id), hash);
    await chain.client.mine({ blocks: 1 });
    await refusedAs(cancel(intent.id), 'not settled');
    await live.sync();
    const { saleId, cancelledAt } = await get(intent.id);
    await refusedAs(cancel(intent.id), `sale ${saleId}`);
    expect(cancelledAt).toBeNull();
  });

  it('refuses to cancel an intent while another transaction replaces its own', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const nonce = await chain.client.getTransactionCount({ address: buyer });
    const call = { account: buyer, nonce, gas: 1_500_000n };
    const { to = '0x', data = '0x' } = intent.transactions[0]?.transaction ?? {};
    const purchase = { ...call, to: lower(to), data: lower(data) };
    const slow = await chain.client.sendTransaction({ ...purchase, gasPrice: 10_000_000_000n });
    await attach(intent.id, slow);
    // Something else under the same nonce: until it is mined, it could be the purchase.
    const other = { ...call, to: buyer, gas: 21_000n, gasPrice: 30_000_000_000n };
    await chain.client.sendTransaction(other);
    await refusedAs(cancel(intent.id), `replaces ${slow}`);
    await chain.client.mine({ blocks: 1 });
    expect((await cancel(intent.id)).state).toBe('cancelled');
  });

  it('cancels an intent whose transaction reverted, and an expired one', async () => {
    const reverted = await begin();
    const hash = await pay(reverted, 60_000n);
    await receiptOf(chain.client, hash);
    expect((await attach(reverted.id, hash)).state).toBe('failed');
    expect(await cancel(reverted.id)).toMatchObject({ state: 'cancelled', failure: null });
    const { id } = await begin();
    const clock = () => Date.now() + 30 * 60_000;
    const later = await fixture.clientAs(lower(buyer), { clock });
    expect((await later.checkout.getIntent({ id })).data.state).toBe('expired');
    expect((await cancel(id, later)).state).toBe('cancelled');
  });

  it('cancels nothing while the chain does not answer, except what is cancelled already', async () => {
    const blind = await fixture.clientAs(lower(buyer), { client: away });
    const { id } = await begin();
    await expect(cancel(id, blind)).rejects.toMatchObject({ status: 503, code: 'NOT_READY' });
    expect((await get(id)).state).toBe('created');
    const cancelled = await cancel(id);
    expect(await cancel(id, blind)).toEqual(cancelled);
  });

  it('refuses to cancel an intent to which a transaction was attached concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await begin();
      const hash = keccak256(toHex(`attached ${round}`));
      const [cancelled, attached] = await Promise.allSettled([cancel(id), attach(id, hash)]);
      // A hash that the chain never showed counts as pending: only a cancellation before it succeeds.
      const { state, cancelledAt } = await get(id);
      expect(state).toBe('submitted');
      expect(attached.status).toBe('fulfilled');
      expect(cancelledAt === null).toBe(cancelled.status === 'rejected');
      if (cancelled.status === 'rejected') {
        expect(cancelled.reason).toMatchObject({ status: 409, code: 'CONFLICT' });
      }
    }
  });

  it('stores one true state if an intent is cancelled, paid and read concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const intent = await begin();
      const [cancelled, hash] = await Promise.allSettled([
        cancel(intent.id),
        pay(intent),
        ...Array.from({ length: 3 }, () => get(intent.id)),
      ]);
      if (hash.status === 'rejected') throw hash.reason;
      if (typeof hash.value === 'string') await mined(chain.client, hash.value);
      await live.sync();
      const paid = await get(intent.id);
      expect(paid).toMatchObject({ state: 'confirmed', transactions: [] });
      expect(paid.cancelledAt !== null).toBe(cancelled.status === 'fulfilled');
      const { items } = (await client.intents.list({ limit: 1 })).data;
      expect(items).toMatchObject([{ id: intent.id, state: 'confirmed' }]);
    }
  });

  it('stores an intent as cancelled if it was read before and reconciled after the cancellation', async () => {
    const intent = await begin();
    const { id } = intent;
    const { pool, deps } = fixture;
    const before = await readIntent(pool, { id, buyer: lower(buyer) });
    if (before === undefined) throw new Error('The intent is not stored.');
    await cancel(id);
    const { data } = await reconciled(deps, before);
    expect(data).toMatchObject({ state: 'cancelled', transactions: [] });
    expect((await client.intents.list({ limit: 1 })).data.items[0]?.state).toBe('cancelled');
  });

  it('shows a cancelled intent to the merchant', async () => {
    const { id, orderKey } = await begin();
    await cancel(id);
    const shop = await fixture.clientAs(lower(merchant));
    const { data } = await shop.orders.get({ orderKey });
    expect(data.items).toMatchObject([{ sale: null, intent: { id, state: 'cancelled' } }]);
  });
});

describe('the list of checkout intents', () => {
  let live: LiveFixture;
  let client: Client;
  const ids: string[] = [];
  let campaigns: string[];

  beforeAll(async () => {
    live = await LiveFixture.open();
    const { chain, fixture } = live;
    const merchant = accountAt(chain.accounts, 1);
    const token = await deployToken(chain);
    const created = [
      await act.createCampaign(chain, merchant, token),
      await act.createCampaign(chain, merchant, token),
    ];
    for (const id of created) await act.fund(chain, { id, token }, merchant, 1_000_000_000n);
    campaigns = created.map(String);
    await live.sync();
    client = await fixture.clientAs(lower(accountAt(chain.accounts, 2)));
    for (let i = 0; i < 5; i += 1) {
      const { data } = await client.checkout.createIntent({
        campaignId: campaigns[i === 3 ? 1 : 0] ?? '',
        orderKey: keccak256(toHex(`listed ${i}`)),
        maxAmount: String(PRICE),
        minPolicyVersion: 1,
      });
      ids.push(data.id);
    }
  });
  afterAll(() => live.close());

  async function listed(query: Parameters<Client['intents']['list']>[0], as = client) {
    const found: string[] = [];
    for await (const one of as.pages(as.intents.list, { ...query, limit: 2 })) found.push(one.id);
    return found;
  }

  it('lists the intents of the caller alone, in pages, newest first', async () => {
    expect(await listed({})).toEqual([...ids].reverse());
    const other = await live.fixture.clientAs(lower(accountAt(live.chain.accounts, 3)));
    expect(await listed({}, other)).toEqual([]);
    const [item] = (await client.intents.list({ limit: 1 })).data.items;
    const intent = (await client.checkout.getIntent({ id: item?.id ?? '' })).data;
    const { transactions: _steps, submitted: _sent, failure: _failure, ...rest } = intent;
    const { saleId: _sale, tx: _tx, order: _order, ...asking } = rest;
    const { asks: _asks, missingDetails: _missing, detailsUpdatedAt: _at, ...stored } = asking;
    expect(item).toEqual(stored);
  });

  it('lists each intent once if all were created in the same microsecond, or a microsecond apart', async () => {
    const { pool } = live.fixture;
    const created = new Date('2026-01-01T00:00:00Z');
    await pool`update commerce.checkout_intent set created_at = ${created}`;
    expect((await listed({})).sort()).toEqual([...ids].sort());
    for (const [i, id] of ids.entries()) {
      await pool`
        update commerce.checkout_intent
        set created_at = ${created}::timestamptz + ${i} * interval '1 microsecond' where id = ${id}`;
    }
    expect(await listed({})).toEqual([...ids].reverse());
  });

  it('filters intents by campaign and by the stored state, which only a reconciliation changes', async () => {
    const [first = '', second = ''] = ids;
    await client.intents.cancel({ id: first });
    expect(await listed({ state: 'cancelled' })).toEqual([first]);
    expect(await listed({ campaignId: campaigns[1] ?? '' })).toEqual([ids[3]]);
    expect(await listed({ campaignId: campaigns[1] ?? '', state: 'cancelled' })).toEqual([]);
    expect(await listed({ campaignId: 'demo-1' })).toEqual([]);

    await live.fixture.pool`
      update commerce.checkout_intent set expires_at = '2000-01-01T00:00:00Z' where id = ${second}`;
    expect(await listed({ state: 'expired' })).toEqual([]);
    await client.checkout.getIntent({ id: second });
    expect(await listed({ state: 'expired' })).toEqual([second]);
    expect(await listed({ state: 'created' })).toEqual(ids.slice(2).reverse());
  });

  it('refuses a cursor of other filters', async () => {
    const { nextCursor } = (await client.intents.list({ limit: 1 })).data;
    const other = client.intents.list({ cursor: nextCursor ?? '', state: 'created' });
    await expect(other).rejects.toMatchObject({ status: 400, issues: [{ path: 'cursor' }] });
  });

  it('lists intents while the chain does not answer', async () => {
    const { chain, fixture } = live;
    const blind = await fixture.clientAs(lower(accountAt(chain.accounts, 2)), { client: away });
    expect(await listed({}, blind)).toEqual([...ids].reverse());
  });
});
