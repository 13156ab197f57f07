import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import type { Fact } from '../../engine/core/events.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { type Marks, saveProfiles, smallHistory } from './support/small-history.ts';

const MERCHANT = account(1_000);
const ATTESTING = account(1_001);
const BUYER = account(500);

/** Sales of the small history (test/http/support/small-history.ts), as their two sides list them. */
describe('sales of the caller', () => {
  let fixture: ApiFixture;
  let marks: Marks;
  let buyer: Client;
  let merchant: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = smallHistory();
    marks = history.marks;
    await fixture.settle(history.history.facts);
    await saveProfiles(fixture.pool);
    buyer = await fixture.clientAs(BUYER);
    merchant = await fixture.clientAs(MERCHANT);
  });
  afterAll(() => fixture.close());

  type Bought = Parameters<Client['receipts']['forBuyer']>[0];
  type Sold = Parameters<Client['receipts']['forMerchant']>[0];
  async function bought(query: Bought = {}, as = buyer) {
    return (await as.receipts.forBuyer(query)).data.items;
  }
  async function sold(query: Sold = {}, as = merchant) {
    return (await as.receipts.forMerchant(query)).data.items;
  }
  const ids = (items: readonly { saleId: string }[]) => items.map(({ saleId }) => saleId);

  it('lists a buyer’s sales in all campaigns, with state, access and whether a refund is possible', async () => {
    const items = await bought();
    expect(
      items.map(({ saleId, state, refundable, fulfillment: { mode, available } }) => [
        ...[saleId, state, refundable, mode, available],
      ]),
    ).toEqual([
      ['5', 'pending', true, 'manual', true],
      ['4', 'reversed', false, 'manual', false],
      ['3', 'refunded', false, 'download', false],
      ['2', 'pending', true, 'download', true],
      ['1', 'finalized', false, 'download', true],
    ]);
    const [, , refunded, pending] = items;
    expect(refunded?.fulfillment.availableFrom).toBeNull();
    expect(pending).toMatchObject({ orderKey: hash('order 2'), dispute: null, buyer: BUYER });
    expect(pending?.fulfillment.availableFrom).toBe(pending?.recordedAt);
    expect(JSON.stringify(items)).not.toContain('secret.example');
  });

  it('lists the sales of a merchant’s campaigns, with its proceeds and the rewards of the path', async () => {
    const amountsOf = (items: Awaited<ReturnType<typeof sold>>) =>
      items.map(({ saleId, proceeds, rewards, refundable }) => [
        ...[saleId, proceeds, rewards, refundable],
      ]);
    expect(amountsOf(await sold())).toEqual([
      ['5', '1000000', '8000', true],
      ['3', '0', '0', false],
      ['2', '1000000', '0', true],
      ['1', '600000', '60000', false],
    ]);
    // Paid elsewhere, and its rewards reversed.
    const attesting = await fixture.clientAs(ATTESTING);
    expect(amountsOf(await sold({}, attesting))).toEqual([['4', '0', '0', false]]);
    expect(await sold({}, buyer)).toEqual([]);
    expect(await bought({}, merchant)).toEqual([]);
  });

  it('lists the caller’s sales as of the settled block, whatever the ledger contains beyond it', async () => {
    const settleAt = (block: number) =>
      fixture.pool`update ledger.head set settled_number = ${block}`;
    const amountsOf = async () =>
      (await sold()).map(({ saleId, state, proceeds, rewards }) => [
        ...[saleId, state, proceeds, rewards],
      ]);
    await settleAt(marks.sold);
    expect(await amountsOf()).toEqual([
      ['5', 'pending', '1000000', '8000'],
      ['3', 'pending', '1000000', '100000'],
      ['2', 'pending', '1000000', '0'],
      ['1', 'pending', '1000000', '100000'],
    ]);
    expect(ids(await bought({ state: 'finalized' }))).toEqual([]);
    expect(ids(await sold({ state: 'pending' }))).toEqual(['5', '3', '2', '1']);
    await settleAt(marks.refunded);
    expect(await amountsOf()).toEqual([
      ['5', 'pending', '1000000', '8000'],
      ['3', 'refunded', '0', '0'],
      ['2', 'pending', '1000000', '0'],
      ['1', 'pending', '600000', '60000'],
    ]);
    await settleAt(marks.sold - 1);
    expect([await bought(), await sold()]).toEqual([[], []]);
    await settleAt(marks.last);
  });

  it('filters the caller’s sales by campaign, state, buyer and time', async () => {
    expect(ids(await bought({ campaignId: '1' }))).toEqual(['3', '2', '1']);
    expect(ids(await bought({ campaignId: '1', state: 'pending' }))).toEqual(['2']);
    expect(ids(await bought({ state: 'reversed' }))).toEqual(['4']);
    expect(await bought({ campaignId: 'demo-1' })).toEqual([]);
    expect(ids(await sold({ campaignId: '3' }))).toEqual(['5']);
    for (const [campaignId, status] of [
      ['2', 403],
      ['99', 404],
      ['demo-1', 404],
    ] as const) {
      const issues = [{ path: 'campaignId' }];
      await expect(sold({ campaignId })).rejects.toMatchObject({ status, issues });
    }
    expect(ids(await sold({ state: 'finalized' }))).toEqual(['1']);
    const upper = `0x${BUYER.slice(2).toUpperCase()}` as const;
    expect(ids(await sold({ buyer: upper }))).toEqual(['5', '3', '2', '1']);
    expect(await sold({ buyer: account(999) })).toEqual([]);
    const [newest] = await sold();
    const at = Date.parse(newest?.recordedAt ?? '');
    const iso = (ms: number) => new Date(ms).toISOString();
    const from = { from: iso(at), to: iso(at + 1) };
    expect(ids(await sold({ range: from }))).toEqual(['5', '3', '2', '1']);
    expect(await sold({ range: { from: iso(0), to: iso(at) } })).toEqual([]);
    expect(await sold({ range: { from: iso(at + 1), to: iso(at + 9_000) } })).toEqual([]);
  });

  it('names the dispute about a sale, with its state', async () => {
    const request = {
      chainId: CHAIN_ID,
      saleId: '5',
      reason: 'other',
      message: 'Please.',
    } as const;
    const { data } = await buyer.disputes.open(request);
    const dispute = { id: data.id, status: 'open' };
    expect((await bought({ campaignId: '3' }))[0]?.dispute).toEqual(dispute);
    const [sale, ...others] = await sold();
    expect(sale?.dispute).toEqual(dispute);
    expect(others.map((one) => one.dispute)).toEqual([null, null, null]);
    await merchant.disputes.respond({ id: data.id, response: 'decline', reason: 'No.' });
    expect((await sold())[0]?.dispute?.status).toBe('declined');
  });

  it('pages through the caller’s sales, with a cursor that is only valid for its own list', async () => {
    const page = (await buyer.receipts.forBuyer({ limit: 2 })).data;
    const cursor = page.nextCursor ?? '';
    expect(ids((await buyer.receipts.forBuyer({ limit: 2, cursor })).data.items)).toEqual([
      '3',
      '2',
    ]);
    for (const query of [{ state: 'pending' }, { campaignId: '1' }] as const) {
      const wrong = buyer.receipts.forBuyer({ ...query, cursor });
      await expect(wrong).rejects.toMatchObject({ status: 400 });
    }
    await expect(merchant.receipts.forMerchant({ cursor })).rejects.toMatchObject({ status: 400 });
  });
});

