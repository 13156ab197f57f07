import { describe, expect, it } from 'vitest';
import { buyFrom, funding, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  day,
  fortune,
  genesisTime,
  mineAt,
  nextAt,
  refusal,
  sent,
  states,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** Two sales through two nodes, and a direct one, all final. */
async function settledCampaign(w: World): Promise<void> {
  await openCampaign(w);
  await joinPath(w, 1n, w.nodes.slice(0, 2));
  await buyFrom(w, 1n, 2n, 'first');
  await buyFrom(w, 1n, 1n, 'second');
  await buyFrom(w, 1n, 0n, 'third');
  const { holdUntil } = await w.commerce.read.sale([3n]);
  await nextAt(w, holdUntil);
  await sent(w, w.commerce.write.finalize([[1n, 2n, 3n]], by(w.stranger)));
}

describe('claimRewards', () => {
  it('pays all of an account’s claimable rewards of the campaign', async () => {
    const w = world();
    await settledCampaign(w);
    const [a] = w.nodes;
    const amount = 2_857_142n + 10_000_000n;
    expect(await w.commerce.read.claimableRewards([1n, a])).toBe(amount);
    const { events } = await sent(w, w.commerce.write.claimRewards([1n], by(a)));
    expect(events).toEqual([
      { name: 'RewardsClaimed', args: { campaignId: 1n, account: a, amount } },
    ]);
    expect(await w.token.read.balanceOf([a])).toBe(amount);
    expect(await w.commerce.read.claimableRewards([1n, a])).toBe(0n);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      vestedUnclaimed: 7_142_858n,
      rewardsClaimed: amount,
    });
  });

  it('refuses an account that has nothing, and an unknown campaign', async () => {
    const w = world();
    await settledCampaign(w);
    const { simulate } = w.commerce;
    const as = { account: w.stranger };
    expect(await refusal(simulate.claimRewards([1n], as))).toEqual({
      error: 'NothingToClaim',
      values: [1n, w.stranger],
    });
    expect(await refusal(simulate.claimRewards([2n], as))).toEqual({
      error: 'UnknownCampaign',
      values: [2n],
    });
  });
});

describe('claimProceeds', () => {
  it('pays the merchant all proceeds of final sales', async () => {
    const w = world();
    await settledCampaign(w);
    await buyFrom(w, 1n, 0n, 'pending');
    const before = await w.token.read.balanceOf([w.merchant]);
    const { events } = await sent(w, w.commerce.write.claimProceeds([1n], by(w.merchant)));
    const amount = 3n * price;
    expect(events).toEqual([
      { name: 'ProceedsClaimed', args: { campaignId: 1n, account: w.merchant, amount } },
    ]);
    expect(await w.token.read.balanceOf([w.merchant])).toBe(before + amount);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      proceedsPending: price,
      proceedsClaimable: 0n,
      proceedsClaimed: amount,
    });
    const again = w.commerce.simulate.claimProceeds([1n], { account: w.merchant });
    expect(await refusal(again)).toEqual({ error: 'NothingToClaim', values: [1n, w.merchant] });
  });
});

describe('withdrawSurplus', () => {
  it('pays the merchant what is nobody’s once the campaign is ended', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await buyFrom(w, 1n, 1n);
    await sent(w, w.commerce.write.end([1n], by(w.merchant)));
    const available = funding - 10_000_000n;
    const as = { account: w.merchant };
    const { simulate, write } = w.commerce;
    expect(await refusal(simulate.withdrawSurplus([1n, available + 1n], as))).toEqual({
      error: 'AmountAboveAvailable',
      values: [1n, available + 1n, available],
    });
    expect(await refusal(simulate.withdrawSurplus([1n, 0n], as))).toEqual({
      error: 'ZeroAmount',
      values: [],
    });
    const first = await sent(w, write.withdrawSurplus([1n, 1n], by(w.merchant)));
    expect(first.events).toEqual([
      { name: 'SurplusWithdrawn', args: { campaignId: 1n, account: w.merchant, amount: 1n } },
    ]);
    await sent(w, write.withdrawSurplus([1n, available - 1n], by(w.merchant)));
    expect(await w.token.read.balanceOf([w.merchant])).toBe(fortune - 10_000_000n);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: 0n,
      pendingReserved: 10_000_000n,
      surplusWithdrawn: available,
    });
  });

  it('works once the campaign is expired', async () => {
    const w = world();
    await openCampaign(w);
    await nextAt(w, genesisTime + 90n * day);
    await sent(w, w.commerce.write.withdrawSurplus([1n, funding], by(w.merchant)));
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ available: 0n });
  });

  it('is refused while the campaign runs or is paused', async () => {
    const w = world();
    await openCampaign(w);
    const as = { account: w.merchant };
    const call = () => w.commerce.simulate.withdrawSurplus([1n, 1n], as);
    const error = 'WrongState';
    expect(await refusal(call())).toEqual({ error, values: [1n, states.active] });
    await sent(w, w.commerce.write.pause([1n], by(w.merchant)));
    expect(await refusal(call())).toEqual({ error, values: [1n, states.paused] });
    await mineAt(w, genesisTime + 90n * day - 2n);
    expect(await refusal(call())).toEqual({ error, values: [1n, states.paused] });
  });
});
