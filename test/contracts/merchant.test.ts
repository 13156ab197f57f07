import { describe, expect, it } from 'vitest';
import { buyArgs, fundArgs, refundArgs, reverseArgs } from './calls.ts';
import {
  attest,
  buyFrom,
  createCampaign,
  joinPath,
  maxAmount,
  maxTime,
  noLimits,
  openCampaign,
  policyFor,
  price,
} from './scenes.ts';
import {
  by,
  day,
  genesisTime,
  hashOf,
  mineAt,
  now,
  refusal,
  sent,
  sku,
  states,
  trustModes,
  useWorld,
} from './support.ts';

const world = useWorld();

describe('setVariantPrice', () => {
  it('prices a further variant', async () => {
    const w = world();
    await openCampaign(w);
    const large = hashOf('large');
    const args = [1n, large, 7n] as const;
    const { events } = await sent(w, w.commerce.write.setVariantPrice(args, by(w.merchant)));
    expect(events).toEqual([
      { name: 'VariantPriced', args: { campaignId: 1n, skuHash: large, price: 7n } },
    ]);
    const order = await buyArgs(w, { skuHash: large, maxAmount: 7n });
    const sale = await sent(w, w.commerce.write.buy(order, by(w.buyer)));
    expect(sale.events).toMatchObject([{ args: { amount: 7n, skuHash: large } }]);
    expect(await w.commerce.read.variantPrice([1n, sku])).toBe(price);
  });

  it("changes the campaign's price by its own SKU", async () => {
    const w = world();
    await openCampaign(w);
    await sent(w, w.commerce.write.setVariantPrice([1n, sku, 5n], by(w.merchant)));
    await buyFrom(w, 1n, 0n);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ amount: 5n });
  });

  it('refuses a price of zero for a variant', async () => {
    const w = world();
    await createCampaign(w);
    const call = w.commerce.simulate.setVariantPrice([1n, sku, 0n], { account: w.merchant });
    expect(await refusal(call)).toEqual({ error: 'ZeroAmount', values: [] });
  });
});

describe('pause, resume and end', () => {
  it('pauses and resumes a campaign, funded or not', async () => {
    const w = world();
    const { read, write } = w.commerce;
    await createCampaign(w);
    const paused = await sent(w, write.pause([1n], by(w.merchant)));
    expect(paused.events).toEqual([{ name: 'CampaignPaused', args: { campaignId: 1n } }]);
    expect(await read.campaignState([1n])).toBe(states.paused);
    await sent(w, write.fund(await fundArgs(w, 1n, 1n), by(w.merchant)));
    expect(await read.campaignState([1n])).toBe(states.paused);
    const resumed = await sent(w, write.resume([1n], by(w.merchant)));
    expect(resumed.events).toEqual([{ name: 'CampaignResumed', args: { campaignId: 1n } }]);
    expect(await read.campaignState([1n])).toBe(states.active);
  });

  it('ends a campaign permanently', async () => {
    const w = world();
    const { read, write, simulate } = w.commerce;
    await openCampaign(w);
    await sent(w, write.pause([1n], by(w.merchant)));
    const { events } = await sent(w, write.end([1n], by(w.merchant)));
    expect(events).toEqual([{ name: 'CampaignEnded', args: { campaignId: 1n } }]);
    expect(await read.campaignState([1n])).toBe(states.ended);
    const ended = { error: 'WrongState', values: [1n, states.ended] };
    const as = { account: w.merchant };
    expect(await refusal(simulate.end([1n], as))).toEqual(ended);
    expect(await refusal(simulate.resume([1n], as))).toEqual(ended);
    expect(await refusal(simulate.pause([1n], as))).toEqual(ended);
  });

  it('refuses a pause of a paused campaign and a resume of a running one', async () => {
    const w = world();
    const { write, simulate } = w.commerce;
    await openCampaign(w);
    const as = { account: w.merchant };
    expect(await refusal(simulate.resume([1n], as))).toEqual({
      error: 'WrongState',
      values: [1n, states.active],
    });
    await sent(w, write.pause([1n], by(w.merchant)));
    expect(await refusal(simulate.pause([1n], as))).toEqual({
      error: 'WrongState',
      values: [1n, states.paused],
    });
  });

  it('reports ENDED before EXPIRED before PAUSED', async () => {
    const w = world();
    const { read, write, simulate } = w.commerce;
    await openCampaign(w);
    await sent(w, write.pause([1n], by(w.merchant)));
    await mineAt(w, genesisTime + 90n * day);
    expect(await read.campaignState([1n])).toBe(states.expired);
    const call = simulate.pause([1n], { account: w.merchant });
    expect(await refusal(call)).toEqual({ error: 'WrongState', values: [1n, states.expired] });
    await sent(w, write.resume([1n], by(w.merchant)));
    expect(await read.campaignState([1n])).toBe(states.expired);
    await sent(w, write.end([1n], by(w.merchant)));
    expect(await read.campaignState([1n])).toBe(states.ended);
  });
});