describe('sales of a random history', () => {
  it('lists every sale of a random history once and in order, for every buyer and every merchant', async () => {
    const fixture = await ApiFixture.open();
    const facts = randomHistory({ seed: 23, steps: 300, campaigns: 3 });
    await fixture.settle(facts);
    const all = facts.flatMap((fact) => (fact.name === 'SaleRecorded' ? [fact] : []));
    const newest = (ids: readonly string[]) => [...ids].sort((a, b) => Number(b) - Number(a));
    const buyers = new Set(all.map(({ args }) => args.buyer));
    for (const address of [...buyers].slice(0, 12)) {
      const client = await fixture.clientAs(address);
      const found: string[] = [];
      for await (const one of client.pages(client.receipts.forBuyer, { limit: 3 })) {
        found.push(one.saleId);
      }
      const own = all.filter(({ args }) => args.buyer === address);
      expect(found).toEqual(newest(own.map(({ args }) => args.saleId)));
    }
    for (const [i, campaignId] of ['1', '2', '3'].entries()) {
      const client = await fixture.clientAs(account(1_000 + i));
      const own = all.filter((fact) => fact.campaignId === campaignId);
      let rewards = 0n;
      const found: string[] = [];
      for await (const one of client.pages(client.receipts.forMerchant, { limit: 7 })) {
        found.push(one.saleId);
        rewards += BigInt(one.rewards);
      }
      expect(found).toEqual(newest(own.map(({ args }) => args.saleId)));
      const oldest: string[] = [];
      const query = { limit: 7, order: 'oldest' } as const;
      for await (const one of client.pages(client.receipts.forMerchant, query)) {
        oldest.push(one.saleId);
      }
      expect(oldest).toEqual(newest(own.map(({ args }) => args.saleId)).reverse());
      for (const { args, transactionHash } of own.slice(0, 3)) {
        const { orderKey, nodeId, skuHash } = args;
        const upper = `0x${orderKey.slice(2).toUpperCase()}` as const;
        const of = async (filter: object) =>
          (await client.receipts.forMerchant({ ...filter, limit: 100 })).data.items.map(
            ({ saleId }) => saleId,
          );
        const matching = (matches: (fact: (typeof own)[number]) => boolean) =>
          newest(own.filter(matches).map((fact) => fact.args.saleId)).slice(0, 100);
        expect(await of({ orderKey: upper })).toEqual(
          matching((fact) => fact.args.orderKey === orderKey),
        );
        const inTransaction = facts.filter((fact) => fact.transactionHash === transactionHash);
        const touched = new Set(inTransaction.map((fact) => saleOf(fact)));
        expect(await of({ transactionHash })).toEqual(
          matching((fact) => touched.has(fact.args.saleId)),
        );
        expect(await of({ nodeId })).toEqual(matching((fact) => fact.args.nodeId === nodeId));
        expect(await of({ skuHash })).toEqual(matching((fact) => fact.args.skuHash === skuHash));
      }
      expect((await client.receipts.forMerchant({ nodeId: 'demo-1' })).data.items).toEqual([]);
      // All that the sales have is reserved, unclaimed or claimed in the campaign's own ledger.
      const { rewardLedger } = (await client.campaigns.get({ campaignId })).data;
      const { pendingReserved, vestedUnclaimed, rewardsClaimed } = rewardLedger;
      const remaining = [pendingReserved, vestedUnclaimed, rewardsClaimed].map(BigInt);
      expect(rewards).toBe(remaining.reduce((a, b) => a + b));
    }
    await fixture.close();
  });
});

