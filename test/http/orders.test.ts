import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError, Client } from '../../engine/client/index.ts';
import { NOTHING_ASKED } from '../../engine/core/buyer-details.ts';
import { keepIntent } from '../../engine/db/commerce/intents.ts';
import { forgetChanges } from '../../engine/db/write/changes.ts';
import { account, hash } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { OrderPoller, salesOf } from './support/order-poller.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const MERCHANT = account(1_000);
const BUYER = account(500);

async function codeOf(request: Promise<unknown>): Promise<string> {
  return await request.then(
    () => 'OK',
    ({ code, issues }: ApiError) => [code, ...issues.map(({ path }) => path)].join(' '),
  );
}

/** Sales of the small history (test/http/support/small-history.ts): 1, 2, 3 and 5 are of one merchant. */
describe('orders of a merchant', () => {
  let fixture: ApiFixture;
  let merchant: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    merchant = await fixture.clientAs(MERCHANT);
  });
  afterAll(() => fixture.close());

  type Query = Parameters<Client['orders']['list']>[0];
  async function idsOf(query: Query = {}, as = merchant): Promise<string[]> {
    return (await as.orders.list(query)).data.items.map(({ saleId }) => saleId);
  }

  it('lists all orders, the oldest first, with the amounts of receipts.forMerchant', async () => {
    const { items, nextCursor, reset } = (await merchant.orders.list()).data;
    expect([nextCursor, reset]).toEqual([null, true]);
    const sales = (await merchant.receipts.forMerchant()).data.items;
    expect(items).toEqual(
      sales
        .reverse()
        .map(({ dispute: _none, hasDetails: _no, ...sale }) => ({ ...sale, retracted: false })),
    );
    expect(await idsOf({}, await fixture.clientAs(account(1_001)))).toEqual(['4']);
    expect(await idsOf({}, await fixture.clientAs(BUYER))).toEqual([]);
  });

  it('finds orders by order key, SKU, link, buyer, campaign and each transaction about them', async () => {
    expect(await idsOf({ orderKey: hash('order 2') })).toEqual(['2']);
    expect(await idsOf({ orderKey: `0x${hash('order 2').slice(2).toUpperCase()}` })).toEqual(['2']);
    // Another merchant's.
    expect(await idsOf({ orderKey: hash('order 4') })).toEqual([]);
    expect(await idsOf({ skuHash: hash('sku 1') })).toEqual(['1', '2', '3']);
    expect(await idsOf({ nodeId: '7' })).toEqual(['5']);
    expect(await idsOf({ nodeId: 'demo-1' })).toEqual([]);
    expect(await idsOf({ nodeId: '0' })).toEqual(['2']);
    expect(await idsOf({ buyer: BUYER, skuHash: hash('sku 3') })).toEqual(['5']);
    expect(await idsOf({ buyer: account(999) })).toEqual([]);
    expect(await idsOf({ campaignId: '3' })).toEqual(['5']);
    const { items } = (await merchant.receipts.forMerchant({ campaignId: '1' })).data;
    const finalized = items.find(({ saleId }) => saleId === '1');
    expect(await idsOf({ transactionHash: finalized?.tx.hash ?? '0x' })).toEqual(['1']);
    const { items: events } = (await merchant.receipts.events({ chainId: 31_337, saleId: '1' }))
      .data;
    expect(events.length).toBeGreaterThan(3);
    for (const { transactionHash } of events) {
      expect(await idsOf({ transactionHash })).toEqual(['1']);
      const sales = (await merchant.receipts.forMerchant({ transactionHash })).data.items;
      expect(sales.map(({ saleId }) => saleId)).toEqual(['1']);
    }
    expect(await idsOf({ transactionHash: hash('nothing') })).toEqual([]);
  });

  it('rejects a campaign that is not the caller’s, and a position of another list', async () => {
    expect(await codeOf(merchant.orders.list({ campaignId: '2' }))).toBe('FORBIDDEN');
    expect(await codeOf(merchant.orders.list({ campaignId: '99' }))).toBe('NOT_FOUND');
    const { data } = await merchant.orders.list({ limit: 1 });
    const of = (query: Query) => codeOf(merchant.orders.list({ limit: 1, ...query }));
    expect(await of({ since: data.since })).toBe('OK');
    expect(await of({ since: data.since, campaignId: '1' })).toBe('VALIDATION_FAILED since');
    expect(await of({ cursor: data.since, campaignId: '1' })).toBe('VALIDATION_FAILED cursor');
    expect(await of({ since: 'nonsense' })).toBe('VALIDATION_FAILED since');
    const stranger = await fixture.clientAs(account(1_001));
    expect(await codeOf(stranger.orders.list({ since: data.since }))).toBe(
      'VALIDATION_FAILED since',
    );
  });

  it('pages through the list, and reports nothing more until something changes', async () => {
    const seen: string[] = [];
    let query: Query = { limit: 1 };
    for (let page = 0; page < 10; page += 1) {
      const { data } = await merchant.orders.list(query);
      seen.push(...data.items.map(({ saleId }) => saleId));
      expect(data.reset).toBe(page === 0);
      query = { limit: 1, since: data.since };
      if (data.nextCursor === null) break;
    }
    expect(seen).toEqual(['1', '2', '3', '5']);
    for (let again = 0; again < 2; again += 1) {
      const { data } = await merchant.orders.list(query);
      expect(data).toMatchObject({ items: [], nextCursor: null, reset: false });
      query = { since: data.since };
    }
  });

  it('brings sale, dispute and intent of an order key together, for its merchant alone', async () => {
    const orderKey = hash('order 2');
    const now = new Date();
    const intent = {
      buyer: BUYER,
      requestHash: Buffer.alloc(32),
      campaignId: '1',
      termsHash: hash('terms 1'),
      nodeId: null,
      nodeOwner: null,
      skuHash: hash('sku 1'),
      token: { address: account(1), symbol: 'TUSD', decimals: 6, name: '' },
      amount: 1_000_000n,
      asks: NOTHING_ASKED,
      minPolicyVersion: 1,
      createdAt: now,
      updatedAt: now,
      expiresAt: now,
    };
    await keepIntent(fixture.pool, { ...intent, id: 'bought', orderKey });
    const unpaid = { ...intent, id: 'unpaid', orderKey: hash('unpaid') };
    await keepIntent(fixture.pool, unpaid);
    // Of a campaign that a reorg replaced: its id is another merchant's or another campaign's now.
    const replaced = { ...intent, termsHash: hash('other terms'), orderKey: hash('replaced') };
    await keepIntent(fixture.pool, { ...replaced, id: 'replaced' });
    const buyer = await fixture.clientAs(BUYER);
    const { data: dispute } = await buyer.disputes.open({
      chainId: 31_337,
      saleId: '2',
      reason: 'other',
      message: 'Please.',
    });
    const { data } = await merchant.orders.get({ orderKey });
    expect(data.items).toMatchObject([
      {
        campaignId: '1',
        buyer: BUYER,
        sale: { saleId: '2', dispute: { id: dispute.id, status: 'open' } },
        intent: { id: 'bought', state: 'confirmed', amount: '1000000' },
      },
    ]);
    const { data: waiting } = await merchant.orders.get({ orderKey: unpaid.orderKey });
    expect(waiting.items).toMatchObject([
      { campaignId: '1', sale: null, intent: { id: 'unpaid', state: 'created' } },
    ]);
    expect(await codeOf(merchant.orders.get({ orderKey: hash('replaced') }))).toBe('NOT_FOUND');
    expect(await codeOf(merchant.orders.get({ orderKey, buyer: account(9) }))).toBe('NOT_FOUND');
    expect(await codeOf(merchant.orders.get({ orderKey, campaignId: '3' }))).toBe('NOT_FOUND');
    expect(await codeOf(buyer.orders.get({ orderKey }))).toBe('NOT_FOUND');
    expect(await codeOf(merchant.orders.get({ orderKey: hash('order 4') }))).toBe('NOT_FOUND');
  });

  it('begins the list again if the changes since then are no longer stored', async () => {
    const { data } = await merchant.orders.list();
    const changed = async (since: string) => (await merchant.orders.list({ since })).data;
    const epoch = async (name: string) =>
      fixture.pool`update ledger.head set stream_epoch = ${name}`;
    const [head] = await fixture.pool<{ stream_epoch: string }[]>`
      select stream_epoch from ledger.head`;
    await epoch('0000');
    expect(await changed(data.since)).toMatchObject({ reset: true });
    await epoch(head?.stream_epoch ?? '');
    await fixture.pool`update ledger.change set published_at = now() - interval '25 hours'`;
    await forgetChanges(fixture.pool, new Date());
    // Nothing happened since, so nothing is missing.
    expect(await changed(data.since)).toMatchObject({ items: [], reset: false });
    await fixture.pool`update ledger.head set sequence = sequence + 1`;
    const again = await changed(data.since);
    expect(again.reset).toBe(true);
    expect(again.items).toHaveLength(4);
  });
});

