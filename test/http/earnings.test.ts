import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Fact } from '../../engine/core/events.ts';
import { apply, emptyCampaign, type FoldState } from '../../engine/core/fold/index.ts';
import { account, randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { smallHistory } from './support/small-history.ts';

const SEEDS = [3, 12];
const OTHER_TOKEN = account(2);
/** Accounts that join in random histories. */
const EARNERS = Array.from({ length: 25 }, (_, i) => account(10 + i));

type Buckets = Record<
  'atRisk' | 'readyToFinalize' | 'claimable' | 'claimed' | 'refunded' | 'reversed',
  bigint
>;

function sumOf(parts: readonly Readonly<Record<keyof Buckets, string | bigint>>[]): Buckets {
  const total = (name: keyof Buckets) => parts.reduce((sum, part) => sum + BigInt(part[name]), 0n);
  return {
    atRisk: total('atRisk'),
    readyToFinalize: total('readyToFinalize'),
    claimable: total('claimable'),
    claimed: total('claimed'),
    refunded: total('refunded'),
    reversed: total('reversed'),
  };
}

/** The campaigns of a history, folded by the pure core; and what each cap cost whom. */
function foldAll(facts: readonly Fact[]) {
  const states = new Map<string, FoldState>();
  const missed: { campaignId: string; recipient: Address; amount: bigint }[] = [];
  for (const fact of facts) {
    const { campaignId } = fact;
    const folded = apply(states.get(campaignId) ?? emptyCampaign(campaignId), fact);
    states.set(campaignId, folded.state);
    missed.push(...folded.applied.missed.map((one) => ({ ...one, campaignId })));
  }
  return { states, missed };
}

/** An account's buckets in a campaign by the core alone, at a clock in unix seconds. */
function bucketsOf(state: FoldState, owner: Address, clock: number): Buckets {
  const balances = state.accounts.get(owner);
  const held = (isOver: boolean) =>
    [...state.sales.values()]
      .filter(({ holdUntil }) => holdUntil <= clock === isOver)
      .flatMap(({ levels }) => levels.filter(({ recipient }) => recipient === owner))
      .reduce((sum, { reserved }) => sum + reserved, 0n);
  return {
    atRisk: held(false),
    readyToFinalize: held(true),
    claimable: balances?.claimable ?? 0n,
    claimed: balances?.claimed ?? 0n,
    refunded: balances?.refunded ?? 0n,
    reversed: balances?.reversed ?? 0n,
  };
}

/** Campaigns of even ids pay in another token. */
function inTwoTokens(fact: Fact): Fact {
  if (fact.name !== 'CampaignCreated' || Number(fact.campaignId) % 2 > 0) return fact;
  return { ...fact, args: { ...fact.args, token: OTHER_TOKEN, tokenSymbol: 'EURX' } };
}

async function settleHeadAt({ pool }: ApiFixture, facts: readonly Fact[], later = 0) {
  const last = facts.at(-1);
  if (last === undefined) throw new Error('There are no facts to read as of.');
  const clock = last.timestamp + later;
  await pool`
    update ledger.head set settled_number = ${last.blockNumber},
      settled_hash = ${last.blockHash}, settled_timestamp = ${clock}`;
  return clock;
}

/** All earnings of an account, every page, in pages of 7. */
async function reportedTo(fixture: ApiFixture, owner: Address) {
  const client = await fixture.clientAs(owner);
  const { earnings } = client;
  const all = async <T>(pages: AsyncIterable<T>) => {
    const items: T[] = [];
    for await (const item of pages) items.push(item);
    return items;
  };
  return {
    summary: (await earnings.summary()).data,
    campaigns: await all(client.pages(earnings.byCampaign, { limit: 7 })),
    conversions: await all(client.pages(earnings.byConversion, { limit: 7 })),
    missed: await all(client.pages(earnings.missed, { limit: 7 })),
    claims: await all(client.pages(earnings.claims, { limit: 7 })),
    claimable: await all(client.pages(earnings.claimable, { limit: 7 })),
  };
}

describe.each(SEEDS)('the earnings of the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 300, campaigns: 4 }).map(inTwoTokens);
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
  });
  afterAll(() => fixture.close());

  it.each([
    ['at its end', 1, 0],
    ['at its end, when later holds are over', 1, 400],
    ['in its middle, with a ledger that is ahead', 0.5, 0],
    ['at four fifths, with a ledger that is ahead and holds that are over', 0.8, 200],
  ])('returns earnings equal to the buckets of the ledger %s', async (_when, part, later) => {
    const last = facts[Math.floor((facts.length - 1) * part)]?.blockNumber ?? 0;
    const until = facts.filter(({ blockNumber }) => blockNumber <= last);
    const clock = await settleHeadAt(fixture, until, later);
    const { states, missed } = foldAll(until);
    const nothing = sumOf([]);
    const seen: Buckets[] = [];
    for (const owner of EARNERS) {
      const reported = await reportedTo(fixture, owner);
      const expected = [...states.values()].map((state) => bucketsOf(state, owner, clock));
      seen.push(...expected);

      for (const address of [account(1), OTHER_TOKEN]) {
        const token = reported.summary.byToken.find((one) => one.token.address === address);
        const paidIn = [...states.values()].filter(({ campaign }) => campaign?.token === address);
        const buckets = sumOf(paidIn.map((state) => bucketsOf(state, owner, clock)));
        expect(token ? sumOf([token.rewards]) : nothing).toEqual(buckets);
      }
      expect(sumOf(reported.campaigns.map(({ rewards }) => rewards))).toEqual(sumOf(expected));
      for (const [campaignId, state] of states) {
        const one = reported.campaigns.find((found) => found.campaignId === campaignId);
        const rewards = one ? sumOf([one.rewards]) : nothing;
        expect(rewards, `${owner} ${campaignId}`).toEqual(bucketsOf(state, owner, clock));
      }

      const levels = reported.conversions;
      const total = (of: (level: (typeof levels)[number]) => bigint) =>
        levels.reduce((sum, level) => sum + of(level), 0n);
      const all = sumOf(expected);
      expect(total((one) => BigInt(one.reserved))).toBe(all.atRisk + all.readyToFinalize);
      expect(total((one) => (one.readyToFinalize ? BigInt(one.reserved) : 0n))).toBe(
        all.readyToFinalize,
      );
      expect(total((one) => BigInt(one.released))).toBe(all.refunded);
      expect(total((one) => BigInt(one.reversed))).toBe(all.reversed);
      expect(total((one) => BigInt(one.vested))).toBe(all.claimable + all.claimed + all.reversed);
      const inState = (state: string) =>
        total((one) => (one.state === state ? BigInt(one.vested) - BigInt(one.reversed) : 0n));
      expect(inState('claimable') + inState('reversed')).toBe(all.claimable);
      expect(inState('claimed')).toBe(all.claimed);
      expect(reported.claims.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(
        all.claimed,
      );

      const lost = missed.filter(({ recipient }) => recipient === owner);
      const cost = lost.reduce((sum, { amount }) => sum + amount, 0n);
      const { byToken } = reported.summary;
      expect(byToken.reduce((sum, one) => sum + BigInt(one.missed), 0n)).toBe(cost);
      expect(reported.missed.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(cost);
      expect(reported.missed).toHaveLength(lost.length);
      const perLevel = levels.flatMap((level) => level.missed);
      expect(perLevel.reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n)).toBe(cost);

      const sales = new Set(levels.map(({ saleId }) => saleId)).size;
      expect(byToken.reduce((sum, { conversions }) => sum + conversions, 0)).toBe(sales);
      expect(reported.campaigns.reduce((sum, { conversions }) => sum + conversions, 0)).toBe(sales);
      expect(sumOfClaimable(reported.claimable)).toEqual([all.claimable, all.readyToFinalize]);
      expect(reported.summary.claimableCampaigns).toBe(
        reported.claimable.filter(({ claimable }) => claimable !== '0').length,
      );
    }
    if (part < 1) return;
    // A history without one of the buckets would prove nothing of it.
    for (const [name, total] of Object.entries(sumOf(seen))) {
      if (name !== 'atRisk') expect(total, name).toBeGreaterThan(0n);
    }
  });

  it('returns the same earnings by level as the receipts, also filtered by state', async () => {
    await settleHeadAt(fixture, facts);
    for (const owner of EARNERS.slice(0, 6)) {
      const client = await fixture.clientAs(owner);
      const states: Record<string, number> = {};
      for await (const level of client.pages(client.earnings.byConversion, { limit: 100 })) {
        const sale = { chainId: CHAIN_ID, saleId: level.saleId };
        const { data: receipt } = await client.receipts.get(sale);
        const { share, reserved, released, vested, reversed, state } = level;
        expect(receipt.levels[level.level - 1]).toEqual({
          ...{ level: level.level, nodeId: level.nodeId, recipient: owner, state },
          ...{ share, reserved, released, vested, reversed },
        });
        expect([level.finalizedAt, level.holdUntil]).toEqual([
          receipt.finalizedAt,
          receipt.holdUntil,
        ]);
        states[level.state] = (states[level.state] ?? 0) + 1;
      }
      for (const state of ['reserved', 'claimable', 'claimed', 'refunded', 'reversed'] as const) {
        const found = [];
        const pages = client.pages(client.earnings.byConversion, { state, limit: 3 });
        for await (const level of pages) found.push(level.state);
        expect(found).toEqual(Array.from({ length: states[state] ?? 0 }, () => state));
      }
    }
  });
});

