import { describe, expect, it } from 'vitest';
import { buyFrom, funding, joinPath, openCampaign, policyFor, price } from './scenes.ts';
import {
  by,
  day,
  fortune,
  genesisTime,
  mineAt,
  nextAt,
  refusal,
  sent,
  skipReasons,
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
    const { events } = await sent(w, w.commerce.write.claimRewards([[1n]], by(a)));
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

  it('pays every campaign of a list once, and emits which entries it skipped', async () => {
    const w = world();
    await settledCampaign(w);
    await openCampaign(w);
    const [a] = w.nodes;
    const amount = 2_857_142n + 10_000_000n;
    const ids = [3n, 1n, 2n, 1n, 2n ** 256n - 1n] as const;
    const { result } = await w.commerce.simulate.claimRewards([ids], { account: a });
    expect(result).toEqual([0n, amount, 0n, 0n, 0n]);
    const { events } = await sent(w, w.commerce.write.claimRewards([ids], by(a)));
    const skipped = (campaignId: bigint, reason: number) => ({
      name: 'ClaimSkipped',
      args: { campaignId, account: a, reason },
    });
    expect(events).toEqual([
      skipped(3n, skipReasons.unknown),
      { name: 'RewardsClaimed', args: { campaignId: 1n, account: a, amount } },
      skipped(2n, skipReasons.nothingClaimable),
      skipped(1n, skipReasons.nothingClaimable),
      skipped(2n ** 256n - 1n, skipReasons.unknown),
    ]);
    expect(await w.token.read.balanceOf([a])).toBe(amount);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ rewardsClaimed: amount });
  });

  it('pays nothing to an account without earnings', async () => {
    const w = world();
    await settledCampaign(w);
    const before = await w.commerce.read.campaignLedger([1n]);
    const { events } = await sent(w, w.commerce.write.claimRewards([[1n]], by(w.stranger)));
    expect(events).toEqual([
      {
        name: 'ClaimSkipped',
        args: { campaignId: 1n, account: w.stranger, reason: skipReasons.nothingClaimable },
      },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toEqual(before);
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
  it('pays the merchant the unreserved budget once the campaign is ended', async () => {
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

  it('pays the surplus from endsAt on, to the second', async () => {
    const w = world();
    await openCampaign(w);
    await nextAt(w, genesisTime + 100n * day);
    await sent(w, w.commerce.write.withdrawSurplus([1n, funding], by(w.merchant)));
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ available: 0n });
  });

  it('refuses a withdrawal while only the policy is expired, because a later version revives the campaign', async () => {
    const w = world();
    const expiry = genesisTime + 4_000n;
    await openCampaign(w, {}, { expiry });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const revival = [1n, policyFor(w), expiry + 5n] as const;
    await sent(w, w.commerce.write.schedulePolicy(revival, by(w.merchant)));
    await mineAt(w, expiry);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.expired);
    const call = w.commerce.simulate.withdrawSurplus([1n, funding], { account: w.merchant });
    expect(await refusal(call)).toEqual({ error: 'WrongState', values: [1n, states.expired] });
    await nextAt(w, expiry + 6n);
    // The revived campaign still has its whole vault, so the sale pays its path.
    const saleId = await buyFrom(w, 1n, 1n);
    expect(await w.commerce.read.sale([saleId])).toMatchObject({ shares: [10_000_000n] });
  });

  it('refuses a withdrawal while the campaign runs or is paused', async () => {
    const w = world();
    await openCampaign(w);
    const as = { account: w.merchant };
    const call = () => w.commerce.simulate.withdrawSurplus([1n, 1n], as);
    const error = 'WrongState';
    expect(await refusal(call())).toEqual({ error, values: [1n, states.active] });
    await sent(w, w.commerce.write.pause([1n], by(w.merchant)));
    expect(await refusal(call())).toEqual({ error, values: [1n, states.paused] });
    await mineAt(w, genesisTime + 100n * day - 2n);
    expect(await refusal(call())).toEqual({ error, values: [1n, states.expired] });
  });
});