describe('orders across a reorg', () => {
  it('retracts the orders of a campaign that a reorg gave to another merchant', async () => {
    const fixture = await ApiFixture.open();
    const ledger = new SettleFixture(fixture.pool);
    const began = (merchant: `0x${string}`, orders: readonly string[]) => {
      const history = new HistoryBuilder();
      history.create('1');
      history.schedule('1');
      history.fund('1', 10_000_000n);
      history.nextBlock();
      history.create('2', { merchant });
      history.schedule('2');
      history.fund('2', 10_000_000n);
      history.nextBlock();
      for (const [i, name] of orders.entries()) {
        const orderKey = hash(name);
        history.sell(i % 2 === 0 ? '2' : '1', String(i + 1), { pool: 0n, shares: [], orderKey });
      }
      return history.facts;
    };
    const clients = await Promise.all([1_000, 1_001].map((n) => fixture.clientAs(account(n))));
    const [first, second] = clients;
    if (first === undefined || second === undefined) throw new Error('two clients were made');
    const before = began(account(1_000), ['a', 'b', 'c']);
    await ledger.index(before);
    await ledger.settle(100);
    await ledger.tick();
    const pollers = clients.map((client) => new OrderPoller(client, 1));
    for (const poller of pollers) await poller.poll();
    expect(pollers.map(({ held }) => held.length)).toEqual([3, 0]);
    // Sale 1 is another order now, sale 2 is the same order in another block, and sale 3 is gone.
    const after = began(account(1_001), ['d', 'b']).map((fact) => {
      if (fact.blockNumber === 100) return fact;
      return { ...fact, blockHash: hash(`fork ${fact.blockNumber}`) };
    });
    await ledger.index(after.filter(({ blockNumber }) => blockNumber > 100));
    await ledger.settle(100);
    await ledger.tick();
    for (const poller of pollers) await poller.poll();
    expect(pollers.map(({ held }) => held.length)).toEqual([1, 1]);
    for (const [i, client] of clients.entries()) {
      expect(pollers[i]?.held).toEqual(await salesOf(client));
    }
    expect(pollers[0]?.retracted).toBe(2);
    expect(pollers[1]?.retracted).toBe(0);
    await fixture.close();
  });
});
