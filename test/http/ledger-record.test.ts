import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('the ledger of a random history', () => {
  const facts = randomHistory({ seed: 44, steps: 320, campaigns: 3 });
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  async function allEntries(campaignId: string, filter: object = {}) {
    const found = [];
    const input = { campaignId, limit: 73, ...filter };
    for await (const one of client.pages(client.ledger.entries, input)) found.push(one);
    return found;
  }

  it('lists the entries that system.digestEvents has, in the same order', async () => {
    for (const campaignId of ['1', '2', '3']) {
      const entries = await allEntries(campaignId);
      expect(entries.length).toBeGreaterThan(20);
      const digested = [];
      const input = { campaignId, limit: 100 };
      for await (const event of client.pages(client.system.digestEvents, input)) {
        digested.push(
          ...event.entries.map((entry, ordinal) => ({
            sequence: event.sequence,
            ordinal,
            ...entry,
          })),
        );
      }
      expect(entries.map(({ event: _event, tx: _tx, ...entry }) => entry)).toEqual(digested);
    }
  });

  it('filters entries by account and by sale', async () => {
    const entries = await allEntries('1');
    const { account: owner = '0x', saleId } = entries[7] ?? {};
    expect(await allEntries('1', { account: owner })).toEqual(
      entries.filter((one) => one.account === owner),
    );
    expect(await allEntries('1', { saleId })).toEqual(
      entries.filter((one) => one.saleId === saleId),
    );
    expect(await allEntries('1', { saleId: 'demo-1' })).toEqual([]);
  });

  it('returns balances that the entries add up to, and that earnings.byCampaign reports', async () => {
    const owners = new Set<string>();
    for (const campaignId of ['1', '2', '3']) {
      const entries = await allEntries(campaignId);
      const newest = new Map(entries.map((entry) => [entry.account, entry]));
      for (const [owner, entry] of newest) {
        owners.add(owner);
        const { data } = await client.ledger.balances({
          address: `0x${owner.slice(2)}`,
          campaignId,
        });
        expect(data.items).toMatchObject([
          { campaignId, ...entry.after, sequence: entry.sequence },
        ]);
      }
    }
    let compared = 0;
    for (const owner of owners) {
      const address = `0x${owner.slice(2)}` as const;
      const { earnings } = await fixture.clientAs(address);
      const { data: earned } = await earnings.byCampaign({ limit: 100 });
      for await (const one of client.pages(client.ledger.balances, { address, limit: 1 })) {
        const own = earned.items.find(({ campaignId }) => campaignId === one.campaignId);
        if (own === undefined) continue;
        const { atRisk, readyToFinalize, ...rest } = own.rewards;
        expect(BigInt(one.reserved)).toBe(BigInt(atRisk) + BigInt(readyToFinalize));
        expect(one).toMatchObject(rest);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('returns the credit of an account that has no other balance', async () => {
    const credited = facts.findLast((fact) => fact.name === 'PaymentCredited');
    if (credited?.name !== 'PaymentCredited') throw new Error('the history credits a payment');
    const { earnings } = await fixture.clientAs(credited.args.account);
    const { data } = await earnings.credits({ limit: 100 });
    const balances = [];
    const input = { address: credited.args.account, limit: 100 };
    for await (const one of client.pages(client.ledger.balances, input)) balances.push(one);
    const credits = balances.filter(({ credit }) => credit !== '0');
    expect(credits.map(({ campaignId, credit }) => [campaignId, credit]).sort()).toEqual(
      data.items.map(({ campaignId, amount }) => [campaignId, amount]).sort(),
    );
  });

  it('returns nothing for an account that has nothing here', async () => {
    const { data } = await client.ledger.balances({ address: account(9_999) });
    expect(data).toEqual({ items: [], nextCursor: null });
    await expect(client.ledger.entries({ campaignId: '77' })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('discrepancies and audits', () => {
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const { history } = smallHistory();
    // The chain says that sale 6 has twice the reward that its policy gives.
    history.nextBlock();
    history.sell('1', '6', { nodeId: '1', pool: 200_000n, shares: [200_000n] });
    await fixture.settle(history.facts);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  it('lists where the chain differs from what settlement computed, with both values', async () => {
    const { data } = await client.ledger.discrepancies();
    expect(data.items.length).toBeGreaterThan(0);
    for (const one of data.items) {
      expect(one).toMatchObject({ campaignId: '1', event: 'SaleRecorded', saleId: '6' });
      expect(one.expected).not.toBe(one.actual);
    }
    const { data: receipt } = await client.receipts.get({ chainId: 31_337, saleId: '6' });
    expect(data.items.map(({ kind, expected, actual }) => ({ kind, expected, actual }))).toEqual(
      receipt.discrepancies.map(({ kind, expected, actual }) => ({ kind, expected, actual })),
    );
    const paged = [];
    for await (const one of client.pages(client.ledger.discrepancies, { limit: 1 }))
      paged.push(one);
    expect(paged).toEqual(data.items);
    const { data: others } = await client.ledger.discrepancies({ campaignId: '2' });
    expect(others.items).toEqual([]);
  });

  it('returns the newest audit', async () => {
    for (const block of [100, 101, 102]) {
      await fixture.pool`
        insert into ledger.audit (block_number, block_hash, block_timestamp, duration_ms, campaigns,
          discrepancies, violation_count, violations)
        values (${block}, ${hash(`block ${block}`)}, 1700000000, 5, 3, 0, 0, '[]')`;
    }
    const { data } = await client.system.audit();
    expect(data.last).toMatchObject({ block: { number: '102' }, ok: true });
  });
});
