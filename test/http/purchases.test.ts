import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
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
    const figures = (items: Awaited<ReturnType<typeof sold>>) =>
      items.map(({ saleId, proceeds, rewards, refundable }) => [
        ...[saleId, proceeds, rewards, refundable],
      ]);
    expect(figures(await sold())).toEqual([
      ['5', '1000000', '8000', true],
      ['3', '0', '0', false],
      ['2', '1000000', '0', true],
      ['1', '600000', '60000', false],
    ]);
    // Paid elsewhere, and its rewards reversed.
    const attesting = await fixture.clientAs(ATTESTING);
    expect(figures(await sold({}, attesting))).toEqual([['4', '0', '0', false]]);
    expect(await sold({}, buyer)).toEqual([]);
    expect(await bought({}, merchant)).toEqual([]);
  });

  it('lists the caller’s sales as of the settled block, whatever the ledger contains beyond it', async () => {
    const settleAt = (block: number) =>
      fixture.pool`update ledger.head set settled_number = ${block}`;
    const figures = async () =>
      (await sold()).map(({ saleId, state, proceeds, rewards }) => [
        ...[saleId, state, proceeds, rewards],
      ]);
    await settleAt(marks.sold);
    expect(await figures()).toEqual([
      ['5', 'pending', '1000000', '8000'],
      ['3', 'pending', '1000000', '100000'],
      ['2', 'pending', '1000000', '0'],
      ['1', 'pending', '1000000', '100000'],
    ]);
    expect(ids(await bought({ state: 'finalized' }))).toEqual([]);
    expect(ids(await sold({ state: 'pending' }))).toEqual(['5', '3', '2', '1']);
    await settleAt(marks.refunded);
    expect(await figures()).toEqual([
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
        expect(await of({ transactionHash })).toEqual(
          matching((fact) => fact.transactionHash === transactionHash),
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
