import { type Address, type ContractFunctionArgs, getContract, maxUint256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { misbehavingTokenAbi, misbehavingTokenBytecode } from '../../abis/test/misbehavingToken.ts';
import { proxiedTokenAbi, proxiedTokenBytecode } from '../../abis/test/proxiedToken.ts';
import { buyArgs, fundArgs, refundArgs } from './calls.ts';
import {
  buyFrom,
  createCampaign,
  funding,
  joinPath,
  maxAmount,
  openCampaign,
  price,
} from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  mineAt,
  nextAt,
  now,
  refusal,
  sent,
  sku,
  TransactionReverted,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** Ordinals of what the misbehaving token does on `transfer`. */
const behaviours = {
  normal: 0,
  noAnswer: 1,
  false: 2,
  falseButMoves: 3,
  takesMore: 4,
  takesNothing: 5,
  gives: 6,
  longRefusal: 7,
  oddAnswer: 8,
  shortAnswer: 9,
  burnsGas: 10,
  expensive: 11,
} as const;

type Misbehaving = Awaited<ReturnType<typeof misbehavingToken>>;

async function misbehavingToken(w: World) {
  const address = await deploy(w.client, misbehavingTokenAbi, misbehavingTokenBytecode);
  const token = getContract({ abi: misbehavingTokenAbi, address, client: w.client });
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, token.write.setBalance([account, fortune], by(w.stranger)));
  }
  return token;
}

function behave(w: World, token: Misbehaving, behaviour: number) {
  return sent(w, token.write.setBehaviour([behaviour], by(w.stranger)));
}

/**
 * Campaigns 1 and 2 of one token. Campaign 1 has a node, a final sale and a pending one; campaign 2
 * is the victim whose deposit lies in the same balance.
 */
async function twoCampaigns(w: World): Promise<Misbehaving> {
  const token = await misbehavingToken(w);
  const { address } = token;
  await openCampaign(w, { token: address }, { rewardToken: address });
  await openCampaign(w, { token: address }, { rewardToken: address });
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  await buyFrom(w, 1n, 1n, 'final');
  const { holdUntil } = await w.commerce.read.sale([1n]);
  await nextAt(w, holdUntil);
  await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
  await buyFrom(w, 1n, 1n, 'pending');
  return token;
}

/** How `refund`, `claimRewards`, `claimProceeds` and `withdrawSurplus` of campaign 1 revert. */
async function refusals(w: World) {
  await sent(w, w.commerce.write.end([1n], by(w.merchant)));
  await mineAt(w, (await now(w)) + 1n);
  const { simulate } = w.commerce;
  const merchant = { account: w.merchant, gas: 4_000_000n };
  const distributor = { account: w.nodes[0], gas: 4_000_000n };
  return Promise.all(
    [
      simulate.refund(await refundArgs(w, 2n, price), merchant),
      simulate.claimRewards([[1n]], distributor),
      simulate.claimProceeds([1n], merchant),
      simulate.withdrawSurplus([1n, 1_000n], merchant),
    ].map(refusal),
  );
}

function inexact(token: Address, taken: (amount: bigint) => bigint) {
  return [price, 10_000_000n, price, 1_000n].map((amount) => ({
    error: 'InexactTransfer',
    values: [token, amount, taken(amount)],
  }));
}

describe('a token that takes more from its sender than it was asked', () => {
  it('a token that takes more from its sender than it was asked never pays a greedy token from the other campaigns of that token', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    await behave(w, token, behaviours.takesMore);
    expect(await refusals(w)).toEqual(inexact(token.address, (amount) => amount + amount / 10n));
    const owed = 2n * funding + 2n * price;
    expect(await token.read.balanceOf([w.commerce.address])).toBe(owed);
  });

  it('a token that takes more from its sender than it was asked cannot take more when a credit is withdrawn either', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    await behave(w, token, behaviours.false);
    await sent(w, w.commerce.write.refund(await refundArgs(w, 2n, price), by(w.merchant)));
    await behave(w, token, behaviours.takesMore);
    const call = w.commerce.simulate.withdrawCredit([1n, w.buyer], { account: w.buyer });
    expect(await refusal(call)).toEqual({
      error: 'InexactTransfer',
      values: [token.address, price, price + price / 10n],
    });
  });
});

