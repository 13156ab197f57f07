import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { moderate } from './support/moderate.ts';
import { saveDistributor } from './support/save-distributor.ts';
import { saveProfiles } from './support/small-history.ts';

const MERCHANT = account(1_000);
const OTHER_MERCHANT = account(1_001);
const [ANNA, BEN, CLEO, DAN] = [account(11), account(12), account(13), account(14)];

/** A story of sales: who sells, who buys, and what becomes of it. */
class Market extends HistoryBuilder {
  #sales = 0;

  /** A sale by a path of nodes, nearest first; by default finalized. */
  deal(
    campaignId: string,
    path: readonly string[],
    { buyer = account(500), fate = 'finalized' as 'finalized' | 'refunded' | 'pending' } = {},
  ): void {
    this.#sales += 1;
    const saleId = String(this.#sales);
    const [first = 0n, ...rest] = path.map((_, i) => (i === 0 ? 50_000n : 10_000n));
    const shares = [first, ...rest];
    const pool = shares.reduce((a, b) => a + b, 0n);
    this.sell(campaignId, saleId, { nodeId: path[0] ?? '0', pool, shares, buyer });
    if (fate === 'pending') return;
    const name = fate === 'finalized' ? 'RewardVested' : 'RewardReleased';
    for (const [i, nodeId] of path.entries()) {
      this.reward(campaignId, name, { saleId, level: i + 1, nodeId, amount: shares[i] ?? 0n });
    }
    this.add(
      campaignId,
      fate === 'finalized'
        ? { name: 'SaleFinalized', args: { saleId, refundedTotal: 0n } }
        : {
            name: 'SaleRefunded',
            args: {
              saleId,
              buyer,
              amount: 1_000_000n,
              refundedTotal: 1_000_000n,
              reasonHash: hash('reason'),
            },
          },
    );
  }
}

/**
 * Nodes: Anna 1 ← Ben 2 and Cleo 3 in campaign 1; Dan 4 in campaign 2 of another merchant and token.
 * Ben sells four for campaign 1 (Anna above him), one of them to the merchant and one to Anna;
 * Anna sells two herself, one refunded; Cleo sells to herself alone; Dan sells three.
 */
function trade(): { market: Market; before: number } {
  const market = new Market();
  market.create('1');
  market.create('2', { merchant: OTHER_MERCHANT, token: account(2), tokenSymbol: 'EURX' });
  for (const campaignId of ['1', '2']) {
    market.schedule(campaignId, { perSaleCap: 60_000n, shortPathMode: 'RETURN_UNUSED' });
    market.fund(campaignId, 10_000_000n);
  }
  market.join('1', '1');
  market.join('1', '2', '1');
  market.nextBlock();
  market.join('1', '3', '1');
  market.join('2', '4');
  market.nextBlock();
  const before = market.block;
  market.nextBlock();
  market.deal('1', ['2', '1']);
  market.deal('1', ['2', '1']);
  market.deal('1', ['2', '1'], { buyer: MERCHANT });
  market.deal('1', ['2', '1'], { buyer: ANNA });
  market.deal('1', ['1']);
  market.deal('1', ['1'], { fate: 'refunded' });
  market.deal('1', ['3', '1'], { buyer: CLEO });
  market.deal('1', [], {});
  for (let sale = 0; sale < 3; sale += 1) market.deal('2', ['4']);
  market.deal('2', ['4'], { fate: 'pending' });
  return { market, before };
}

describe('distributors', () => {
  const { market, before } = trade();
  let fixture: ApiFixture;
  let client: ReturnType<ApiFixture['client']>;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(market.facts);
    await saveProfiles(fixture.pool);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  it('counts a distributor’s settled sales, except those to the merchant or the path', async () => {
    const counts = [];
    for (const address of [ANNA, BEN, CLEO, DAN]) {
      const { data } = await client.distributors.get({ address });
      const { settledConversions, directSales, networkSales, linkCount, slot } = data;
      counts.push([settledConversions, directSales, networkSales, linkCount, slot]);
    }
    expect(counts).toEqual([
      [3, 1, 2, 1, 'ranked'],
      [2, 2, 0, 1, 'new'],
      [0, 0, 0, 1, 'new'],
      [3, 3, 0, 1, 'ranked'],
    ]);
  });

  it('lists distributors with the signals that make up the score', async () => {
    const { data } = await client.distributors.get({ address: ANNA });
    expect(data).toMatchObject({
      address: ANNA,
      handle: null,
      visibility: 'pseudonymous',
      merchantCount: 1,
      categories: ['food'],
      rankSignals: [
        { name: 'settledConversions', value: 200 },
        { name: 'merchants', value: 200 },
        { name: 'keptShare', value: 750 },
        { name: 'recency', value: 1_000 },
      ],
      rankingVersion: 'discovery-v1',
      methodologyVersion: '1',
      firstLinkAt: '2023-11-14T22:13:20.000Z',
      lastSettledAt: '2023-11-14T22:13:56.000Z',
    });
  });

  it('lists distributors by score, then new ones, newest first', async () => {
    const { data, meta } = await client.distributors.list();
    expect(data.items.map(({ address, slot }) => [address, slot])).toEqual([
      [DAN, 'ranked'],
      [ANNA, 'ranked'],
      [CLEO, 'new'],
      [BEN, 'new'],
    ]);
    expect(data.nextCursor).toBeNull();
    expect(meta.chain?.blockNumber).toBe(String(market.block));
    for (const listed of data.items) {
      const { data: alone } = await client.distributors.get({ address: listed.address });
      expect(listed).toEqual(alone);
    }
  });

  it('lists distributors by slot and by category', async () => {
    const addresses = async (input: Parameters<typeof client.distributors.list>[0]) =>
      (await client.distributors.list(input)).data.items.map(({ address }) => address);
    expect(await addresses({ slot: 'ranked' })).toEqual([DAN, ANNA]);
    expect(await addresses({ slot: 'new' })).toEqual([CLEO, BEN]);
    expect(await addresses({ category: 'food' })).toEqual([ANNA, BEN]);
    expect(await addresses({ category: 'other' })).toEqual([DAN]);
    expect(await addresses({ category: 'nothing' })).toEqual([]);
  });

  it('lists the same distributors page by page', async () => {
    for (const limit of [1, 2, 3]) {
      const addresses = [];
      for await (const { address } of client.pages(client.distributors.list, { limit })) {
        addresses.push(address);
      }
      expect(addresses).toEqual([DAN, ANNA, CLEO, BEN]);
    }
    const { data } = await client.distributors.list({ limit: 1 });
    const call = client.distributors.list({ slot: 'new', cursor: data.nextCursor ?? '' });
    await expect(call).rejects.toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('returns a track record with values by token, which are never added up', async () => {
    const { data } = await client.reputation.get({ addressOrHandle: DAN });
    expect(data).toMatchObject({
      address: DAN,
      handle: null,
      visibility: 'pseudonymous',
      record: {
        settledConversions: 3,
        pendingSales: 1,
        refundedSales: 0,
        settledValues: [{ token: { symbol: 'EURX' }, sales: 3, value: '3000000' }],
      },
      standing: { settledConversionsAtLeast: 1, merchantsAtLeast: 1 },
    });
  });

  it('finds a distributor by its address in any case, and returns 404 for an unknown one', async () => {
    const upper = `0x${ANNA.slice(2).toUpperCase()}` as const;
    expect((await client.distributors.get({ address: upper })).data.address).toBe(ANNA);
    expect((await client.reputation.get({ addressOrHandle: upper })).data.address).toBe(ANNA);
    for (const path of [account(77), `${account(77)}/profile`, 'nobody/profile']) {
      expect((await fixture.app().request(`/v1/distributors/${path}`)).status, path).toBe(404);
    }
    for (const path of ['0x12', '0x12/profile', 'No%20Handle/profile', '%00/profile']) {
      expect((await fixture.app().request(`/v1/distributors/${path}`)).status, path).toBe(400);
    }
  });

  it('returns nothing that links the address of a pseudonymous distributor to its handle', async () => {
    await saveDistributor(fixture.pool, {
      address: DAN,
      handle: 'dan-the-man',
      displayName: 'Dan',
      visibility: 'pseudonymous',
    });
    const byAddress = (await client.reputation.get({ addressOrHandle: DAN })).data;
    expect(byAddress).toMatchObject({ address: DAN, handle: null, displayName: null });
    const byHandle = (await client.reputation.get({ addressOrHandle: 'dan-the-man' })).data;
    expect(byHandle).toEqual({
      address: null,
      handle: 'dan-the-man',
      displayName: 'Dan',
      visibility: 'pseudonymous',
      record: null,
      standing: { settledConversionsAtLeast: 1, merchantsAtLeast: 1 },
    });
    const listed = JSON.stringify((await client.distributors.list()).data);
    expect(listed).not.toContain('dan-the-man');
    expect(listed).not.toContain(DAN);
  });

  it('returns a public distributor completely, by its address and by its handle', async () => {
    await saveDistributor(fixture.pool, {
      address: DAN,
      handle: 'dan-the-man',
      displayName: 'Dan',
      visibility: 'public',
    });
    const byAddress = (await client.reputation.get({ addressOrHandle: DAN })).data;
    const byHandle = (await client.reputation.get({ addressOrHandle: 'dan-the-man' })).data;
    expect(byHandle).toEqual(byAddress);
    expect(byHandle).toMatchObject({ address: DAN, handle: 'dan-the-man', visibility: 'public' });
    const { data } = await client.distributors.list({ limit: 1 });
    expect(data.items[0]).toMatchObject({ address: DAN, handle: 'dan-the-man', slot: 'ranked' });
  });

  it('returns an empty record for a public account that never joined a campaign', async () => {
    const profile = { handle: 'newcomer', displayName: null, visibility: 'public' as const };
    await saveDistributor(fixture.pool, { ...profile, address: account(99) });
    const { data } = await client.reputation.get({ addressOrHandle: 'newcomer' });
    expect(data.record).toMatchObject({ settledConversions: 0, linkCount: 0, firstLinkAt: null });
  });

  it('lists distributors as of the settled block, and updates the ranking with it', async () => {
    await fixture.pool`update ledger.head set settled_number = ${before}`;
    const { data: ben } = await client.distributors.get({ address: BEN });
    expect(ben).toMatchObject({ settledConversions: 0, linkCount: 1, lastSettledAt: null });
    const { data, meta } = await client.distributors.list();
    expect(meta.chain?.blockNumber).toBe(String(before));
    expect(data.items.every(({ slot }) => slot === 'new')).toBe(true);
    await fixture.pool`update ledger.head set settled_number = ${market.block}`;
    await refreshRanking(fixture.pool);
    const { data: again } = await client.distributors.list({ slot: 'ranked' });
    expect(again.items.map(({ address }) => address)).toEqual([DAN, ANNA]);
  });

  it('counts no sales of a campaign that an operator hid', async () => {
    await moderate(fixture.pool, 'hide', '2', 'fraud');
    await refreshRanking(fixture.pool);
    const { data } = await client.distributors.list({ slot: 'ranked' });
    expect(data.items.map(({ address }) => address)).toEqual([ANNA]);
    await moderate(fixture.pool, 'unhide', '2');
  });
});
