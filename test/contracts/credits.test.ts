import { type Address, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { buyArgs, refundArgs, reverseArgs } from './calls.ts';
import { attest, buyFrom, funding, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  nextAt,
  now,
  refusal,
  saleStatuses,
  sent,
  skipReasons,
  tokenAt,
  trustModes,
  useWorld,
  type World,
  zeroAddress,
} from './support.ts';

const world = useWorld();
const error = toFunctionSelector('Blocked(address)');

/** A token with a blocklist, which the merchant and the buyer have and approved. */
async function blocklistToken(w: World): Promise<Address> {
  const token = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  const { write } = tokenAt(w.client, token);
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, write.mint([account, fortune], by(account)));
    await sent(w, write.approve([w.commerce.address, maxUint256], by(account)));
  }
  return token;
}

function setBlocked(w: World, token: Address, account: Address, blocked: boolean) {
  return sent(
    w,
    w.client.writeContract({
      abi: blocklistTokenAbi,
      address: token,
      functionName: 'setBlocked',
      args: [account, blocked],
      ...by(w.stranger),
    }),
  );
}

/** Campaign 1 of a token with a blocklist, with one node and one pending sale of it. */
async function soldOnce(w: World, trustMode: number = trustModes.native): Promise<Address> {
  const token = await blocklistToken(w);
  await openCampaign(w, { token, trustMode }, { rewardToken: token });
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  if (trustMode === trustModes.native) await buyFrom(w, 1n, 1n);
  else await attest(w, w.merchant, 1n, { nodeId: 1n });
  return token;
}

async function finalize(w: World, saleId: bigint): Promise<void> {
  const { holdUntil } = await w.commerce.read.sale([saleId]);
  if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
  await sent(w, w.commerce.write.finalize([[saleId]], by(w.stranger)));
}

function balanceOf(w: World, token: Address, account: Address): Promise<bigint> {
  return tokenAt(w.client, token).read.balanceOf([account]);
}

/** Both identities, and that the balance covers everything, the credits included. */
async function expectWhole(w: World, token: Address, sold: bigint): Promise<void> {
  const l = await w.commerce.read.campaignLedger([1n]);
  const { available, pendingReserved, vestedUnclaimed } = l;
  expect(
    available + pendingReserved + vestedUnclaimed + l.rewardsClaimed + l.surplusWithdrawn,
  ).toBe(l.netDeposited);
  const proceeds = l.proceedsPending + l.proceedsClaimable;
  expect(proceeds + l.proceedsClaimed + l.buyerRefunded).toBe(sold);
  expect(await balanceOf(w, token, w.commerce.address)).toBe(
    available + pendingReserved + vestedUnclaimed + proceeds + l.creditOutstanding,
  );
}