function sumOfClaimable(items: readonly { claimable: string; readyToFinalize: string }[]) {
  return [
    items.reduce((sum, { claimable }) => sum + BigInt(claimable), 0n),
    items.reduce((sum, { readyToFinalize }) => sum + BigInt(readyToFinalize), 0n),
  ];
}

describe('the earnings of the small history', () => {
  const { history, marks } = smallHistory();
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  it('returns the earnings of a sale that was partly refunded, finalized and claimed', async () => {
    const { earnings } = await fixture.clientAs(account(14));
    const { data } = await earnings.byConversion();
    expect(data.items).toHaveLength(1);
    expect(data.items[0]).toMatchObject({
      ...{ saleId: '1', campaignId: '1', nodeId: '4', level: 1, saleAmount: '1000000' },
      ...{ share: '50000', reserved: '0', released: '20000', vested: '30000', reversed: '0' },
      ...{ state: 'claimed', readyToFinalize: false, missed: [] },
    });
    const { data: claims, meta } = await earnings.claims();
    expect(claims.items).toMatchObject([{ campaignId: '1', amount: '30000' }]);
    expect(claims.items[0]?.tx.blockNumber).toBe(String(marks.claimed));
    expect(meta.chain?.blockNumber).toBe(String(marks.last));
    expect((await earnings.summary()).data).toMatchObject({
      byToken: [{ campaigns: 1, conversions: 1, missed: '0' }],
      ...{ links: 1, claimableCampaigns: 0, nextReleaseAt: null },
    });
  });

  it('returns how much a cap reduced the earnings, and which cap', async () => {
    const { earnings } = await fixture.clientAs(account(17));
    const { data } = await earnings.missed();
    // 10 % of 1,000,000 capped at 10,000; level 1 has 50 % of it, unused weights are returned.
    expect(data.items).toMatchObject([
      { saleId: '5', campaignId: '3', nodeId: '7', level: 1, reason: 'SALE_CAP', amount: '45000' },
    ]);
    expect((await earnings.missed({ reason: 'BUDGET' })).data.items).toEqual([]);
    expect((await earnings.missed({ campaignId: '1' })).data.items).toEqual([]);
    expect((await earnings.missed({ campaignId: 'demo-x' })).data.items).toEqual([]);
  });

  it('returns the earnings that wait to be finalized, with their sales and unsigned transactions', async () => {
    const { earnings } = await fixture.clientAs(account(17));
    const { data } = await earnings.claimable();
    expect(data.items).toHaveLength(1);
    const [waiting] = data.items;
    expect(waiting).toMatchObject({
      ...{ campaignId: '3', claimable: '0', readyToFinalize: '5000', finalizeSaleIds: ['5'] },
      claim: null,
    });
    expect(waiting?.finalize).toMatchObject({
      to: fixture.deps.deployment.contractAddress,
      value: '0',
      simulation: { status: 'unavailable' },
    });
  });

  it('lists a campaign that the account joined without earnings so far', async () => {
    const another = await ApiFixture.open();
    const history = smallHistory().history;
    history.nextBlock();
    history.join('3', '8');
    await another.settle(history.facts);
    const { earnings } = await another.clientAs(account(18));
    expect((await earnings.byCampaign()).data.items).toMatchObject([
      { campaignId: '3', links: 1, conversions: 0, missed: '0', lastConversionAt: null },
    ]);
    expect((await earnings.summary()).data).toMatchObject({ byToken: [], links: 1 });
    await another.close();
  });
});

describe('what can be finalized', () => {
  it('returns 100 sales at a time that can be finalized, the oldest first', async () => {
    const fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.fund('1', 1_000_000_000n);
    history.join('1', '1');
    for (let sale = 1; sale <= 130; sale += 1) {
      history.sell('1', String(sale), { nodeId: '1', pool: 100_000n, shares: [100_000n] });
    }
    history.nextBlock(700);
    history.fund('1', 1n);
    await fixture.settle(history.facts);
    const { earnings } = await fixture.clientAs(account(11));
    const [waiting] = (await earnings.claimable()).data.items;
    expect(waiting?.finalizeSaleIds).toEqual(Array.from({ length: 100 }, (_, i) => String(i + 1)));
    expect(waiting?.readyToFinalize).toBe('13000000');
    expect((await earnings.summary()).data.nextReleaseAt).toBeNull();
    await fixture.close();
  });
});
