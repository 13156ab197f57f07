import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';

const MERCHANT = account(1_000);
const DAY = 86_400;
/** The chronicle begins on 14 November 2023, 22:13:20 UTC. */
const TO_DECEMBER = 16 * DAY + 6_400;

describe('billing', () => {
  let fixture: ApiFixture;
  const history = new HistoryBuilder();

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    history.create('2', { token: account(2), tokenSymbol: 'EUR', tokenName: '', tokenDecimals: 2 });
    history.schedule('2', { rewardToken: account(2) });
    history.fund('2', 1_000n);
    history.create('3', { merchant: account(1_001), trustMode: 'MERCHANT_ATTESTED' });
    history.schedule('3');
    history.fund('3', 1_000n);
    for (const id of [11, 12, 13, 14]) direct('1', String(id), 1_000_000n + BigInt(id));
    direct('2', '21', 777n);
    history.nextBlock(700);
    finalize('1', '11');
  });
  afterAll(() => fixture.close());

  const direct = (campaign: string, saleId: string, amount: bigint) =>
    history.sell(campaign, saleId, { amount, pool: 0n, shares: [] });
  const finalize = (campaign: string, saleId: string) => history.finalize(campaign, saleId);

  const summaryOf = async (address: `0x${string}`) =>
    (await (await fixture.clientAs(address)).billing.summary()).data;

  it('returns the month of the settled block with the amounts settled in it, by token', async () => {
    // The last second of November, and the first of December.
    history.nextBlock(TO_DECEMBER - 700 - 1);
    finalize('1', '12');
    await fixture.settle(history.facts);
    const factCount = history.facts.length;
    expect(await summaryOf(MERCHANT)).toMatchObject({
      feeBps: 0,
      period: { from: '2023-11-01T00:00:00.000Z', to: '2023-12-01T00:00:00.000Z' },
      totals: [
        { token: { symbol: 'TUSD' }, settledValue: String(2_000_000 + 11 + 12), protocolFees: '0' },
      ],
    });
    history.nextBlock(1);
    finalize('1', '13');
    finalize('2', '21');
    const refund = { saleId: '14', buyer: account(500), amount: 400n, refundedTotal: 400n };
    history.add('1', {
      name: 'SaleRefunded',
      args: { ...refund, reasonHash: `0x${'0'.repeat(64)}` },
    });
    history.nextBlock(60);
    finalize('1', '14');
    await fixture.settle(history.facts.slice(factCount));
    expect(await summaryOf(MERCHANT)).toEqual({
      feeBps: 0,
      period: { from: '2023-12-01T00:00:00.000Z', to: '2024-01-01T00:00:00.000Z' },
      totals: [
        {
          token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
          settledValue: String(1_000_013 + 1_000_014 - 400),
          protocolFees: '0',
        },
        {
          token: { address: account(2), symbol: 'EUR', decimals: 2 },
          settledValue: '777',
          protocolFees: '0',
        },
      ],
    });
  });

  it('leaves out reversed sales, and is empty for a merchant without sales', async () => {
    const factCount = history.facts.length;
    history.nextBlock();
    direct('3', '31', 5_000n);
    history.nextBlock(700);
    finalize('3', '31');
    await fixture.settle(history.facts.slice(factCount));
    expect((await summaryOf(account(1_001))).totals).toMatchObject([{ settledValue: '5000' }]);
    const settled = history.facts.length;
    history.nextBlock();
    history.add('3', {
      name: 'SaleReversed',
      args: { saleId: '31', reasonHash: `0x${'0'.repeat(64)}` },
    });
    await fixture.settle(history.facts.slice(settled));
    expect((await summaryOf(account(1_001))).totals).toEqual([]);
    expect((await summaryOf(account(999))).totals).toEqual([]);
  });

  it('issues no invoices, and pages through those that an operator entered', async () => {
    const client = await fixture.clientAs(MERCHANT);
    const empty = { items: [], nextCursor: null };
    expect((await client.billing.invoices({})).data).toEqual(empty);
    await saveMerchant(fixture.pool, { id: 'm', address: MERCHANT, slug: 'm', name: 'M' });
    await saveMerchant(fixture.pool, { id: 'n', address: account(1_001), slug: 'n', name: 'N' });
    expect((await client.billing.invoices({})).data).toEqual(empty);
    await fixture.pool`
      insert into commerce.invoice
      select merchant || month, merchant, make_timestamptz(2026, month, 1, 0, 0, 0, 'UTC'),
        make_timestamptz(2026, month + 1, 1, 0, 0, 0, 'UTC'), month * 1.25, 'EUR',
        case month when 5 then 'draft' else 'paid' end, 'https://bills.example/' || month
      from generate_series(1, 5) month, unnest(array['m', 'n']) merchant`;
    const items = [];
    for await (const one of client.pages(client.billing.invoices, { limit: 2 })) items.push(one);
    expect(items.map(({ id }) => id)).toEqual(['m5', 'm4', 'm3', 'm2', 'm1']);
    expect(items[0]).toMatchObject({ status: 'draft', url: null, amount: '6.25' });
    expect(items[1]).toEqual({
      id: 'm4',
      period: { from: '2026-04-01T00:00:00.000Z', to: '2026-05-01T00:00:00.000Z' },
      amount: '5',
      currency: 'EUR',
      status: 'paid',
      url: 'https://bills.example/4',
    });
  });
});