/** Where the history is read: from its settled block, and from blocks with many events after them. */
const PARTS = [1, 0.7, 0.4];

describe.each(PARTS)('filters of sales, at %f of a random history', (part) => {
  const facts = randomHistory({ seed: 31, steps: 300, campaigns: 3 });
  const last = facts[Math.floor((facts.length - 1) * part)];
  const settled = facts.filter(({ blockNumber }) => blockNumber <= (last?.blockNumber ?? 0));
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
    await fixture.pool`
      update ledger.head set settled_number = ${last?.blockNumber ?? 0},
        settled_hash = ${last?.blockHash ?? null}, settled_timestamp = ${last?.timestamp ?? 0}`;
  });
  afterAll(() => fixture.close());

  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
  /** Periods that begin and end at, before and after events; one before all of them, and one after. */
  const periods = [0.1, 0.6].flatMap((share) => {
    const from = settled[Math.floor((settled.length - 1) * share)]?.timestamp ?? 0;
    const to = settled[Math.floor((settled.length - 1) * Math.min(1, share + 0.4))]?.timestamp ?? 0;
    return [
      { from, to },
      { from: from + 1, to: to + 1 },
      { from, to: from },
    ];
  });
  const outside = [
    { from: 0, to: facts[0]?.timestamp ?? 0 },
    { from: (facts.at(-1)?.timestamp ?? 0) + 1, to: 9_999_999_999 },
    { from: 0, to: 9_999_999_999 },
  ];

  it('finds a merchant’s sales by when they were recorded, finalized and last changed', async () => {
    const changedAt = new Map<string, number>();
    for (const fact of settled) {
      const saleId = saleOf(fact);
      if (saleId !== undefined) changedAt.set(`${fact.campaignId}/${saleId}`, fact.timestamp);
    }
    let found = 0;
    for (const [i, campaignId] of ['1', '2', '3'].entries()) {
      const { receipts, pages } = await fixture.clientAs(account(1_000 + i));
      const all = [];
      for await (const sale of pages(receipts.forMerchant, { limit: 100 })) all.push(sale);
      for (const { from, to } of [...periods, ...outside]) {
        const range = { from: iso(from), to: iso(to) };
        const within = (at: string | null) => at !== null && at >= range.from && at < range.to;
        const expected = {
          range: all.filter(({ recordedAt }) => within(recordedAt)),
          finalized: all.filter(({ finalizedAt }) => within(finalizedAt)),
          changed: all.filter(({ saleId }) =>
            within(iso(changedAt.get(`${campaignId}/${saleId}`) ?? 0)),
          ),
        };
        for (const [name, sales] of Object.entries(expected)) {
          const items = [];
          const query = { [name]: range, limit: 20 };
          for await (const sale of pages(receipts.forMerchant, query)) items.push(sale);
          expect(items, `${name} ${from} ${to}`).toEqual(sales);
          found += items.length;
        }
      }
    }
    expect(found).toBeGreaterThan(100);
  });

  it('finds a buyer’s sales by when they were recorded', async () => {
    const sale = settled.find((fact) => fact.name === 'SaleRecorded');
    if (sale?.name !== 'SaleRecorded') throw new Error('The history has a sale.');
    const { receipts } = await fixture.clientAs(sale.args.buyer);
    const all = (await receipts.forBuyer({ limit: 100 })).data.items;
    expect(all.length).toBeGreaterThan(0);
    for (const { from, to } of [...periods, ...outside]) {
      const range = { from: iso(from), to: iso(to) };
      const { items } = (await receipts.forBuyer({ range, limit: 100 })).data;
      const within = ({ recordedAt: at }: (typeof all)[number]) =>
        at >= range.from && at < range.to;
      expect(items).toEqual(all.filter(within));
    }
  });

  it('pages through the sales of a campaign in each state', async () => {
    const { receipts, pages } = fixture.client();
    const states = new Set<string>();
    for (const campaignId of ['1', '2', '3']) {
      const all = [];
      for await (const sale of pages(receipts.forCampaign, { campaignId })) all.push(sale);
      for (const state of ['pending', 'finalized', 'refunded', 'reversed'] as const) {
        const items = [];
        const query = { campaignId, state, limit: 3 };
        for await (const sale of pages(receipts.forCampaign, query)) items.push(sale);
        expect(items).toEqual(all.filter((sale) => sale.state === state));
        if (items.length > 3) states.add(state);
      }
      const first = await receipts.forCampaign({ campaignId, limit: 1 });
      const cursor = first.data.nextCursor ?? '';
      const mixed = receipts.forCampaign({ campaignId, state: 'pending', cursor });
      await expect(mixed).rejects.toMatchObject({ status: 400, issues: [{ path: 'cursor' }] });
    }
    expect(states).toContain('pending');
    const none = receipts.forCampaign({ campaignId: '99', state: 'pending' });
    await expect(none).rejects.toMatchObject({ status: 404 });
  });
});

/** Id of the sale that an event is about. */
function saleOf({ args }: Fact): string | undefined {
  return 'saleId' in args ? args.saleId : undefined;
}