describe('a token whose answer and deed differ', () => {
  it('reverts if the token reports a payment but transferred nothing', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    await behave(w, token, behaviours.takesNothing);
    expect(await refusals(w)).toEqual(inexact(token.address, () => 0n));
  });

  it('reverts if the token pays the contract instead of the recipient', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    await behave(w, token, behaviours.gives);
    expect(await refusals(w)).toEqual(inexact(token.address, () => 0n));
  });

  it('reverts if the token reports a refusal but transferred the amount, so nothing is paid twice', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    for (const behaviour of [
      behaviours.falseButMoves,
      behaviours.oddAnswer,
      behaviours.shortAnswer,
    ]) {
      const id = await w.client.snapshot();
      await behave(w, token, behaviour);
      const [refund, claim, proceeds, surplus] = await refusals(w);
      const [refundError, claimError] = inexact(token.address, (amount) => amount);
      expect([refund, claim]).toEqual([refundError, claimError]);
      // Where the caller is paid itself, the answer alone is a reason to revert.
      const failed = { error: 'SafeERC20FailedOperation', values: [token.address] };
      expect([proceeds, surplus]).toEqual([failed, failed]);
      await w.client.revert({ id });
    }
  });
});

describe('a token that answers nothing, as USDT does', () => {
  it('pays every kind of payment', async () => {
    const w = world();
    const token = await twoCampaigns(w);
    const { read, write } = w.commerce;
    await behave(w, token, behaviours.noAnswer);
    await sent(w, write.refund(await refundArgs(w, 2n, price), by(w.merchant)));
    await sent(w, write.claimRewards([[1n]], by(w.nodes[0])));
    await sent(w, write.claimProceeds([1n], by(w.merchant)));
    await sent(w, write.end([1n], by(w.merchant)));
    await sent(w, write.withdrawSurplus([1n, funding - 10_000_000n], by(w.merchant)));
    expect(await token.read.balanceOf([w.buyer])).toBe(fortune - price);
    expect(await token.read.balanceOf([w.nodes[0]])).toBe(10_000_000n);
    expect(await token.read.balanceOf([w.commerce.address])).toBe(funding);
    expect(await read.campaignLedger([1n])).toMatchObject({ creditOutstanding: 0n });
  });
});

describe('a token that refuses in an expensive way', () => {
  it.each([
    ['by an answer of 64 KiB', behaviours.longRefusal],
    ['by using all the gas it gets', behaviours.burnsGas],
    ['by the answer false', behaviours.false],
  ])(
    'a token that refuses in an expensive way cannot keep a refund or reward from being credited: %s',
    async (_, behaviour) => {
      const w = world();
      const token = await twoCampaigns(w);
      const { read, write } = w.commerce;
      await behave(w, token, behaviour);
      const refund = await refundArgs(w, 2n, price);
      const { events, gasUsed } = await sent(w, write.refund(refund, by(w.merchant)));
      expect(events.at(-1)).toMatchObject({ name: 'PaymentCredited', args: { account: w.buyer } });
      expect(gasUsed).toBeLessThan(700_000n);
      const claim = await sent(w, write.claimRewards([[1n]], by(w.nodes[0])));
      expect(claim.events.at(-1)).toMatchObject({ name: 'PaymentCredited' });
      expect(await read.campaignLedger([1n])).toMatchObject({
        creditOutstanding: price + 10_000_000n,
      });
      await behave(w, token, behaviours.normal);
      await sent(w, write.withdrawCredit([1n, w.buyer], by(w.buyer)));
      expect(await token.read.balanceOf([w.buyer])).toBe(fortune - price);
    },
  );
});

