import { decodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Hex } from '../../engine/core/events.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';

/** Owns node 1. */
const DISTRIBUTOR = account(11);
const BUYER = account(500);

/** A campaign whose token refuses the reward of its distributor, and the refund of its buyer. */
function playHistory(): HistoryBuilder {
  const history = new HistoryBuilder();
  history.create('1');
  history.schedule('1');
  history.fund('1', 10_000_000n);
  history.join('1', '1');
  history.sell('1', '1', { nodeId: '1', pool: 100_000n, shares: [100_000n] });
  history.sell('1', '2', { pool: 0n, shares: [] });
  history.nextBlock();
  const refunded = { saleId: '2', buyer: BUYER, amount: 400_000n, refundedTotal: 400_000n };
  history.add('1', { name: 'SaleRefunded', args: { ...refunded, reasonHash: hash('reason') } });
  history.add('1', { name: 'PaymentCredited', args: { account: BUYER, amount: 400_000n } });
  history.nextBlock(600);
  history.reward('1', 'RewardVested', { saleId: '1', level: 1, nodeId: '1', amount: 100_000n });
  history.finalize('1', '1');
  history.nextBlock();
  const claim = { account: DISTRIBUTOR, amount: 100_000n };
  history.add('1', { name: 'RewardsClaimed', args: claim });
  history.add('1', { name: 'PaymentCredited', args: claim });
  return history;
}

describe('a payment that the token refused', () => {
  const history = playHistory();
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  it('returns a refused payment as a credit of the buyer or distributor, with the transaction that withdraws it', async () => {
    for (const [owner, amount] of [
      [DISTRIBUTOR, '100000'],
      [BUYER, '400000'],
    ] as const) {
      const { earnings } = await fixture.clientAs(owner);
      const [listed] = (await earnings.credits()).data.items;
      expect(listed).toMatchObject({ campaignId: '1', amount, withdraw: null });
      expect(listed?.token.symbol).toBe('TUSD');
      const to = account(900);
      const { items } = (await earnings.credits({ to })).data;
      expect(items).toHaveLength(1);
      // The contract of the API has call data as text: it is hex.
      const data = (items[0]?.withdraw?.data ?? '0x') as Hex;
      expect(decodeFunctionData({ abi: referralCommerceAbi, data })).toEqual({
        functionName: 'withdrawCredit',
        args: [1n, to],
      });
    }
  });

  it('counts a credit as paid in both ledgers, and separately as outstanding', async () => {
    const { data } = await fixture.client().campaigns.get({ campaignId: '1' });
    expect(data).toMatchObject({
      rewardLedger: { rewardsClaimed: '100000', vestedUnclaimed: '0' },
      proceedsLedger: { buyerRefunded: '400000' },
      creditOutstanding: '500000',
      termsHash: hash('terms 1'),
      salt: hash('salt 1'),
      nodesPerAccount: 25,
    });
    const { earnings } = await fixture.clientAs(DISTRIBUTOR);
    expect((await earnings.claims()).data.items).toMatchObject([
      { amount: '100000', credited: true },
    ]);
  });

  it('returns no credit any more once it was withdrawn', async () => {
    history.nextBlock();
    const args = { account: DISTRIBUTOR, to: account(901), amount: 100_000n };
    history.add('1', { name: 'CreditWithdrawn', args });
    await fixture.settle(history.facts.slice(-1));
    const { earnings } = await fixture.clientAs(DISTRIBUTOR);
    expect((await earnings.credits()).data.items).toEqual([]);
    const { data } = await fixture.client().campaigns.get({ campaignId: '1' });
    expect(data.creditOutstanding).toBe('400000');
    expect(await fixture.pool`select * from ledger.discrepancy`).toEqual([]);
  });
});

describe('the credits of a random history', () => {
  it('returns as credits of every account what was credited and not withdrawn in a random history', async () => {
    const facts = randomHistory({ seed: 21, steps: 700, campaigns: 4 });
    const fixture = await ApiFixture.open();
    try {
      await fixture.settle(facts);
      const expected = new Map<string, bigint>();
      for (const { campaignId, name, args } of facts) {
        if (name !== 'PaymentCredited' && name !== 'CreditWithdrawn') continue;
        const key = `${args.account} ${campaignId}`;
        const change = name === 'PaymentCredited' ? args.amount : -args.amount;
        expected.set(key, (expected.get(key) ?? 0n) + change);
      }
      const accounts = new Set([...expected.keys()].map((key) => key.split(' ')[0] ?? ''));
      expect(accounts.size).toBeGreaterThan(5);
      for (const owner of accounts) {
        const client = await fixture.clientAs(owner as `0x${string}`);
        const found: string[] = [];
        for await (const one of client.pages(client.earnings.credits, { limit: 2 })) {
          found.push(`${owner} ${one.campaignId} ${one.amount}`);
        }
        const wanted = [...expected]
          .filter(([key, amount]) => key.startsWith(owner) && amount > 0n)
          .map(([key, amount]) => `${key} ${amount}`);
        expect(found.sort()).toEqual(wanted.sort());
      }
    } finally {
      await fixture.close();
    }
  });
});
