import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commerceFunctions } from '../simulator/chain/call.ts';
import { History } from '../simulator/chain/history.ts';
import { type Market, openMarket } from '../simulator/chain/market.ts';
import { reorg } from '../support/reorg.ts';

let markets: Market[];

beforeAll(async () => {
  markets = await Promise.all([openMarket(), openMarket()]);
});

afterAll(async () => {
  await Promise.all((markets ?? []).map(({ chain }) => chain.stop()));
});

describe('a simulated history', () => {
  it('uses every function of the contract, has invalid calls refused, and replays', async () => {
    const [one, other] = await Promise.all(markets.map(async (market) => await begun(market)));
    expect(one?.hash).toBe(other?.hash);
    await one?.history.play(400);
    const counts = one?.history.counts ?? new Map();
    const taken = [...counts].flatMap(([name, count]) => (count.taken > 0 ? [name] : []));
    expect(commerceFunctions.filter((name) => !taken.includes(name))).toEqual([]);
    const refused = [...counts.values()].reduce((sum, { invalid }) => sum + invalid, 0);
    expect(refused).toBeGreaterThan(10);
  }, 180_000);
});

/** A history that has come to a reorg and gone on from there, and the hash of its newest block. */
async function begun(market: Market) {
  const history = new History(market, 9);
  await history.begin();
  await history.play(30);
  await reorg(market.chain, 5, []);
  await history.play(10);
  return { history, hash: (await market.chain.client.getBlock()).hash };
}
