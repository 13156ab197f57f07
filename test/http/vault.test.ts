import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MethodOf, OutputOf } from '../../engine/contract/types.ts';
import { emptyLedger, ledgerFields } from '../../engine/core/campaign.ts';
import type { Fact } from '../../engine/core/events.ts';
import { applyMovement, type Movement } from '../../engine/core/movements.ts';
import { account, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { smallHistory } from './support/small-history.ts';

const MERCHANT = account(1_000);
const OTHER_MERCHANT = account(1_001);

/** Merchants of a random history of four campaigns. */
const merchants = [1_000, 1_001, 1_002, 1_003].map(account);

/** All campaigns are one merchant's, those of even ids in another token. */
function ofOneMerchant(fact: Fact): Fact {
  if (fact.name === 'SaleAttested' && merchants.includes(fact.args.signer)) {
    return { ...fact, args: { ...fact.args, signer: MERCHANT } };
  }
  if (fact.name !== 'CampaignCreated') return fact;
  const token = account(Number(fact.campaignId) % 2 === 0 ? 2 : 1);
  return { ...fact, args: { ...fact.args, merchant: MERCHANT, token } };
}

/** A chain that vests more than was reserved, and lets more be claimed than there is. */
function lying(fact: Fact, i: number): Fact {
  if (i % 4 > 0) return fact;
  if (fact.name !== 'RewardVested' && fact.name !== 'RewardsClaimed') return fact;
  const amount = fact.args.amount + 777n;
  return fact.name === 'RewardVested'
    ? { ...fact, args: { ...fact.args, amount } }
    : { ...fact, args: { ...fact.args, amount } };
}

type Reported = Readonly<Record<(typeof ledgerFields)[number], string>>;

/** The amounts that movements give, as the ledgers are reported. */
function foldMovements(
  movements: readonly (Omit<Movement, 'amount'> & { amount: string })[],
): Reported {
  const folded = movements
    .map((movement) => ({ ...movement, amount: BigInt(movement.amount) }))
    .reduce(applyMovement, emptyLedger);
  return asReported(folded);
}

function asReported(ledger: Readonly<Record<keyof Reported, bigint>>): Reported {
  const text = (field: keyof Reported) => ledger[field].toString();
  return {
    netDeposited: text('netDeposited'),
    available: text('available'),
    pendingReserved: text('pendingReserved'),
    vestedUnclaimed: text('vestedUnclaimed'),
    rewardsClaimed: text('rewardsClaimed'),
    surplusWithdrawn: text('surplusWithdrawn'),
    proceedsPending: text('proceedsPending'),
    proceedsClaimable: text('proceedsClaimable'),
    proceedsClaimed: text('proceedsClaimed'),
    buyerRefunded: text('buyerRefunded'),
    creditOutstanding: text('creditOutstanding'),
  };
}

/** All amounts of a campaign, or of the sum of several, as they are served. */
function amountsOf(
  served: Pick<
    OutputOf<MethodOf<'campaigns.get'>>,
    'rewardLedger' | 'proceedsLedger' | 'creditOutstanding'
  >,
): Reported {
  const { rewardLedger, proceedsLedger, creditOutstanding } = served;
  return { ...rewardLedger, ...proceedsLedger, creditOutstanding };
}

function added(ledgers: readonly Reported[]): Reported {
  const sums = ledgers.reduce(
    (sum, ledger) => {
      for (const field of ledgerFields) sum[field] += BigInt(ledger[field]);
      return sum;
    },
    { ...emptyLedger },
  );
  return asReported(sums);
}

async function settleHeadAt({ pool }: ApiFixture, fact: Fact | undefined): Promise<void> {
  if (fact === undefined) throw new Error('There is no such fact.');
  await pool`
    update ledger.head set settled_number = ${fact.blockNumber},
      settled_hash = ${fact.blockHash}, settled_timestamp = ${fact.timestamp}`;
}

describe.each([
  ['an honest chain', (fact: Fact) => fact],
  ['a chain that lies', lying],
])('the vault of %s', (name, change) => {
  const facts = randomHistory({ seed: 8, steps: 400, campaigns: 4 }).map(ofOneMerchant);
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts.map(change));
  });
  afterAll(() => fixture.close());

  it.each([1, 0.5])(
    'sums the movements of a vault to its balance, at %f of the history',
    async (part) => {
      await settleHeadAt(fixture, facts[Math.floor((facts.length - 1) * part)]);
      const client = await fixture.clientAs(MERCHANT);
      const { data: whole } = await client.vault.get({});
      const { data: found } = await client.system.status();
      expect(found.discrepancies.count > 0).toBe(name === 'a chain that lies');

      const movements = [];
      for await (const one of client.pages(client.vault.movements, { limit: 3 })) {
        movements.push(one);
      }
      const byToken = new Map<string, Reported[]>();
      for (const campaignId of ['1', '2', '3', '4']) {
        const { data } = await client.vault.get({ campaignId });
        const [vault] = data.byToken;
        if (vault === undefined) throw new Error(`There is no vault of campaign ${campaignId}.`);
        const reported = amountsOf(vault);
        const own = movements.filter((one) => one.campaignId === campaignId);
        expect(foldMovements(own)).toEqual(reported);
        const { data: campaign } = await client.campaigns.get({ campaignId });
        expect(reported).toEqual(amountsOf(campaign));
        const { address } = vault.token;
        byToken.set(address, [...(byToken.get(address) ?? []), reported]);

        const narrowed = [];
        const pages = client.pages(client.vault.movements, { campaignId, limit: 100 });
        for await (const one of pages) narrowed.push(one);
        expect(narrowed).toEqual(own);
      }
      expect(whole).toMatchObject({ campaignId: null, actions: null });
      expect(whole.byToken).toHaveLength(2);
      for (const vault of whole.byToken) {
        expect(vault.campaigns).toBe(2);
        const expected = added(byToken.get(vault.token.address) ?? []);
        expect(amountsOf(vault)).toEqual(expected);
      }
    },
  );

  it.each([1, 0.7, 0.5])(
    'names the sales that are due, and their proceeds, at %f of the history',
    async (part) => {
      await settleHeadAt(fixture, facts[Math.floor((facts.length - 1) * part)]);
      const client = await fixture.clientAs(MERCHANT);
      const { data: whole, meta } = await client.vault.get({});
      const now = meta.chain?.blockTimestamp ?? '';
      let found = 0;
      const ready = new Map<string, bigint>();
      for (const campaignId of ['1', '2', '3', '4']) {
        const due = [];
        const pages = client.pages(client.receipts.forMerchant, { campaignId, state: 'pending' });
        for await (const one of pages) if (one.holdUntil <= now) due.push(one);
        due.sort((a, b) =>
          a.holdUntil === b.holdUntil
            ? Number(BigInt(a.saleId) - BigInt(b.saleId))
            : a.holdUntil.localeCompare(b.holdUntil),
        );
        found += due.length;
        const { data } = await client.vault.get({ campaignId });
        expect(data.actions?.finalizeSaleIds).toEqual(
          due.map(({ saleId }) => saleId).slice(0, 100),
        );
        expect(data.actions?.finalize === null).toBe(due.length === 0);
        const proceeds = due.reduce((sum, one) => sum + BigInt(one.proceeds), 0n);
        const [vault] = data.byToken;
        expect(vault?.proceedsReady).toBe(String(proceeds));
        const { address } = vault?.token ?? { address: '' };
        ready.set(address, (ready.get(address) ?? 0n) + proceeds);
      }
      expect(found).toBeGreaterThan(3);
      for (const { token, proceedsReady } of whole.byToken) {
        expect(proceedsReady).toBe(String(ready.get(token.address)));
      }
    },
  );

  it('lists movements of one kind, and of one period', async () => {
    await settleHeadAt(fixture, facts.at(-1));
    const client = await fixture.clientAs(MERCHANT);
    const all = [];
    for await (const one of client.pages(client.vault.movements, { limit: 100 })) all.push(one);
    const kinds = new Set(all.map(({ kind }) => kind));
    expect(kinds.size).toBe(11);
    for (const kind of kinds) {
      const found = [];
      for await (const one of client.pages(client.vault.movements, { kind, limit: 7 })) {
        found.push(one);
      }
      expect(found).toEqual(all.filter((one) => one.kind === kind));
    }
    const from = all[Math.floor(all.length * 0.7)]?.at ?? '';
    const to = all[Math.floor(all.length * 0.3)]?.at ?? '';
    const within = [];
    for await (const one of client.pages(client.vault.movements, { range: { from, to } })) {
      within.push(one);
    }
    expect(within.length).toBeGreaterThan(20);
    expect(within).toEqual(all.filter(({ at }) => at >= from && at < to));
  });
});