/** A campaign of a token with a blocklist behind a proxy, with one pending sale. */
async function proxiedSale(w: World): Promise<Address> {
  const code = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  const token = await deploy(w.client, proxiedTokenAbi, proxiedTokenBytecode, [code]);
  type Write = 'mint' | 'approve' | 'setBlocked';
  const call = <F extends Write>(
    account: Address,
    functionName: F,
    args: ContractFunctionArgs<typeof blocklistTokenAbi, 'nonpayable', F>,
  ) => {
    const request = { abi: blocklistTokenAbi, address: token, functionName, args };
    return sent(w, w.client.writeContract({ ...request, ...by(account) } as never));
  };
  for (const account of [w.merchant, w.buyer]) {
    await call(account, 'mint', [account, fortune]);
    await call(account, 'approve', [w.commerce.address, maxUint256]);
  }
  await openCampaign(w, { token }, { rewardToken: token });
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  await buyFrom(w, 1n, 1n);
  return token;
}

describe('a refund with a low gas limit', () => {
  it('pays the buyer or reverts, but never credits a payment because the token ran out of gas', async () => {
    const w = world();
    // Of an expensive token behind two proxies only the innermost call runs out of gas, so that
    // enough is left to store a credit; all the more if the buyer has a credit already.
    let address = await deploy(w.client, misbehavingTokenAbi, misbehavingTokenBytecode);
    for (const _ of ['inner', 'outer']) {
      address = await deploy(w.client, proxiedTokenAbi, proxiedTokenBytecode, [address]);
    }
    const token = getContract({ abi: misbehavingTokenAbi, address, client: w.client });
    for (const account of [w.merchant, w.buyer]) {
      await sent(w, token.write.setBalance([account, fortune], by(w.stranger)));
    }
    await openCampaign(w, { token: address }, { rewardToken: address });
    await buyFrom(w, 1n, 0n);
    await behave(w, token, behaviours.false);
    await sent(w, w.commerce.write.refund(await refundArgs(w, 1n, 10n), by(w.merchant)));
    await behave(w, token, behaviours.expensive);

    const refund = await refundArgs(w, 1n, 20n);
    const endings = { paid: 0, reverted: 0 };
    for (let gas = 400_000n; gas <= 640_000n; gas += 4_000n) {
      const id = await w.client.snapshot();
      const write = w.commerce.write.refund(refund, { ...by(w.merchant), gas });
      const ended = await sent(w, write).catch((error: unknown) => {
        if (error instanceof TransactionReverted) return undefined;
        throw error;
      });
      if (ended === undefined) endings.reverted += 1;
      else {
        const names = ended.events.map(({ name }) => name);
        expect({ gas, names }).toEqual({ gas, names: ['SaleRefunded'] });
        endings.paid += 1;
      }
      await w.client.revert({ id });
    }
    // The range of gas limits covers both endings.
    expect(endings.paid).toBeGreaterThan(5);
    expect(endings.reverted).toBeGreaterThan(5);
  });

  it('estimates the gas that it needs if the token refuses, and credits the payment with that much gas', async () => {
    const w = world();
    const token = await proxiedSale(w);
    const request = { abi: blocklistTokenAbi, address: token, functionName: 'setBlocked' } as const;
    const args = [w.buyer, true] as const;
    await sent(w, w.client.writeContract({ ...request, args, ...by(w.stranger) }));
    const refund = await refundArgs(w, 1n, price);
    const as = { account: w.merchant };
    const call = w.commerce.simulate.refund(refund, { ...as, gas: 400_000n });
    expect(await refusal(call)).toMatchObject({
      error: 'NotEnoughGas',
      values: [expect.toSatisfy((gas: bigint) => gas < 520_000n), 520_000n],
    });
    const gas = await w.commerce.estimateGas.refund(refund, as);
    expect(gas).toBeLessThan(700_000n);
    const write = w.commerce.write.refund(refund, { ...by(w.merchant), gas });
    expect((await sent(w, write)).events.at(-1)).toMatchObject({ name: 'PaymentCredited' });
  });
});

