import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { saveProfiles } from './support/small-history.ts';

type Query = NonNullable<Parameters<Client['receipts']['recent']>[0]>;
type Sale = Awaited<ReturnType<Client['receipts']['recent']>>['data']['items'][number];

const MERCHANT = account(1_000);

/** Two campaigns in tokens of 6 and 18 decimals, with sales of several prices, an hour apart. */
function pricedHistory() {
  const history = new HistoryBuilder();
  for (const [campaignId, tokenDecimals] of [
    ['1', 6],
    ['2', 18],
  ] as const) {
    history.create(campaignId, { tokenDecimals, token: account(Number(campaignId)) });
    history.schedule(campaignId, { rewardToken: account(Number(campaignId)) });
    history.fund(campaignId, 10n ** 24n);
  }
  const cents = [250, 100, 250, 1_900, 175, 100, 999, 250];
  for (const [i, price] of cents.entries()) {
    history.nextBlock(3_600);
    const campaignId = i % 2 === 0 ? '1' : '2';
    const amount = BigInt(price) * 10n ** (campaignId === '1' ? 4n : 16n);
    const buyer = account(500 + (i % 3));
    history.sell(campaignId, String(i + 1), { pool: 0n, shares: [], amount, buyer });
  }
  const sold = history.block;
  history.nextBlock();
  history.finalize('1', '3');
  const { amount } = { amount: 10n ** 18n };
  history.add('2', {
    name: 'SaleRefunded',
    args: {
      ...{ saleId: '6', amount, refundedTotal: amount },
      ...{ buyer: account(502), reasonHash: hash('reason') },
    },
  });
  return { history, sold, changed: history.block };
}

describe('lists of sales', () => {
  const { history, sold, changed } = pricedHistory();
  let fixture: ApiFixture;
  let client: Client;
  let merchant: Client;
  let all: readonly Sale[];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    client = fixture.client();
    merchant = await fixture.clientAs(MERCHANT);
    all = (await client.receipts.recent({ limit: 100 })).data.items;
  });
  afterAll(() => fixture.close());

  const hundredths = ({ amount, token }: Sale) =>
    Number(BigInt(amount) / 10n ** BigInt(token.decimals - 2));
  const orders: Record<NonNullable<Query['order']>, (one: Sale, other: Sale) => number> = {
    newest: (one, other) => Number(other.saleId) - Number(one.saleId),
    oldest: (one, other) => Number(one.saleId) - Number(other.saleId),
    highest: (one, other) => hundredths(other) - hundredths(one) || orders.newest(one, other),
    lowest: (one, other) => hundredths(one) - hundredths(other) || orders.oldest(one, other),
  };
  const range = { from: at(2), to: at(6) };
  const filters: readonly [Omit<Query, 'order'>, (sale: Sale) => boolean][] = [
    [{}, () => true],
    [{ campaignId: '2' }, ({ campaignId }) => campaignId === '2'],
    [{ state: 'pending' }, ({ state }) => state === 'pending'],
    [{ state: 'refunded' }, ({ state }) => state === 'refunded'],
    [{ state: 'finalized' }, ({ state }) => state === 'finalized'],
    [{ range }, ({ recordedAt }) => recordedAt >= range.from && recordedAt < range.to],
    [{ paidMin: '1.75', paidMax: '2.50' }, (sale) => [175, 250].includes(hundredths(sale))],
    [
      { campaignId: '1', range, state: 'pending', paidMin: '1' },
      (sale) =>
        sale.campaignId === '1' &&
        sale.state === 'pending' &&
        hundredths(sale) >= 100 &&
        sale.recordedAt >= range.from &&
        sale.recordedAt < range.to,
    ],
  ];

  /** Time of the block of a sale. */
  function at(saleId: number): string {
    const fact = history.facts.find(
      ({ name, args }) =>
        name === 'SaleRecorded' && 'saleId' in args && args.saleId === String(saleId),
    );
    return new Date((fact?.timestamp ?? 0) * 1_000).toISOString();
  }

  async function idsOf(query: Query): Promise<string[]> {
    const ids: string[] = [];
    for await (const { saleId } of client.pages(client.receipts.recent, query)) ids.push(saleId);
    return ids;
  }

  it.each(filters)(
    'returns the sales that %j matches in every order, over pages, each once',
    async (filter, isIn) => {
      const matching = all.filter(isIn);
      expect(matching).not.toEqual([]);
      for (const [order, compare] of Object.entries(orders)) {
        const expected = matching.toSorted(compare).map(({ saleId }) => saleId);
        for (const limit of [1, 3, 100]) {
          const query = { ...filter, limit, order: order as keyof typeof orders };
          expect(await idsOf(query), `${order} by ${limit}`).toEqual(expected);
        }
        const own: string[] = [];
        const query = { ...filter, limit: 2, order: order as keyof typeof orders };
        for await (const { saleId } of merchant.pages(merchant.receipts.forMerchant, query)) {
          own.push(saleId);
        }
        expect(own, `the merchant’s ${order}`).toEqual(expected);
      }
    },
  );

  it('returns the states of the settled block, while rows have those of later events', async () => {
    const settle = (block: number) =>
      fixture.pool`update ledger.head set settled_number = ${block}`;
    await settle(sold);
    try {
      const { items } = (await client.receipts.recent({ state: 'pending', limit: 100 })).data;
      expect(items).toHaveLength(all.length);
      expect(await idsOf({ state: 'refunded' })).toEqual([]);
      expect(await idsOf({ state: 'finalized' })).toEqual([]);
    } finally {
      await settle(changed);
    }
  });

  it('refuses a price that is no number, by the name of its field', async () => {
    await expect(client.receipts.recent({ paidMin: '-1' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: 'paidMin' }],
    });
  });

  it('finds a merchant’s sales by number, product, buyer, order key and transaction', async () => {
    const found = async (q: string) =>
      (await merchant.receipts.forMerchant({ q, limit: 100 })).data.items.map(
        ({ saleId }) => saleId,
      );
    expect(await found('5')).toEqual(['5']);
    expect(await found(' #5')).toEqual(['5']);
    expect(await found('99')).toEqual([]);
    const ofBeans = all.filter(({ campaignId }) => campaignId === '1').map(({ saleId }) => saleId);
    expect(await found('mountain')).toEqual(ofBeans);
    expect(await found('slow roasted')).toEqual(ofBeans);
    expect(await found('montain beans')).toEqual(ofBeans);
    expect(await found('tea')).toEqual([]);
    const [sale] = all;
    expect(await found(sale?.tx.hash.slice(0, 12) ?? '')).toEqual([sale?.saleId]);
    expect(await found(hash('order 4').slice(0, 10))).toEqual(['4']);
    const ofBuyer = all.filter(({ buyer }) => buyer === account(501)).map(({ saleId }) => saleId);
    expect(await found(account(501))).toEqual(ofBuyer);
    expect(await found(account(501).slice(0, 41))).toEqual(all.map(({ saleId }) => saleId));
    // A refund is a later transaction of its sale.
    const refund = history.facts.find(({ name }) => name === 'SaleRefunded')?.transactionHash;
    expect(await found(refund ?? '')).toEqual(['6']);
    const stranger = await fixture.clientAs(account(1_001));
    expect((await stranger.receipts.forMerchant({ q: '5' })).data.items).toEqual([]);
    await expect(merchant.receipts.forMerchant({ q: ' ' })).rejects.toMatchObject({ status: 400 });
  });
});