describe('the vault of the small history', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = smallHistory().history;
    history.nextBlock();
    history.add('3', { name: 'CampaignEnded', args: {} });
    history.nextBlock();
    history.add('1', { name: 'ProceedsClaimed', args: { account: MERCHANT, amount: 600_000n } });
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  it('names the payer and the recipient of each movement', async () => {
    const { vault } = await fixture.clientAs(MERCHANT);
    const { data } = await vault.movements({ campaignId: '1', limit: 100 });
    const reported = data.items.map(({ kind, from, to, amount, account, saleId }) => [
      ...[kind, from, to, amount, account, saleId],
    ]);
    expect(reported[0]).toEqual([
      ...['ProceedsClaimed', 'proceedsClaimable', 'proceedsClaimed', '600000', MERCHANT, null],
    ]);
    expect(reported[1]).toEqual([
      ...['RewardsClaimed', 'vestedUnclaimed', 'rewardsClaimed', '30000', account(14), null],
    ]);
    expect(reported.at(-1)).toEqual([
      ...['CampaignFunded', null, 'available', '10000000', MERCHANT, null],
    ]);
    expect(reported).toContainEqual([
      ...['SaleRefunded', 'proceedsPending', 'buyerRefunded', '400000', account(500), '1'],
    ]);
    expect(reported).toContainEqual([
      ...['RewardVested', 'pendingReserved', 'vestedUnclaimed', '30000', null, '1'],
    ]);
    // A sale that is paid to the contract and reserves rewards moves two amounts.
    expect(
      reported.filter(([kind, , , , , sale]) => kind === 'SaleRecorded' && sale === '1'),
    ).toEqual([
      ['SaleRecorded', 'available', 'pendingReserved', '100000', null, '1'],
      ['SaleRecorded', null, 'proceedsPending', '1000000', account(500), '1'],
    ]);
  });

  it('shows a vault only to its merchant', async () => {
    const { vault } = await fixture.clientAs(OTHER_MERCHANT);
    await expect(vault.get({ campaignId: '1' })).rejects.toMatchObject({ status: 403 });
    await expect(vault.get({ campaignId: '99' })).rejects.toMatchObject({ status: 404 });
    await expect(vault.movements({ campaignId: '1' })).rejects.toMatchObject({ status: 403 });
    await expect(vault.movements({ campaignId: '99' })).rejects.toMatchObject({ status: 404 });
    expect((await vault.get({})).data.byToken).toMatchObject([{ campaigns: 1 }]);
    const outsider = await fixture.clientAs(account(77));
    expect((await outsider.vault.get({})).data.byToken).toEqual([]);
  });

  it('offers to withdraw the available amount, and the surplus when the campaign is over', async () => {
    const { vault } = await fixture.clientAs(MERCHANT);
    const { data: running } = await vault.get({ campaignId: '1' });
    // All proceeds of campaign 1 are claimed, and it still runs.
    expect(running.actions).toMatchObject({ claimProceeds: null, withdrawSurplus: null });
    const { data: ended } = await vault.get({ campaignId: '3' });
    expect(ended.actions?.claimProceeds).toBeNull();
    expect(ended.actions?.withdrawSurplus).toMatchObject({
      to: fixture.deps.deployment.contractAddress,
      description: expect.stringContaining('2.992 TUSD'),
    });
  });
});

describe('the movements of a merchant with a page that ends within an event', () => {
  it('continues after a page that ends within an event, for any page size', async () => {
    const fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    history.join('1', '1');
    for (let sale = 1; sale <= 5; sale += 1) {
      history.sell('1', String(sale), { nodeId: '1', pool: 100_000n, shares: [100_000n] });
    }
    await fixture.settle(history.facts);
    const client = await fixture.clientAs(MERCHANT);
    const { data } = await client.vault.movements({ limit: 100 });
    expect(data.items).toHaveLength(11);
    for (const limit of [1, 2, 3, 4, 5]) {
      const found = [];
      for await (const one of client.pages(client.vault.movements, { limit })) found.push(one);
      expect(found).toEqual(data.items);
    }
    await fixture.close();
  });
});
