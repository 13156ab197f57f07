import { describe, expect, it } from 'vitest';
import { refOf, refundArgs } from './calls.ts';
import { attest, buyFrom, funding, holdSeconds, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  fortune,
  hashOf,
  nextAt,
  refusal,
  saleStatuses,
  sent,
  skipReasons,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** A native sale through three nodes: 5,882,354 + 2,352,941 + 1,764,705 of the vault reserved. */
async function soldThroughThree(w: World): Promise<void> {
  await openCampaign(w);
  await joinPath(w, 1n, w.nodes.slice(0, 3));
  await buyFrom(w, 1n, 3n);
}

async function refund(w: World, amount: bigint, saleId = 1n) {
  return sent(w, w.commerce.write.refund(await refundArgs(w, saleId, amount), by(w.merchant)));
}

async function refusedRefund(w: World, amount: bigint, saleId = 1n) {
  const as = { account: w.merchant };
  return refusal(w.commerce.simulate.refund(await refundArgs(w, saleId, amount), as));
}

describe('refund', () => {
  it('reduces each level to its part of the remaining amount, and pays the buyer', async () => {
    const w = world();
    await soldThroughThree(w);
    const third = price / 3n;
    const { events } = await refund(w, third);
    const sale = { saleId: 1n, campaignId: 1n };
    const [c, b, a] = w.nodes.slice(0, 3).reverse();
    // What is left is 66,666,667 of 100,000,000: 3,921,569 + 1,568,627 + 1,176,470.
    expect(events).toEqual([
      {
        name: 'RewardReleased',
        args: { ...sale, level: 1, nodeId: 3n, recipient: c, amount: 5_882_354n - 3_921_569n },
      },
      {
        name: 'RewardReleased',
        args: { ...sale, level: 2, nodeId: 2n, recipient: b, amount: 2_352_941n - 1_568_627n },
      },
      {
        name: 'RewardReleased',
        args: { ...sale, level: 3, nodeId: 1n, recipient: a, amount: 1_764_705n - 1_176_470n },
      },
      {
        name: 'SaleRefunded',
        args: {
          ...sale,
          buyer: w.buyer,
          amount: third,
          refundedTotal: third,
          reasonHash: hashOf('reason'),
        },
      },
    ]);
    const held = 3_921_569n + 1_568_627n + 1_176_470n;
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding - held,
      pendingReserved: held,
      proceedsPending: price - third,
      buyerRefunded: third,
    });
    expect(await w.commerce.read.sale([1n])).toMatchObject({
      status: saleStatuses.pending,
      refundedTotal: third,
      shares: [5_882_354n, 2_352_941n, 1_764_705n],
    });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price + third);
  });

  it('adds up refunds, and closes the sale when the whole amount is refunded', async () => {
    const w = world();
    await soldThroughThree(w);
    await refund(w, 1n);
    await refund(w, price - 2n);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ status: saleStatuses.pending });
    const { events } = await refund(w, 1n);
    // One base unit of the sale was left, and no whole unit of any level.
    expect(events).toMatchObject([
      { name: 'SaleRefunded', args: { amount: 1n, refundedTotal: price } },
    ]);
    expect(await w.commerce.read.sale([1n])).toMatchObject({
      status: saleStatuses.refunded,
      refundedTotal: price,
    });
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding,
      pendingReserved: 0n,
      proceedsPending: 0n,
      buyerRefunded: price,
    });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune);
    expect(await refusedRefund(w, 1n)).toEqual({
      error: 'SaleNotPending',
      values: [1n, saleStatuses.refunded],
    });
  });

  it('releases every reward if the sale is refunded in one call', async () => {
    const w = world();
    await soldThroughThree(w);
    const { events } = await refund(w, price);
    expect(events).toMatchObject([
      { name: 'RewardReleased', args: { level: 1, amount: 5_882_354n } },
      { name: 'RewardReleased', args: { level: 2, amount: 2_352_941n } },
      { name: 'RewardReleased', args: { level: 3, amount: 1_764_705n } },
      { name: 'SaleRefunded' },
    ]);
  });

  it('allows a refund after the hold, until the sale is finalized', async () => {
    const w = world();
    await soldThroughThree(w);
    const { holdUntil } = await w.commerce.read.sale([1n]);
    await nextAt(w, holdUntil + 1_000n);
    await refund(w, 10n);
    await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
    expect(await refusedRefund(w, 10n)).toEqual({
      error: 'SaleNotPending',
      values: [1n, saleStatuses.finalized],
    });
  });

  it('refuses zero, more than the remaining amount, and an unknown sale', async () => {
    const w = world();
    await soldThroughThree(w);
    await refund(w, 40n);
    expect(await refusedRefund(w, 0n)).toEqual({ error: 'ZeroAmount', values: [] });
    expect(await refusedRefund(w, price - 39n)).toEqual({
      error: 'RefundTooLarge',
      values: [1n, price - 39n, price - 40n],
    });
    expect(await refusedRefund(w, 1n, 2n)).toEqual({
      error: 'UnknownOrder',
      values: [1n, w.buyer, hashOf('no such order')],
    });
  });

  it('releases only rewards if the sale was attested', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await attest(w, w.merchant, 1n, { nodeId: 1n });
    const { events } = await refund(w, price / 2n);
    expect(events).toMatchObject([
      { name: 'RewardReleased', args: { amount: 5_000_000n } },
      { name: 'SaleRefunded', args: { buyer: w.buyer, amount: price / 2n } },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding - 5_000_000n,
      pendingReserved: 5_000_000n,
      proceedsPending: 0n,
      buyerRefunded: 0n,
    });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune);
  });

  it('requires no attester’s signature outside THIRD_PARTY_VERIFIED campaigns', async () => {
    const w = world();
    await soldThroughThree(w);
    const args = [await refOf(w, 1n), 1n, hashOf('reason'), 0n, '0x00'] as const;
    const call = w.commerce.simulate.refund(args, { account: w.merchant });
    expect(await refusal(call)).toEqual({ error: 'UnexpectedSignature', values: [1n] });
  });
});