describe('a refund that the token refuses', () => {
  it('credits a refused refund to the buyer, who withdraws it once to an address of its choice', async () => {
    const w = world();
    const token = await soldOnce(w);
    await setBlocked(w, token, w.buyer, true);
    const { read, simulate, write } = w.commerce;
    const args = await refundArgs(w, 1n, price);
    const refunded = await sent(w, write.refund(args, by(w.merchant)));
    const credited = { campaignId: 1n, account: w.buyer, amount: price };
    expect(refunded.events).toMatchObject([
      { name: 'RewardReleased', args: { amount: 10_000_000n } },
      { name: 'SaleRefunded', args: { amount: price, refundedTotal: price } },
      { name: 'PaymentCredited', args: credited },
    ]);
    expect(await read.sale([1n])).toMatchObject({ status: saleStatuses.refunded });
    expect(await read.campaignLedger([1n])).toMatchObject({
      available: funding,
      proceedsPending: 0n,
      buyerRefunded: price,
      creditOutstanding: price,
    });
    expect(await read.creditOf([1n, w.buyer])).toBe(price);
    await expectWhole(w, token, price);

    const withdrawn = await sent(w, write.withdrawCredit([1n, w.stranger], by(w.buyer)));
    expect(withdrawn.events).toEqual([
      {
        name: 'CreditWithdrawn',
        args: { campaignId: 1n, account: w.buyer, to: w.stranger, amount: price },
      },
    ]);
    expect(await balanceOf(w, token, w.stranger)).toBe(price);
    expect(await read.creditOf([1n, w.buyer])).toBe(0n);
    expect(await read.campaignLedger([1n])).toMatchObject({ creditOutstanding: 0n });
    await expectWhole(w, token, price);
    const again = simulate.withdrawCredit([1n, w.stranger], { account: w.buyer });
    expect(await refusal(again)).toEqual({ error: 'NothingCredited', values: [1n, w.buyer] });
  });

  it('adds up the credits of several refunds, and leaves out a later refund that the token pays', async () => {
    const w = world();
    const token = await soldOnce(w);
    await setBlocked(w, token, w.buyer, true);
    for (const amount of [10n, 20n]) {
      const args = await refundArgs(w, 1n, amount);
      await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    }
    await setBlocked(w, token, w.buyer, false);
    const before = await balanceOf(w, token, w.buyer);
    const args = await refundArgs(w, 1n, 40n);
    const { events } = await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    expect(events.at(-1)).toMatchObject({ name: 'SaleRefunded', args: { refundedTotal: 70n } });
    expect(await balanceOf(w, token, w.buyer)).toBe(before + 40n);
    expect(await w.commerce.read.creditOf([1n, w.buyer])).toBe(30n);
    await expectWhole(w, token, price);
  });

  it('stays credited if the chosen address is refused too, zero, or the contract', async () => {
    const w = world();
    const token = await soldOnce(w);
    await setBlocked(w, token, w.buyer, true);
    await sent(w, w.commerce.write.refund(await refundArgs(w, 1n, price), by(w.merchant)));
    const { read, simulate } = w.commerce;
    const as = { account: w.buyer };
    expect(await refusal(simulate.withdrawCredit([1n, w.buyer], as))).toMatchObject({ error });
    expect(await refusal(simulate.withdrawCredit([1n, zeroAddress], as))).toEqual({
      error: 'ZeroAddress',
      values: [],
    });
    expect(await refusal(simulate.withdrawCredit([1n, w.commerce.address], as))).toEqual({
      error: 'InexactTransfer',
      values: [token, price, 0n],
    });
    expect(await read.creditOf([1n, w.buyer])).toBe(price);
  });

  it('lets only the buyer withdraw the credit', async () => {
    const w = world();
    const token = await soldOnce(w);
    await setBlocked(w, token, w.buyer, true);
    await sent(w, w.commerce.write.refund(await refundArgs(w, 1n, price), by(w.merchant)));
    await sent(w, w.commerce.write.end([1n], by(w.merchant)));
    const { simulate } = w.commerce;
    for (const account of [w.merchant, w.stranger]) {
      const call = simulate.withdrawCredit([1n, account], { account });
      expect(await refusal(call)).toEqual({ error: 'NothingCredited', values: [1n, account] });
    }
    const as = { account: w.merchant };
    expect(await refusal(simulate.withdrawSurplus([1n, funding + 1n], as))).toEqual({
      error: 'AmountAboveAvailable',
      values: [1n, funding + 1n, funding],
    });
    const unknown = simulate.withdrawCredit([2n, w.buyer], { account: w.buyer });
    expect(await refusal(unknown)).toEqual({ error: 'UnknownCampaign', values: [2n] });
  });
});

