import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import type { Fact } from '../../engine/core/events.ts';
import { advisoryLocks } from '../../engine/db/advisory-locks.ts';
import { pseudonymOf } from '../../engine/http/resources/partners/pseudonym.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { account, randomHistory } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import type { HistoryBuilder } from './support/facts.ts';
import { saveDistributor } from './support/save-distributor.ts';
import { type Marks, saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const OTHER = account(1_001);

const nothing = {
  atRisk: '0',
  readyToFinalize: '0',
  claimable: '0',
  claimed: '0',
  refunded: '0',
  reversed: '0',
};

/** Acme's campaigns 1 and 3: nodes 1 ← 2 ← 3 ← 4 and 6 ← 7; node n is of account 10 + n. */
describe('partners of a merchant', () => {
  let fixture: ApiFixture;
  let acme: Client;
  let history: HistoryBuilder;
  let marks: Marks;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    ({ history: history, marks } = smallHistory());
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    acme = await fixture.clientAs(ACME);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.pool`delete from commerce.distributor`);

  type Query = Parameters<Client['partners']['list']>[0];
  const list = async (query: Query = {}) => (await acme.partners.list(query)).data;
  const addresses = async (query: Query = {}) =>
    (await list(query)).items.map(({ address }) => address);

  it('lists partners with the results of their nodes and the nodes below them', async () => {
    const { data, meta } = await acme.partners.list({ limit: 100 });
    const found = new Map(data.items.map((one) => [one.address, one]));
    expect([...found.keys()].sort()).toEqual([11, 12, 13, 14, 16, 17].map(account));
    const totalsOf = (n: number) => {
      const one = found.get(account(n));
      return [one?.linkCount, one?.directSales, one?.networkSales, one?.settledValue, one?.rewards];
    };
    expect(totalsOf(11)).toEqual([1, 0, 0, '0', { ...nothing, refunded: '100000' }]);
    const left = (claimable: string, refunded: string) => ({ ...nothing, claimable, refunded });
    expect(totalsOf(12)).toEqual([1, 0, 1, '600000', left('12000', '8000')]);
    expect(totalsOf(13)).toEqual([1, 0, 1, '600000', left('18000', '12000')]);
    const claimed = { ...nothing, claimed: '30000', refunded: '20000' };
    expect(totalsOf(14)).toEqual([1, 1, 0, '600000', claimed]);
    expect(totalsOf(16)).toEqual([1, 0, 0, '0', { ...nothing, readyToFinalize: '3000' }]);
    expect(totalsOf(17)).toEqual([1, 0, 0, '0', { ...nothing, readyToFinalize: '5000' }]);
    expect(found.get(account(14))).toMatchObject({
      isPartner: true,
      settledConversions: 1,
      merchantCount: 1,
      categories: ['food'],
      slot: 'new',
      rankingVersion: 'discovery-v1',
    });
    expect(meta.token).toMatchObject({ address: account(1), symbol: 'TUSD' });
    expect(meta.otherTokens).toEqual([]);
  });

  it('lists partners without their ranking while it is being computed', async () => {
    const known = async () =>
      (await list({ limit: 100 })).items.find(({ address }) => address === account(14))
        ?.settledConversions;
    expect(await known()).toBe(1);
    await fixture.pool.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${advisoryLocks.ranking})`;
      await fixture.pool`delete from commerce.distributor_ranking_state`;
      expect(await known()).toBeNull();
      const { partner } = (await acme.partners.get({ address: account(14) })).data;
      expect([partner.directSales, partner.settledConversions]).toEqual([1, null]);
    });
    await waitFor(async () => (await known()) === 1, { what: 'the ranking' });
  });

  it('sums up partners, counting each sale once, with each of the last 30 days', async () => {
    const { summary } = await list({ limit: 1 });
    expect(summary).toMatchObject({
      partners: 6,
      sales: { pending: 1, finalized: 1, refunded: 1 },
      value: '600000',
    });
    expect(summary.series).toHaveLength(30);
    const [today, ...before] = summary.series.reverse();
    expect(today).toEqual({
      at: '2023-11-14T00:00:00.000Z',
      sales: { pending: 1, finalized: 1, refunded: 1 },
      value: '600000',
      rewards: '60000',
      links: 6,
    });
    const empty = { sales: { pending: 0, finalized: 0, refunded: 0 }, value: '0', rewards: '0' };
    for (const day of before) expect(day).toMatchObject({ ...empty, links: 0 });
    expect(before.at(-1)?.at).toBe('2023-10-16T00:00:00.000Z');
  });

  it('filters partners, and the summary with them', async () => {
    const active = await list({ status: 'active' });
    expect(active.items.map(({ address }) => address).sort()).toEqual([12, 13, 14].map(account));
    expect(active.summary).toMatchObject({
      partners: 3,
      sales: { pending: 0, finalized: 1, refunded: 0 },
      value: '600000',
    });
    expect((await list({ status: 'inactive' })).summary.partners).toBe(3);
    const third = await list({ campaignId: '3' });
    expect(third.items.map(({ address }) => address).sort()).toEqual([16, 17].map(account));
    expect(third.summary).toMatchObject({ partners: 2, value: '0' });
    expect(await addresses({ q: account(16).toUpperCase().replace('0X', '0x') })).toEqual([
      account(16),
    ]);
    expect(await addresses({ q: '%' })).toEqual([]);
    await expect(list({ campaignId: '2' })).rejects.toMatchObject({ status: 403 });
    for (const wrong of [{ status: 'busy' }, { sort: 'size' }]) {
      await expect(list(wrong)).rejects.toMatchObject({ status: 400 });
    }
  });

  it.each(['sales', 'value', 'rewards', 'newest'])(
    'sorts partners by %s, over pages',
    async (sort) => {
      const whole = (await list({ sort, limit: 100 })).items;
      const key = (one: (typeof whole)[number]) => {
        const { atRisk, readyToFinalize, claimable, claimed } = one.rewards;
        return {
          sales: BigInt(one.directSales + one.networkSales),
          value: BigInt(one.settledValue),
          rewards: [atRisk, readyToFinalize, claimable, claimed]
            .map(BigInt)
            .reduce((a, b) => a + b),
          newest: BigInt(Date.parse(one.firstLinkAt)),
        }[sort];
      };
      const keys = whole.map(key);
      expect(keys).toEqual([...keys].sort((a, b) => Number((b ?? 0n) - (a ?? 0n))));
      const paged = [];
      for await (const one of acme.pages(acme.partners.list, { sort, limit: 1 })) paged.push(one);
      expect(paged).toEqual(whole);
    },
  );

  it('shows neither address nor handle of a pseudonymous partner', async () => {
    const hidden = account(14);
    const profile = { handle: 'shadow', displayName: 'The Shadow' } as const;
    await saveDistributor(fixture.pool, {
      ...profile,
      address: hidden,
      visibility: 'pseudonymous',
    });
    const paged = [];
    let cursor: string | undefined;
    do {
      const page = await acme.partners.list({ limit: 1, ...(cursor ? { cursor } : {}) });
      paged.push(...page.data.items);
      cursor = page.data.nextCursor ?? undefined;
      const text = JSON.stringify(page) + Buffer.from(cursor ?? '', 'base64url').toString();
      expect(text).not.toMatch(new RegExp(`${hidden.slice(2)}|shadow`, 'i'));
    } while (cursor !== undefined);
    expect(paged).toHaveLength(6);
    const found = paged.filter(({ address }) => address === null);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      handle: null,
      displayName: null,
      visibility: 'pseudonymous',
      settledConversions: null,
      rewards: { claimed: '30000' },
    });
    for (const q of [hidden, 'shadow', 'The']) expect(await addresses({ q })).toEqual([]);
    const { data } = await acme.partners.get({ address: hidden });
    expect(data.partner).toMatchObject({ address: null, handle: null });
    const { items } = (await acme.campaigns.distributors({ campaignId: '1' })).data;
    expect(JSON.stringify(items)).not.toContain(hidden);
    expect(items.filter(({ address }) => address === null)).toHaveLength(1);

    await saveDistributor(fixture.pool, { ...profile, address: hidden, visibility: 'public' });
    for (const q of [hidden, 'SHA', 'the s']) expect(await addresses({ q })).toEqual([hidden]);
    expect((await acme.partners.get({ address: hidden })).data.partner).toMatchObject({
      address: hidden,
      handle: 'shadow',
      displayName: 'The Shadow',
      visibility: 'public',
    });
  });

  it('distinguishes hidden partners by pseudonyms that are the same in each answer', async () => {
    const hidden = [12, 14].map(account);
    for (const address of hidden) {
      const profile = { handle: null, displayName: null, visibility: 'pseudonymous' } as const;
      await saveDistributor(fixture.pool, { ...profile, address });
    }
    const pseudonyms = async (query: Query = {}) =>
      (await list(query)).items.flatMap(({ pseudonym }) => pseudonym ?? []).sort();
    const found = await pseudonyms();
    expect(new Set(found).size).toBe(2);
    for (const one of found) expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await pseudonyms({ sort: 'newest' })).toEqual(found);
    const { items } = (await acme.campaigns.distributors({ campaignId: '1' })).data;
    expect(items.flatMap(({ pseudonym }) => pseudonym ?? []).sort()).toEqual(found);
    // By the address, no pseudonym is returned; and an account that shows its address has none.
    const { data } = await acme.partners.get({ address: account(14) });
    expect(data.partner).toMatchObject({ address: null, pseudonym: null });
    const shown = (await list()).items.filter(({ address }) => address !== null);
    expect(shown.map(({ pseudonym }) => pseudonym)).toEqual(shown.map(() => null));
  });

  it('gives two merchants pseudonyms that they cannot join, and needs the key to compute one', () => {
    const keys = deriveKeys(['one deployment']);
    const of = (merchant: `0x${string}`, n: number, own = keys) =>
      pseudonymOf(own, merchant, account(n));
    const all = [ACME, OTHER].flatMap((merchant) =>
      Array.from({ length: 200 }, (_, n) => of(merchant, n)),
    );
    expect(new Set(all).size).toBe(400);
    expect(of(ACME, 7)).toBe(of(ACME, 7));
    expect(of(ACME, 7, deriveKeys(['another deployment']))).not.toBe(of(ACME, 7));
  });

  it('returns one partner with its nodes and levels', async () => {
    const { data } = await acme.partners.get({ address: account(13) });
    expect(data.nodes).toEqual([{ nodeId: '3', parentNodeId: '2', childCount: 1 }]);
    expect(data.sales).toEqual([{ saleId: '1', level: 2, amount: '18000', state: 'claimable' }]);
    expect(data.rewards).toEqual({ ...nothing, claimable: '18000', refunded: '12000' });
    expect(data.partner.rewards).toEqual(data.rewards);
    const first = (await acme.partners.get({ address: account(14) })).data;
    expect(first.sales).toEqual([{ saleId: '1', level: 1, amount: '30000', state: 'claimed' }]);
    for (const address of [account(15), account(99)]) {
      await expect(acme.partners.get({ address })).rejects.toMatchObject({ status: 404 });
    }
    const other = await fixture.clientAs(OTHER);
    await expect(other.partners.get({ address: account(13) })).rejects.toMatchObject({
      status: 404,
    });
    const theirs = (await other.partners.list()).data.items;
    expect(theirs).toMatchObject([{ address: account(15), rewards: { reversed: '200000' } }]);
  });

  it('lists all sales of a partner with campaign, token and node', async () => {
    const { data } = await acme.partners.sales({ address: account(13) });
    expect(data.items).toMatchObject([
      {
        saleId: '1',
        campaignId: '1',
        token: { address: account(1), symbol: 'TUSD' },
        nodeId: '3',
        level: 2,
        saleAmount: '1000000',
        amount: '18000',
        state: 'claimable',
        recordedAt: '2023-11-14T22:13:44.000Z',
      },
    ]);
    expect(data.nextCursor).toBeNull();
    for (const n of [15, 99]) {
      const address = account(n);
      await expect(acme.partners.sales({ address })).rejects.toMatchObject({ status: 404 });
    }
    const other = await fixture.clientAs(OTHER);
    const theirs = await other.partners.sales({ address: account(15) });
    expect(theirs.data.items).toMatchObject([{ saleId: '4', campaignId: '2', state: 'reversed' }]);
    await expect(other.partners.sales({ address: account(13) })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('lists the distributors of a campaign, and which of them are allowed', async () => {
    const of = async (query: Parameters<Client['campaigns']['distributors']>[0]) =>
      (await acme.campaigns.distributors(query)).data.items;
    const bySales = await of({ campaignId: '1', sort: 'sales' });
    expect(bySales.map((one) => one.directSales + one.networkSales)).toEqual([1, 1, 1, 0]);
    expect(bySales.find(({ address }) => address === account(11))).toEqual({
      address: account(11),
      handle: null,
      pseudonym: null,
      allowed: null,
      linkCount: 1,
      firstJoinedAt: '2023-11-14T22:13:32.000Z',
      directSales: 0,
      networkSales: 0,
      recordedSales: 1,
      rewards: { ...nothing, refunded: '100000' },
      lastSaleAt: '2023-11-14T22:13:44.000Z',
    });
    const [top] = await of({ campaignId: '1', sort: 'rewards', limit: 1 });
    expect(top?.address).toBe(account(14));
    expect((await of({ campaignId: '3' })).map(({ allowed }) => allowed)).toEqual([false, false]);
    await expect(of({ campaignId: '2' })).rejects.toMatchObject({ status: 403 });
    await expect(of({ campaignId: '99' })).rejects.toMatchObject({ status: 404 });
  });

  it('lists partners as of the settled block, whatever the ledger contains beyond it', async () => {
    const { pool } = fixture;
    const [head] = await pool`select settled_number, settled_timestamp from ledger.head`;
    await pool`update ledger.head set settled_number = ${marks.sold},
      settled_timestamp = ${marks.lastTime - 724}`;
    const found = new Map((await list({ limit: 100 })).items.map((one) => [one.address, one]));
    expect(found.get(account(14))).toMatchObject({
      directSales: 0,
      settledValue: '0',
      rewards: { ...nothing, atRisk: '50000' },
    });
    expect(found.get(account(11))?.rewards).toEqual({ ...nothing, atRisk: '100000' });
    expect(found.get(account(17))?.rewards).toEqual({ ...nothing, atRisk: '5000' });
    expect((await list()).summary.sales).toEqual({ pending: 3, finalized: 0, refunded: 0 });
    await pool`update ledger.head set settled_number = ${head?.settled_number},
      settled_timestamp = ${head?.settled_timestamp}`;
  });

  it('values partners in the token with the most settled sales, and names the other tokens', async () => {
    const factCount = history.facts.length;
    history.nextBlock();
    const pays = { token: account(2), tokenSymbol: 'EUR', tokenName: '' };
    history.create('6', pays);
    history.schedule('6', { rewardToken: account(2) });
    history.fund('6', 1_000_000n);
    history.join('6', '8');
    for (const saleId of ['6', '7']) {
      history.sell('6', saleId, { nodeId: '8', pool: 100_000n, shares: [100_000n] });
    }
    history.nextBlock(700);
    for (const saleId of ['6', '7']) {
      history.reward('6', 'RewardVested', { saleId, level: 1, nodeId: '8', amount: 100_000n });
      history.finalize('6', saleId);
    }
    await fixture.settle(history.facts.slice(factCount));
    const { data, meta } = await acme.partners.list({ limit: 100 });
    expect(meta.token).toEqual({ address: account(2), symbol: 'EUR', decimals: 6 });
    expect(meta.otherTokens).toMatchObject([{ address: account(1) }]);
    const found = new Map(data.items.map((one) => [one.address, one]));
    expect(found.get(account(18))).toMatchObject({
      directSales: 2,
      settledValue: '2000000',
      rewards: { ...nothing, claimable: '200000' },
    });
    expect(found.get(account(14))).toMatchObject({
      directSales: 1,
      settledValue: '0',
      rewards: nothing,
    });
    expect(data.summary).toMatchObject({ sales: { finalized: 3 }, value: '2000000' });
    expect((await acme.partners.list({ campaignId: '1' })).meta.token?.address).toBe(account(1));
  });
});

/** Of random histories the rewards of all partners are what the campaigns owe and have paid. */
describe.each([5, 17])('partners in the random history of seed %i', (seed) => {
  it('sums partners to the ledger of the campaign, at any settled block', async () => {
    const facts = randomHistory({ seed, steps: 250, campaigns: 2 });
    const fixture = await ApiFixture.open();
    await fixture.settle(facts);
    for (const part of [0.4, 0.7, 1]) {
      await settleHeadAt(fixture, facts[Math.ceil(facts.length * part) - 1]);
      for (const merchant of [account(1_000), account(1_001)]) {
        const client = await fixture.clientAs(merchant);
        const { items } = (await client.campaigns.mine()).data;
        for (const { campaign } of items) {
          const campaignId = campaign?.campaignId ?? '';
          const { rewardLedger } = (await client.campaigns.get({ campaignId })).data;
          const partners: (typeof nothing)[] = [];
          const pages = client.pages(client.partners.list, { campaignId, limit: 7 });
          for await (const one of pages) partners.push(one.rewards);
          const sum = (...fields: (keyof typeof nothing)[]) =>
            partners
              .flatMap((one) => fields.map((field) => BigInt(one[field])))
              .reduce((a, b) => a + b, 0n);
          expect(sum('atRisk', 'readyToFinalize')).toBe(BigInt(rewardLedger.pendingReserved));
          expect(sum('claimable')).toBe(BigInt(rewardLedger.vestedUnclaimed));
          expect(sum('claimed')).toBe(BigInt(rewardLedger.rewardsClaimed));
          expect(partners.length).toBeGreaterThan(0);
        }
      }
    }
    await fixture.close();
  });
});

describe.each([5, 17])('the sales of partners in the random history of seed %i', (seed) => {
  it('pages through every level of the merchant’s campaigns that a partner has, and through no other', async () => {
    const facts = randomHistory({ seed, steps: 400, campaigns: 3 });
    const fixture = await ApiFixture.open();
    await fixture.settle(facts);
    const rows = await fixture.pool<
      { merchant: `0x${string}`; recipient: `0x${string}`; levels: string[] }[]
    >`
      select campaign.merchant, level.recipient, array_agg(
        level.sale_id || '/' || level.level
        order by level.sale_id desc, level.campaign_id desc, level.level
      ) as levels
      from ledger.sale_level level join ledger.campaign using (campaign_id)
      group by campaign.merchant, level.recipient`;
    let pages = 0;
    for (const { merchant, recipient, levels } of rows) {
      const client = await fixture.clientAs(merchant);
      const found = [];
      const query = { address: recipient, limit: 3 };
      for await (const one of client.pages(client.partners.sales, query)) {
        found.push(`${one.saleId}/${one.level}`);
      }
      expect(found).toEqual(levels);
      pages += Math.floor(found.length / 3);
      const { sales } = (await client.partners.get({ address: recipient })).data;
      expect(sales.map(({ saleId, level }) => `${saleId}/${level}`)).toEqual(levels.slice(0, 100));
    }
    expect(pages).toBeGreaterThan(10);
    await fixture.close();
  });
});

async function settleHeadAt({ pool }: ApiFixture, last: Fact | undefined): Promise<void> {
  if (last === undefined) return;
  await pool`
    update ledger.head set settled_number = ${last.blockNumber},
      settled_hash = ${last.blockHash}, settled_timestamp = ${last.timestamp}`;
}