describe('a token that lies about its balances', () => {
  it('a token that lies about its balances cannot make a sale that reverts the whole list in finalize', async () => {
    const w = world();
    const token = await misbehavingToken(w);
    const half = 2n ** 127n;
    const input = { token: token.address, price: half };
    const campaignId = await createCampaign(w, input, { rewardToken: token.address });
    const { read, write, simulate } = w.commerce;
    const terms = (await read.campaign([campaignId])).termsHash;
    await sent(w, write.fund([campaignId, terms, 1n], by(w.merchant)));
    await sent(w, token.write.setBalance([w.buyer, 2n ** 130n], by(w.stranger)));
    await buyFrom(w, campaignId, 0n, 'first');
    const { holdUntil } = await read.sale([1n]);
    await nextAt(w, holdUntil);
    await sent(w, write.finalize([[1n]], by(w.stranger)));
    // Half of the largest sum is claimable already: as much again would be one too many.
    const second = await buyArgs(w, { campaignId, orderKey: hashOf('second') });
    expect(await refusal(simulate.buy(second, { account: w.buyer }))).toEqual({
      error: 'AmountTooLarge',
      values: [2n ** 128n],
    });
    await sent(w, write.setVariantPrice([campaignId, sku, half - 1n], by(w.merchant)));
    await sent(w, write.buy(second, by(w.buyer)));
    const { holdUntil: later } = await read.sale([2n]);
    await nextAt(w, later);
    await sent(w, write.finalize([[2n]], by(w.stranger)));
    expect(await read.campaignLedger([campaignId])).toMatchObject({
      proceedsPending: 0n,
      proceedsClaimable: maxAmount,
    });
  });

  it('refuses an amount above 128 bits that a token claims to have brought', async () => {
    const w = world();
    const token = await misbehavingToken(w);
    const { address } = token;
    const campaignId = await createCampaign(w, { token: address }, { rewardToken: address });
    const { read, simulate, write } = w.commerce;
    const deposit = await fundArgs(w, campaignId, 1n);
    await sent(w, write.fund(deposit, by(w.merchant)));
    const brought = (amount: bigint) => token.write.setExtra([amount], by(w.stranger));
    const order = await buyArgs(w, { campaignId });
    for (const amount of [maxAmount + 1n, maxUint256 - 10n ** 18n]) {
      await sent(w, brought(amount - price));
      expect(await refusal(simulate.buy(order, { account: w.buyer }))).toEqual({
        error: 'AmountTooLarge',
        values: [amount],
      });
      await sent(w, brought(amount - 1n));
      expect(await refusal(simulate.fund(deposit, { account: w.merchant }))).toEqual({
        error: 'AmountTooLarge',
        values: [amount],
      });
    }
    // With the first unit, this deposit would make more than 128 bits in total.
    await sent(w, brought(maxAmount - 1n));
    expect(await refusal(simulate.fund(deposit, { account: w.merchant }))).toEqual({
      error: 'AmountTooLarge',
      values: [maxAmount + 1n],
    });
    await sent(w, brought(maxAmount - 2n));
    await sent(w, write.fund(deposit, by(w.merchant)));
    expect(await read.campaignLedger([campaignId])).toMatchObject({ netDeposited: maxAmount });
    await sent(w, brought(maxAmount - price));
    await sent(w, write.buy(order, by(w.buyer)));
    expect(await read.campaignLedger([campaignId])).toMatchObject({ proceedsPending: maxAmount });
    expect(await read.obligationsOf([address])).toBe(2n * maxAmount);
  });

  it('leaves the sums of other campaigns alone, whatever amounts a token claims', async () => {
    const w = world();
    const token = await misbehavingToken(w);
    const { address } = token;
    const { read, write } = w.commerce;
    for (const campaignId of [1n, 2n, 3n]) {
      await createCampaign(w, { token: address, price: maxAmount }, { rewardToken: address });
      await sent(w, token.write.setBalance([w.buyer, maxAmount], by(w.stranger)));
      await sent(w, write.fund(await fundArgs(w, campaignId, 1n), by(w.merchant)));
      await buyFrom(w, campaignId, 0n);
    }
    expect(await read.obligationsOf([address])).toBe(3n * maxAmount + 3n);
    const { holdUntil } = await read.sale([3n]);
    await nextAt(w, holdUntil);
    const { events } = await sent(w, write.finalize([[1n, 2n, 3n]], by(w.stranger)));
    expect(events.map(({ name }) => name)).toEqual(Array(3).fill('SaleFinalized'));
  });
});
