import { describe, expect, it } from 'vitest';
import { buyArgs, type Order, refundArgs } from './calls.ts';
import { buyFrom, funding, joinPath, openCampaign, policyFor, price } from './scenes.ts';
import {
  by,
  day,
  fortune,
  genesisTime,
  hashOf,
  maxUint256,
  mineAt,
  nextAt,
  refusal,
  sent,
  shortPathModes,
  sku,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** A purchase at most at the price of the scene. */
function orderArgs(w: World, order: Order) {
  return buyArgs(w, { maxAmount: price, minPolicyVersion: 1, ...order });
}

async function refused(w: World, order: Order) {
  return refusal(w.commerce.simulate.buy(await orderArgs(w, order), { account: w.buyer }));
}

describe('buy', () => {
  it('transfers the price, reserves five levels, and emits one event with all amounts', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes);
    const order = await orderArgs(w, { nodeId: 6n });
    const { events, timestamp, gasUsed } = await sent(w, w.commerce.write.buy(order, by(w.buyer)));
    const shares = [5_000_000n, 2_000_000n, 1_500_000n, 1_000_000n, 500_000n];
    expect(events).toEqual([
      {
        name: 'SaleRecorded',
        args: {
          saleId: 1n,
          campaignId: 1n,
          buyer: w.buyer,
          nodeId: 6n,
          amount: price,
          pool: 10_000_000n,
          shares,
          policyVersion: 1,
          holdUntil: timestamp + 600n,
          orderKey: hashOf('order'),
          skuHash: sku,
        },
      },
    ]);
    expect(await w.commerce.read.sale([1n])).toEqual({
      campaignId: 1n,
      buyer: w.buyer,
      nodeId: 6n,
      amount: price,
      refundedTotal: 0n,
      shares,
      policyVersion: 1,
      holdUntil: timestamp + 600n,
      finalizedAt: 0n,
      status: 0,
      attester: '0x0000000000000000000000000000000000000000',
    });
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      netDeposited: funding,
      available: funding - 10_000_000n,
      pendingReserved: 10_000_000n,
      proceedsPending: price,
    });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
    expect(await w.token.read.balanceOf([w.commerce.address])).toBe(funding + price);
    expect(gasUsed).toBeLessThan(500_000n);
  });

  it('reserves nothing for a direct sale', async () => {
    const w = world();
    await openCampaign(w);
    const { events } = await sent(w, w.commerce.write.buy(await orderArgs(w, {}), by(w.buyer)));
    expect(events).toMatchObject([{ args: { nodeId: 0n, pool: 0n, shares: [], amount: price } }]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding,
      pendingReserved: 0n,
      proceedsPending: price,
    });
  });

  it('renormalizes a short path, or leaves the unused weight in the vault', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w, {}, { shortPathMode: shortPathModes.returnUnused });
    await joinPath(w, 1n, w.nodes.slice(0, 2));
    await joinPath(w, 2n, w.nodes.slice(0, 2));
    const first = await orderArgs(w, { nodeId: 2n });
    const renormalized = await sent(w, w.commerce.write.buy(first, by(w.buyer)));
    // 10,000,000 × 5/7 and × 2/7, and the unit that rounding left to level 1.
    expect(renormalized.events).toMatchObject([{ args: { shares: [7_142_858n, 2_857_142n] } }]);
    const second = await orderArgs(w, { campaignId: 2n, nodeId: 4n });
    const returned = await sent(w, w.commerce.write.buy(second, by(w.buyer)));
    expect(returned.events).toMatchObject([
      { args: { pool: 10_000_000n, shares: [5_000_000n, 2_000_000n] } },
    ]);
    expect(await w.commerce.read.campaignLedger([2n])).toMatchObject({
      available: funding - 7_000_000n,
      pendingReserved: 7_000_000n,
    });
  });

  it('emits an entry for a level that got nothing', async () => {
    const w = world();
    await openCampaign(w, { price: 20n });
    await joinPath(w, 1n, w.nodes.slice(0, 5));
    const order = await orderArgs(w, { nodeId: 5n });
    const { events } = await sent(w, w.commerce.write.buy(order, by(w.buyer)));
    expect(events).toMatchObject([{ args: { pool: 2n, shares: [2n, 0n, 0n, 0n, 0n] } }]);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ shares: [2n, 0n, 0n, 0n, 0n] });
  });

  it('caps the pool by the sale, by the liability and by the vault', async () => {
    const w = world();
    await openCampaign(w, {}, { perSaleCap: 4_000_000n, campaignLiabilityCap: 5_000_000n });
    await openCampaign(w, { price: 2n * funding }, { commissionBps: 10_000 });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await joinPath(w, 2n, w.nodes.slice(0, 1));
    await buyFrom(w, 1n, 1n, 'a');
    await buyFrom(w, 1n, 1n, 'b');
    await buyFrom(w, 1n, 1n, 'c');
    await buyFrom(w, 2n, 2n, 'd');
    const shares: (readonly bigint[])[] = [];
    for (const saleId of [1n, 2n, 3n, 4n]) {
      shares.push((await w.commerce.read.sale([saleId])).shares);
    }
    expect(shares).toEqual([[4_000_000n], [1_000_000n], [0n], [funding]]);
    expect(await w.commerce.read.quoteSale([2n, 2n, 1n])).toEqual([0n, [0n]]);
  });

  it('accepts an order key once per campaign and buyer', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w);
    await buyFrom(w, 1n, 0n, 'order');
    expect(await refused(w, {})).toEqual({
      error: 'OrderKeyUsed',
      values: [1n, w.buyer, hashOf('order')],
    });
    await buyFrom(w, 2n, 0n, 'order');
    await sent(w, w.commerce.write.buy(await orderArgs(w, {}), by(w.merchant)));
    expect(await w.commerce.read.saleCount()).toBe(3);
    expect(await w.commerce.read.saleIdOf([1n, w.buyer, hashOf('order')])).toBe(1);
  });

  it('refuses a price above, or a policy below, what the buyer accepts', async () => {
    const w = world();
    await openCampaign(w);
    expect(await refused(w, { maxAmount: price - 1n })).toEqual({
      error: 'PriceAboveMax',
      values: [price, price - 1n],
    });
    expect(await refused(w, { minPolicyVersion: 2 })).toEqual({
      error: 'PolicyTooOld',
      values: [1n, 1, 2],
    });
    const args = [1n, policyFor(w), genesisTime + day] as const;
    await sent(w, w.commerce.write.schedulePolicy(args, by(w.merchant)));
    await nextAt(w, genesisTime + day);
    const order = await orderArgs(w, { minPolicyVersion: 2, maxAmount: maxUint256 });
    const { events } = await sent(w, w.commerce.write.buy(order, by(w.buyer)));
    expect(events).toMatchObject([{ args: { policyVersion: 2 } }]);
  });

  it('refuses an unknown campaign, node or variant', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w);
    await joinPath(w, 2n, w.nodes.slice(0, 1));
    expect(await refused(w, { campaignId: 3n })).toEqual({
      error: 'UnknownCampaign',
      values: [3n],
    });
    expect(await refused(w, { nodeId: 1n })).toEqual({ error: 'UnknownNode', values: [1n, 1n] });
    expect(await refused(w, { skuHash: hashOf('other') })).toEqual({
      error: 'UnknownSku',
      values: [1n, hashOf('other')],
    });
  });

  it('refuses a purchase before startsAt, to the second', async () => {
    const w = world();
    const startsAt = genesisTime + day;
    await openCampaign(w, { startsAt });
    expect(await refused(w, {})).toEqual({ error: 'NotStarted', values: [1n, startsAt] });
    await nextAt(w, startsAt);
    expect(await buyFrom(w, 1n, 0n)).toBe(1n);
  });

  it('stops at the capacity, which counts every sale recorded', async () => {
    const w = world();
    await openCampaign(w, { saleCapacity: 1n });
    await buyFrom(w, 1n, 0n, 'first');
    await sent(w, w.commerce.write.refund(await refundArgs(w, 1n, price), by(w.merchant)));
    expect(await refused(w, {})).toEqual({ error: 'SaleCapacityReached', values: [1n, 1n] });
    await sent(w, w.commerce.write.raiseCapacity([1n, 100n, 2n], by(w.merchant)));
    expect(await buyFrom(w, 1n, 0n)).toBe(2n);
    expect(await w.commerce.read.campaign([1n])).toMatchObject({ saleCount: 2n });
  });

  it('refuses a purchase in a campaign that is not NATIVE_ONCHAIN', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    expect(await refused(w, {})).toEqual({ error: 'WrongTrustMode', values: [1n, 1] });
  });

  it('refuses a buyer without enough tokens', async () => {
    const w = world();
    await openCampaign(w);
    await mineAt(w, genesisTime + 100n);
    const call = w.commerce.simulate.buy(await orderArgs(w, {}), { account: w.stranger });
    expect((await refusal(call)).error).toBe('0xfb8f41b2'); // ERC20InsufficientAllowance
  });
});
