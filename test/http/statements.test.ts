import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { wholeTokens } from '../../engine/core/amounts.ts';
import type { Fact } from '../../engine/core/events.ts';
import { account, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { chainOf } from './support/chain-of-facts.ts';
import { readCsv } from './support/csv.ts';
import { earnersOf } from './support/earners-of.ts';
import { HistoryBuilder } from './support/facts.ts';
import { slower } from './support/slower.ts';
import { movementsOf, statementOf } from './support/statement-by-entry.ts';

const DAY_MS = 86_400_000;

/** A random history of several weeks, with another token, of an odd symbol, in its last campaign. */
function longHistory(seed: number): Fact[] {
  const facts = slower(randomHistory({ seed, steps: 600, campaigns: 3 }), 150);
  return facts.map((fact) =>
    fact.name === 'CampaignCreated' && fact.campaignId === '3'
      ? { ...fact, args: { ...fact.args, token: account(2), tokenSymbol: '=SUM(A1)' } }
      : fact,
  );
}

const tokens = new Map([
  ['1', account(1)],
  ['2', account(1)],
  ['3', account(2)],
]);

describe.each([3, 8])('statements of the random history of seed %i', (seed) => {
  const facts = longHistory(seed);
  const first = (facts[0]?.timestamp ?? 0) * 1_000;
  const last = (facts.at(-1)?.timestamp ?? 0) * 1_000;
  const earners = earnersOf(facts, 4);
  const [earner = account(0)] = earners;
  const { client } = chainOf(facts);
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ client });
    await fixture.settle(facts);
  });
  afterAll(() => fixture.close());

  const periodsOf = {
    day: () => {
      const from = Math.floor(first / DAY_MS);
      const count = Math.floor(last / DAY_MS) - from + 1;
      return Array.from({ length: count }, (_, i) => ({
        from: new Date((from + i) * DAY_MS).toISOString(),
        to: new Date((from + i + 1) * DAY_MS).toISOString(),
      }));
    },
    month: () => {
      const [start, end] = [new Date(first), new Date(last)];
      const months = end.getUTCMonth() - start.getUTCMonth();
      const count = 12 * (end.getUTCFullYear() - start.getUTCFullYear()) + months + 1;
      const startOf = (i: number) =>
        new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + i)).toISOString();
      return Array.from({ length: count }, (_, i) => ({ from: startOf(i), to: startOf(i + 1) }));
    },
  };

  it.each(['day', 'month'] as const)(
    'each %s has what the entries of the ledger say, one by one',
    async (interval) => {
      let compared = 0;
      for (const earner of earners) {
        const api = await fixture.clientAs(earner);
        const moved = await movementsOf(api, earner, tokens, facts);
        const all = periodsOf[interval]();
        // The whole history, a part in the middle, and nothing but its last period.
        const cuts = [all, all.slice(Math.floor(all.length / 3), -1), all.slice(-1)];
        for (const periods of cuts.filter(({ length }) => length > 0)) {
          const range = { from: periods[0]?.from ?? '', to: periods.at(-1)?.to ?? '' };
          const { data } = await api.statements.earnings({ interval, range });
          expect(data).toMatchObject({ interval, ...range });
          const before = moved.filter(({ at }) => at < Date.parse(range.to));
          const known = [...new Set(before.map(({ token }) => token))].sort();
          expect(data.byToken.map(({ token }) => token.address)).toEqual(known);
          for (const { token, ...found } of data.byToken) {
            expect(found).toEqual(statementOf(moved, token.address, periods));
            compared += found.periods.length;
          }
        }
      }
      expect(compared).toBeGreaterThan(20);
    },
  );

  it('the closing balances of a period are those of earnings.summary at its last block', async () => {
    let compared = 0;
    for (const earner of earners.slice(0, 2)) {
      const { statements, earnings } = await fixture.clientAs(earner);
      const range = { from: iso(first), to: iso(last) };
      const { data } = await statements.earnings({ interval: 'day', range });
      for (const { token, periods } of data.byToken) {
        for (const { to, closing } of periods) {
          const block = facts.findLast(({ timestamp }) => timestamp * 1_000 < Date.parse(to));
          const atBlock = String(block?.blockNumber);
          const { byToken } = (await earnings.summary({ atBlock })).data;
          const { rewards } = byToken.find((one) => one.token.address === token.address) ?? {};
          const { atRisk = '0', readyToFinalize = '0', ...others } = rewards ?? {};
          const reserved = String(BigInt(atRisk) + BigInt(readyToFinalize));
          expect(closing).toEqual({ reserved, ...others });
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('a statement of one campaign or token is a part of the whole', async () => {
    const api = await fixture.clientAs(earner);
    const range = { from: iso(first), to: iso(last) };
    const { byToken } = (await api.statements.earnings({ range })).data;
    for (const one of byToken) {
      const found = await api.statements.earnings({ range, token: one.token.address });
      expect(found.data.byToken).toEqual([one]);
    }
    const ofCampaigns = await Promise.all(
      ['1', '2'].map(async (campaignId) => {
        const { data } = await api.statements.earnings({ range, campaignId });
        return BigInt(data.byToken[0]?.movements.earned ?? 0);
      }),
    );
    const whole = byToken.find(({ token }) => token.address === account(1));
    expect(String(ofCampaigns.reduce((sum, one) => sum + one, 0n))).toBe(whole?.movements.earned);
    for (const none of [{ campaignId: '99' }, { campaignId: 'demo-x' }, { token: account(9) }]) {
      expect((await api.statements.earnings({ range, ...none })).data.byToken).toEqual([]);
    }
  });

  it('a statement at a past block is that of a ledger that ends there', async () => {
    const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
    const fresh = await ApiFixture.open();
    await fresh.settle(facts.filter(({ blockNumber }) => blockNumber <= middle));
    for (const earner of earners) {
      for (const interval of ['day', 'month'] as const) {
        const past = await (await fixture.clientAs(earner)).statements.earnings({
          ...{ interval, atBlock: String(middle) },
        });
        const now = await (await fresh.clientAs(earner)).statements.earnings({ interval });
        expect(past.data).toEqual(now.data);
        expect(past.meta.chain?.blockNumber).toBe(String(middle));
      }
    }
    await fresh.close();
  });

  it('the file has a row for each token and period, and no cell begins a formula', async () => {
    const api = await fixture.clientAs(earner);
    const input = { interval: 'day', range: { from: iso(first), to: iso(last) } } as const;
    const { byToken } = (await api.statements.earnings(input)).data;
    const { data } = await api.statements.csv(input);
    const [heading = [], ...lines] = data.csv
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const rows = lines.map((cells) =>
      Object.fromEntries(heading.map((name, i) => [name, cells[i]])),
    );
    expect(data.rows).toBe(rows.length);
    expect(heading).toEqual(data.columns.map(({ name }) => name));
    const expected = byToken.flatMap(({ token, periods }) =>
      periods.map(({ from, to, opening, movements, closing }) => ({
        ...{ from, to, token: token.address, tokenDecimals: '6', ...movements },
        tokenSymbol: token.symbol === '=SUM(A1)' ? "'=SUM(A1)" : token.symbol,
        ...{ openingReserved: opening.reserved, openingClaimable: opening.claimable },
        ...{ openingClaimed: opening.claimed, openingRefunded: opening.refunded },
        ...{ openingReversed: opening.reversed, closingReserved: closing.reserved },
        ...{ closingClaimable: closing.claimable, closingClaimed: closing.claimed },
        ...{ closingRefunded: closing.refunded, closingReversed: closing.reversed },
      })),
    );
    const inTokens = (amounts: object) =>
      Object.fromEntries(
        Object.entries(amounts)
          .filter(([name]) => !/^(from|to|token)/.test(name))
          .map(([name, amount]) => [`${name}Tokens`, wholeTokens(amount, 6)]),
      );
    expect(rows).toEqual(expected.map((row) => ({ ...row, ...inTokens(row) })));
    expect(rows.some(({ tokenSymbol }) => tokenSymbol === "'=SUM(A1)")).toBe(true);
    expect(data.fileName).toMatch(/^statement-0x[0-9a-f]{40}-[0-9-]{10}-[0-9-]{10}\.csv$/);
  });

  it('writes a file with a line for each movement, whose totals are the movements of the statement', async () => {
    const kinds = {
      ...{ earned: 'reserve', refunded: 'release', vested: 'vest' },
      ...{ claimed: 'claim', reversed: 'reverse' },
    } as const;
    let lines = 0;
    for (const earner of earners) {
      const api = await fixture.clientAs(earner);
      const half = new Date((Date.parse(iso(first)) + Date.parse(iso(last))) / 2).toISOString();
      for (const to of [iso(last), half]) {
        const input = { interval: 'day', range: { from: iso(first), to } } as const;
        const { data: statement } = await api.statements.earnings(input);
        const { data } = await api.statements.csv({ ...input, rows: 'lines' });
        const [heading = [], ...rows] = readCsv(`\ufeff${data.csv}`);
        expect(heading).toEqual(data.columns.map(({ name }) => name));
        const of = (row: readonly string[], name: string) => row[heading.indexOf(name)] ?? '';
        lines += rows.length;
        for (const { token, movements } of statement.byToken) {
          for (const [name, kind] of Object.entries(kinds)) {
            const total = rows
              .filter((row) => of(row, 'token') === token.address && of(row, 'kind') === kind)
              .reduce((sum, row) => sum + BigInt(of(row, 'amount')), 0n);
            expect(String(total), `${kind} of ${earner}`).toBe(
              movements[name as keyof typeof movements],
            );
          }
        }
        const times = rows.map((row) => of(row, 'movedAt'));
        expect(times).toEqual(times.toSorted());
        for (const row of rows) {
          expect(of(row, 'transactionHash')).toMatch(/^0x[0-9a-f]{64}$/);
          expect(of(row, 'saleId') === '').toBe(of(row, 'kind') === 'claim');
        }
      }
    }
    expect(lines).toBeGreaterThan(50);
  });
});

describe('the limits of a statement', () => {
  let fixture: ApiFixture;
  let api: Client;
  let late: Fact[] = [];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    for (let id = 1; id <= 11; id += 1) {
      const campaignId = String(id);
      history.create(campaignId, { token: account(id) });
      history.schedule(campaignId);
      history.fund(campaignId, 1_000_000n);
      const args = { nodeId: campaignId, parentNodeId: '0', owner: account(11) };
      history.add(campaignId, { name: 'NodeJoined', args });
      const sale = { nodeId: campaignId, pool: 100n, shares: [100n] };
      // Joining alone is no reward: the last token is in no statement until its campaign sells.
      if (id < 11) history.sell(campaignId, campaignId, sale);
    }
    await fixture.settle(history.facts);
    api = await fixture.clientAs(account(11));
    const { facts } = history;
    history.nextBlock();
    history.sell('11', '11', { nodeId: '11', pool: 100n, shares: [100n] });
    late = facts.filter(({ blockNumber }) => blockNumber === history.block);
  });
  afterAll(() => fixture.close());

  it('refuses ranges with too many periods, naming the field', async () => {
    const refused = { status: 400, issues: [expect.objectContaining({ path: 'range' })] };
    for (const [interval, to] of [
      ['day', '2025-01-01T00:00:01Z'],
      ['month', '2029-01-01T00:00:01Z'],
    ] as const) {
      const range = { from: '2024-01-01T00:00:00Z', to };
      await expect(api.statements.earnings({ interval, range })).rejects.toMatchObject(refused);
      await expect(api.statements.csv({ interval, range })).rejects.toMatchObject(refused);
    }
    const old = { from: '1969-12-31T00:00:00Z', to: '1970-01-02T00:00:00Z' };
    await expect(api.statements.earnings({ range: old })).rejects.toMatchObject(refused);
  });

  it('answers for ten tokens, and asks for one if there are more', async () => {
    const { data } = await api.statements.earnings();
    expect(data.byToken).toHaveLength(10);
    expect(data.byToken[0]).toMatchObject({
      opening: { reserved: '0' },
      movements: { earned: '100', vested: '0' },
      closing: { reserved: '100' },
    });
    await fixture.settle(late);
    await expect(api.statements.earnings()).rejects.toMatchObject({
      ...{ status: 422, issues: [expect.objectContaining({ path: 'token' })] },
    });
    const one = await api.statements.earnings({ token: account(11) });
    expect(one.data.byToken).toMatchObject([{ closing: { reserved: '100' } }]);
  });

  it('returns nothing for an account without rewards', async () => {
    const other = await fixture.clientAs(account(12));
    expect((await other.statements.earnings()).data.byToken).toEqual([]);
    const { data } = await other.statements.csv();
    expect([data.rows, data.csv.split('\r\n').length]).toEqual([0, 2]);
  });
});

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