describe('finalize', () => {
  it('lets anyone vest each level and the proceeds when the hold is over', async () => {
    const w = world();
    await soldThroughThree(w);
    const { holdUntil } = await w.commerce.read.sale([1n]);
    await nextAt(w, holdUntil - 1n);
    const early = await w.client.snapshot();
    const { events: skipped } = await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
    expect(skipped).toEqual([
      { name: 'FinalizeSkipped', args: { saleId: 1n, reason: skipReasons.notDue } },
    ]);
    await w.client.revert({ id: early });
    await nextAt(w, holdUntil);
    const { events } = await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
    const sale = { saleId: 1n, campaignId: 1n };
    const [a, b, c] = w.nodes;
    expect(events).toEqual([
      {
        name: 'RewardVested',
        args: { ...sale, level: 1, nodeId: 3n, recipient: c, amount: 5_882_354n },
      },
      {
        name: 'RewardVested',
        args: { ...sale, level: 2, nodeId: 2n, recipient: b, amount: 2_352_941n },
      },
      {
        name: 'RewardVested',
        args: { ...sale, level: 3, nodeId: 1n, recipient: a, amount: 1_764_705n },
      },
      { name: 'SaleFinalized', args: { ...sale, refundedTotal: 0n } },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      pendingReserved: 0n,
      vestedUnclaimed: 10_000_000n,
      proceedsPending: 0n,
      proceedsClaimable: price,
    });
    expect(await w.commerce.read.sale([1n])).toMatchObject({
      status: saleStatuses.finalized,
      finalizedAt: holdUntil,
    });
    expect(await w.commerce.read.claimableRewards([1n, c])).toBe(5_882_354n);
  });

  it('vests the rewards that remain after refunds', async () => {
    const w = world();
    await soldThroughThree(w);
    await refund(w, price / 3n);
    const { holdUntil } = await w.commerce.read.sale([1n]);
    await nextAt(w, holdUntil);
    const { events } = await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
    expect(events).toMatchObject([
      { args: { level: 1, amount: 3_921_569n } },
      { args: { level: 2, amount: 1_568_627n } },
      { args: { level: 3, amount: 1_176_470n } },
      { name: 'SaleFinalized', args: { refundedTotal: price / 3n } },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      pendingReserved: 0n,
      vestedUnclaimed: 6_666_666n,
      proceedsClaimable: price - price / 3n,
    });
  });

  it('names the sum of all refunds of a sale, also of a direct one', async () => {
    const w = world();
    await soldThroughThree(w);
    await buyFrom(w, 1n, 0n, 'direct');
    for (const amount of [1n, 20n, 300n]) await refund(w, amount, 2n);
    await refund(w, price - 1n);
    const { holdUntil } = await w.commerce.read.sale([2n]);
    await nextAt(w, holdUntil);
    const { events } = await sent(w, w.commerce.write.finalize([[2n, 1n]], by(w.stranger)));
    const finalized = events.filter(({ name }) => name === 'SaleFinalized');
    expect(finalized).toEqual([
      { name: 'SaleFinalized', args: { saleId: 2n, campaignId: 1n, refundedTotal: 321n } },
      { name: 'SaleFinalized', args: { saleId: 1n, campaignId: 1n, refundedTotal: price - 1n } },
    ]);
  });

  it('skips sales that are closed, not due, unknown or listed twice, and emits their ids', async () => {
    const w = world();
    await soldThroughThree(w);
    await buyFrom(w, 1n, 0n, 'direct');
    await buyFrom(w, 1n, 3n, 'refunded');
    await refund(w, price, 3n);
    const { holdUntil } = await w.commerce.read.sale([3n]);
    await nextAt(w, holdUntil + holdSeconds);
    await buyFrom(w, 1n, 3n, 'held');
    const ids = [7n, 4n, 1n, 1n, 3n, 0n, 2n, 2n ** 256n - 1n] as const;
    const { events } = await sent(w, w.commerce.write.finalize([ids], by(w.stranger)));
    const skipped = (saleId: bigint, reason: number) => ({
      name: 'FinalizeSkipped',
      args: { saleId, reason },
    });
    expect(events).toMatchObject([
      skipped(7n, skipReasons.unknown),
      skipped(4n, skipReasons.notDue),
      { name: 'RewardVested' },
      { name: 'RewardVested' },
      { name: 'RewardVested' },
      { name: 'SaleFinalized', args: { saleId: 1n, refundedTotal: 0n } },
      skipped(1n, skipReasons.alreadyClosed),
      skipped(3n, skipReasons.alreadyClosed),
      skipped(0n, skipReasons.unknown),
      { name: 'SaleFinalized', args: { saleId: 2n } },
      skipped(2n ** 256n - 1n, skipReasons.unknown),
    ]);
    const ledger = await w.commerce.read.campaignLedger([1n]);
    const again = await sent(w, w.commerce.write.finalize([ids], by(w.stranger)));
    expect(again.events.map(({ name }) => name)).toEqual(ids.map(() => 'FinalizeSkipped'));
    expect(await w.commerce.read.campaignLedger([1n])).toEqual(ledger);
  });
});