describe('raiseCapacity', () => {
  it('raises either total, or both', async () => {
    const w = world();
    await createCampaign(w);
    const args = [1n, 100n, 2n ** 53n - 1n] as const;
    const { events } = await sent(w, w.commerce.write.raiseCapacity(args, by(w.merchant)));
    expect(events).toEqual([
      {
        name: 'CapacityRaised',
        args: { campaignId: 1n, nodeCapacity: 100n, saleCapacity: 2n ** 53n - 1n },
      },
    ]);
    expect(await w.commerce.read.campaign([1n])).toMatchObject({
      nodeCapacity: 100n,
      saleCapacity: 2n ** 53n - 1n,
    });
  });

  it('refuses to lower either, or to go above 2^53 − 1', async () => {
    const w = world();
    await createCampaign(w);
    const { simulate } = w.commerce;
    const as = { account: w.merchant };
    const falls = { error: 'CapacityFalls', values: [100n, 99n] };
    expect(await refusal(simulate.raiseCapacity([1n, 99n, 200n], as))).toEqual(falls);
    expect(await refusal(simulate.raiseCapacity([1n, 200n, 99n], as))).toEqual(falls);
    const large = { error: 'CapacityTooLarge', values: [2n ** 53n] };
    expect(await refusal(simulate.raiseCapacity([1n, 2n ** 53n, 100n], as))).toEqual(large);
    expect(await refusal(simulate.raiseCapacity([1n, 100n, 2n ** 53n], as))).toEqual(large);
  });
});

describe('the allow-lists', () => {
  it('emits an event for each account that an allow-list adds or removes', async () => {
    const w = world();
    await createCampaign(w);
    const { read, write } = w.commerce;
    const account = w.stranger;
    for (const allowed of [true, false]) {
      const args = [1n, account, allowed] as const;
      const distributor = await sent(w, write.allowDistributor(args, by(w.merchant)));
      expect(distributor.events).toEqual([
        { name: 'DistributorAllowed', args: { campaignId: 1n, account, allowed } },
      ]);
      expect(await read.isDistributorAllowed([1n, account])).toBe(allowed);
    }
  });

  it('emits and stores the limits of each attester, and nothing but zeros for a withdrawn one', async () => {
    const w = world();
    await createCampaign(w);
    const { read, write } = w.commerce;
    const account = w.stranger;
    const attestedToday = 0n;
    const limits = { perOrder: 5n, daily: 9n, expiry: genesisTime + day };
    const none = { perOrder: 0n, daily: 0n, expiry: 0n };
    expect(await read.attesterLimits([1n, account])).toEqual({ ...none, attestedToday });
    for (const [given, stored] of [
      [limits, limits],
      [{ ...limits, expiry: 0n }, none],
      [{ perOrder: maxAmount, daily: maxAmount, expiry: maxTime }, undefined],
    ] as const) {
      const args = [1n, account, given.perOrder, given.daily, given.expiry] as const;
      const { events } = await sent(w, write.allowAttester(args, by(w.merchant)));
      const expected = stored ?? given;
      expect(events).toEqual([
        { name: 'AttesterAllowed', args: { campaignId: 1n, account, ...expected } },
      ]);
      expect(await read.attesterLimits([1n, account])).toEqual({ ...expected, attestedToday });
    }
  });

  it('refuses limits of zero or above 128 bits, and an expiry that is not after now', async () => {
    const w = world();
    await createCampaign(w);
    const present = await now(w);
    const refused = (perOrder: bigint, daily: bigint, expiry: bigint) =>
      refusal(
        w.commerce.simulate.allowAttester([1n, w.stranger, perOrder, daily, expiry], {
          account: w.merchant,
        }),
      );
    const zero = { error: 'ZeroAmount', values: [] };
    expect(await refused(0n, 1n, maxTime)).toEqual(zero);
    expect(await refused(1n, 0n, maxTime)).toEqual(zero);
    const large = { error: 'AmountTooLarge', values: [maxAmount + 1n] };
    expect(await refused(maxAmount + 1n, 1n, maxTime)).toEqual(large);
    expect(await refused(1n, maxAmount + 1n, maxTime)).toEqual(large);
    expect(await refused(1n, 1n, maxTime + 1n)).toEqual({
      error: 'TimeTooLate',
      values: [maxTime + 1n],
    });
    expect(await refused(1n, 1n, present)).toMatchObject({
      error: 'AttesterExpiresTooSoon',
      values: [present, expect.toSatisfy((time: bigint) => time >= present)],
    });
    const unknown = w.commerce.simulate.allowAttester([2n, w.stranger, ...noLimits], {
      account: w.merchant,
    });
    expect(await refusal(unknown)).toEqual({ error: 'UnknownCampaign', values: [2n] });
    expect(await refusal(w.commerce.read.attesterLimits([2n, w.stranger]))).toEqual({
      error: 'UnknownCampaign',
      values: [2n],
    });
  });
});

describe('what is the merchant’s', () => {
  it('refuses calls of the merchant from any other account', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await attest(w, w.merchant, 1n, { nodeId: 1n });
    const { simulate } = w.commerce;
    const as = { account: w.stranger };
    const refundOfSale = await refundArgs(w, 1n, 1n);
    const reversalOfSale = await reverseArgs(w, 1n);
    const calls = [
      simulate.setVariantPrice([1n, sku, 1n], as),
      simulate.schedulePolicy([1n, policyFor(w), genesisTime + day], as),
      simulate.pause([1n], as),
      simulate.resume([1n], as),
      simulate.end([1n], as),
      simulate.allowDistributor([1n, w.stranger, true], as),
      simulate.allowAttester([1n, w.stranger, ...noLimits], as),
      simulate.raiseCapacity([1n, 200n, 200n], as),
      simulate.refund(refundOfSale, as),
      simulate.reverse(reversalOfSale, as),
      simulate.claimProceeds([1n], as),
      simulate.withdrawSurplus([1n, 1n], as),
    ];
    const refused = { error: 'NotMerchant', values: [1n, w.stranger] };
    expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => refused));
  });
});