describe('a reward that the token refuses', () => {
  it('credits a refused reward to the distributor, who withdraws it once to an address of its choice', async () => {
    const w = world();
    const token = await soldOnce(w);
    const [distributor] = w.nodes;
    await finalize(w, 1n);
    await setBlocked(w, token, distributor, true);
    const { read, write } = w.commerce;
    const reward = { campaignId: 1n, account: distributor, amount: 10_000_000n };
    const claimed = await sent(w, write.claimRewards([[1n, 1n]], by(distributor)));
    const { campaignId, account } = reward;
    expect(claimed.events).toEqual([
      { name: 'RewardsClaimed', args: reward },
      { name: 'PaymentCredited', args: reward },
      {
        name: 'ClaimSkipped',
        args: { campaignId, account, reason: skipReasons.nothingClaimable },
      },
    ]);
    expect(await read.campaignLedger([1n])).toMatchObject({
      vestedUnclaimed: 0n,
      rewardsClaimed: 10_000_000n,
      creditOutstanding: 10_000_000n,
    });
    await expectWhole(w, token, price);

    await setBlocked(w, token, distributor, false);
    const again = await sent(w, write.claimRewards([[1n]], by(distributor)));
    expect(again.events).toMatchObject([{ name: 'ClaimSkipped' }]);
    await sent(w, write.withdrawCredit([1n, w.stranger], by(distributor)));
    expect(await balanceOf(w, token, w.stranger)).toBe(10_000_000n);
    expect(await balanceOf(w, token, distributor)).toBe(0n);
    await expectWhole(w, token, price);
  });

  it('pays the other campaigns of the list despite a refused reward', async () => {
    const w = world();
    const token = await soldOnce(w);
    const [distributor] = w.nodes;
    await openCampaign(w);
    await joinPath(w, 2n, [distributor]);
    await buyFrom(w, 2n, 2n);
    await finalize(w, 1n);
    await finalize(w, 2n);
    await setBlocked(w, token, distributor, true);
    const claim = w.commerce.write.claimRewards([[1n, 2n]], by(distributor));
    expect((await sent(w, claim)).events.map(({ name }) => name)).toEqual([
      'RewardsClaimed',
      'PaymentCredited',
      'RewardsClaimed',
    ]);
    expect(await w.token.read.balanceOf([distributor])).toBe(10_000_000n);
  });

  it('counts a credited reward as claimed, so that a later reversal does not change it', async () => {
    const w = world();
    const token = await soldOnce(w, trustModes.merchantAttested);
    const [distributor] = w.nodes;
    await attest(w, w.merchant, 1n, { nodeId: 1n, nonce: 2n, orderKey: hashOf('second') });
    await finalize(w, 1n);
    await setBlocked(w, token, distributor, true);
    await sent(w, w.commerce.write.claimRewards([[1n]], by(distributor)));
    await finalize(w, 2n);
    const first = await reverseArgs(w, 1n);
    expect((await sent(w, w.commerce.write.reverse(first, by(w.merchant)))).events).toMatchObject([
      { name: 'SaleReversed', args: { saleId: 1n } },
    ]);
    const second = await reverseArgs(w, 2n);
    expect((await sent(w, w.commerce.write.reverse(second, by(w.merchant)))).events).toMatchObject([
      { name: 'RewardReversed', args: { saleId: 2n, amount: 10_000_000n } },
      { name: 'SaleReversed' },
    ]);
    expect(await w.commerce.read.creditOf([1n, distributor])).toBe(10_000_000n);
    await expectWhole(w, token, 0n);
  });

  it('adds rewards and refunds of one account to the same credit', async () => {
    const w = world();
    const token = await blocklistToken(w);
    await openCampaign(w, { token }, { rewardToken: token });
    await joinPath(w, 1n, [w.buyer]);
    await buyFrom(w, 1n, 1n, 'first');
    await finalize(w, 1n);
    await buyFrom(w, 1n, 1n, 'second');
    await setBlocked(w, token, w.buyer, true);
    await sent(w, w.commerce.write.claimRewards([[1n]], by(w.buyer)));
    await sent(w, w.commerce.write.refund(await refundArgs(w, 2n, price), by(w.merchant)));
    expect(await w.commerce.read.creditOf([1n, w.buyer])).toBe(10_000_000n + price);
    await expectWhole(w, token, 2n * price);
    await sent(w, w.commerce.write.withdrawCredit([1n, w.stranger], by(w.buyer)));
    expect(await balanceOf(w, token, w.stranger)).toBe(10_000_000n + price);
    await expectWhole(w, token, 2n * price);
  });
});

describe('a payment to the merchant that the token refuses', () => {
  it('reverts, because the merchant is the caller', async () => {
    const w = world();
    const token = await soldOnce(w);
    await finalize(w, 1n);
    await sent(w, w.commerce.write.end([1n], by(w.merchant)));
    await setBlocked(w, token, w.merchant, true);
    const { read, simulate } = w.commerce;
    const as = { account: w.merchant };
    expect(await refusal(simulate.claimProceeds([1n], as))).toMatchObject({ error });
    expect(await refusal(simulate.withdrawSurplus([1n, 1n], as))).toMatchObject({ error });
    expect(await read.campaignLedger([1n])).toMatchObject({
      proceedsClaimable: price,
      surplusWithdrawn: 0n,
      creditOutstanding: 0n,
    });
  });
});

describe('a purchase by a blocked buyer', () => {
  it('reverts, because the token refuses every transfer from that buyer', async () => {
    const w = world();
    const token = await soldOnce(w);
    await setBlocked(w, token, w.buyer, true);
    const order = await buyArgs(w, { orderKey: hashOf('second') });
    const call = w.commerce.simulate.buy(order, { account: w.buyer });
    expect(await refusal(call)).toMatchObject({ error });
  });
});
