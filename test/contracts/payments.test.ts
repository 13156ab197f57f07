import { type Abi, type Address, encodeFunctionData, type Hex, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { contractWalletAbi, contractWalletBytecode } from '../../abis/test/contractWallet.ts';
import { fallbackTokenAbi, fallbackTokenBytecode } from '../../abis/test/fallbackToken.ts';
import { forgingTokenAbi, forgingTokenBytecode } from '../../abis/test/forgingToken.ts';
import { signedTokenAbi, signedTokenBytecode } from '../../abis/test/signedToken.ts';
import { buyArgs } from './calls.ts';
import {
  type BuyOrder,
  buyOrderFor,
  byAllowance,
  byAuthorization,
  byPermit,
  deadline,
  digestOf,
  fundOrderFor,
  joinOrderFor,
  orderTypes,
  type Payment,
  paymentKinds,
  signOrder,
} from './orders.ts';
import { createCampaign, funding, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  mineAt,
  refusal,
  sent,
  sku,
  tokenAt,
  useWorld,
  type World,
  zeroAddress,
} from './support.ts';

const world = useWorld();
const guard = toFunctionSelector('ReentrancyGuardReentrantCall()');
const lowAllowance = toFunctionSelector('ERC20InsufficientAllowance(address,uint256,uint256)');
const badAuthorization = toFunctionSelector('ERC3009InvalidSignature()');
const usedAuthorization = toFunctionSelector('ERC3009UsedAuthorization(address,bytes32)');

/** The world with another token: all have it, and only the merchant has approved the contract. */
async function worldOf(w: World, abi: Abi, bytecode: Hex): Promise<World> {
  const token = tokenAt(w.client, await deploy(w.client, abi, bytecode));
  for (const account of [w.merchant, w.buyer, w.attester]) {
    await sent(w, token.write.mint([account, fortune], by(w.merchant)));
  }
  await sent(w, token.write.approve([w.commerce.address, maxUint256], by(w.merchant)));
  return { ...w, token };
}

/** The world with a token that has permits and authorizations, and an open campaign. */
async function signedWorld(): Promise<World> {
  const w = await worldOf(world(), signedTokenAbi as Abi, signedTokenBytecode);
  await openCampaign(w);
  return w;
}

/** The world with a token that accepts any authorization, and an open campaign. */
async function forgingWorld(): Promise<World> {
  const w = await worldOf(world(), forgingTokenAbi as Abi, forgingTokenBytecode);
  await openCampaign(w);
  return w;
}

const behaviours = { takes: 0, takesNothing: 1, takesHalf: 2, mints: 3, takesFromVictim: 4 };

async function behave(w: World, behaviour: number, victim: Address = zeroAddress) {
  const call = { address: w.token.address, abi: forgingTokenAbi, ...by(w.stranger) };
  const args = [behaviour, victim] as const;
  await sent(w, w.client.writeContract({ ...call, functionName: 'setBehaviour', args }));
}

async function signed(w: World, order: BuyOrder, payment: Payment) {
  const unsigned = payment.kind === paymentKinds.authorization;
  return [
    order,
    unsigned ? '0x' : await signOrder(w, 'BuyOrder', order, order.buyer),
    payment,
  ] as const;
}

async function buyFor(w: World, order: BuyOrder, payment: Payment) {
  return sent(w, w.commerce.write.buyFor(await signed(w, order, payment), by(w.stranger)));
}

async function refusedBuy(w: World, order: BuyOrder, payment: Payment) {
  const args = await signed(w, order, payment);
  return refusal(w.commerce.simulate.buyFor(args, { account: w.stranger }));
}

/** An authorization of the buyer for an order. */
function authorized(w: World, order: BuyOrder, value = order.maxAmount) {
  return byAuthorization(w, order.buyer, value, digestOf(w, 'BuyOrder', order));
}

function permitArgs(w: World, owner: Address, value: bigint, payment: Payment) {
  const { signature } = payment;
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const s: Hex = `0x${signature.slice(66, 130)}`;
  const v = Number.parseInt(signature.slice(130), 16);
  return [owner, w.commerce.address, value, payment.validBefore, v, r, s] as const;
}

/** An authorization that no one signed, as 65 bytes or as other bytes. */
function forged(bytes: number): Payment {
  const signature: Hex = `0x${'11'.repeat(bytes)}`;
  return { kind: paymentKinds.authorization, validAfter: 0n, validBefore: deadline, signature };
}

describe('a permit', () => {
  it('gives the allowance that pays, in the same transaction', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    expect((await refusedBuy(w, order, byAllowance)).error).toBe(lowAllowance);
    await buyFor(w, order, await byPermit(w, w.buyer, price));
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
    expect(await w.token.read.allowance([w.buyer, w.commerce.address])).toBe(0n);

    const fund = await fundOrderFor(w, { account: w.attester });
    const signature = await signOrder(w, 'FundOrder', fund, w.attester);
    const permit = await byPermit(w, w.attester, price);
    await sent(w, w.commerce.write.fundFor([fund, signature, permit], by(w.stranger)));
    expect(await w.token.read.balanceOf([w.attester])).toBe(fortune - price);
  });

  it('works if somebody else has used it before', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const permit = await byPermit(w, w.buyer, price);
    const call = { address: w.token.address, abi: signedTokenAbi, ...by(w.attester) };
    const args = permitArgs(w, w.buyer, price, permit);
    await sent(w, w.client.writeContract({ ...call, functionName: 'permit', args }));
    await buyFor(w, order, permit);
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
  });

  it('leaves at most the rest of what was signed, which only its signer can spend', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    await sent(w, w.commerce.write.setVariantPrice([1n, sku, price / 4n], by(w.merchant)));
    await buyFor(w, order, await byPermit(w, w.buyer, price));
    const left = price - price / 4n;
    expect(await w.token.read.allowance([w.buyer, w.commerce.address])).toBe(left);

    // Another account names the buyer, with a signature of its own.
    const theft = await buyOrderFor(w, { orderKey: hashOf('theft') });
    const signature = await signOrder(w, 'BuyOrder', theft, w.attester);
    const args = [theft, signature, byAllowance] as const;
    const refused = refusal(w.commerce.simulate.buyFor(args, { account: w.attester }));
    expect(await refused).toEqual({ error: 'InvalidSignature', values: [w.buyer] });
  });

  it('gives no consent to an order', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const permit = await byPermit(w, w.buyer, price);
    for (const signature of ['0x', permit.signature] as const) {
      const args = [order, signature, permit] as const;
      const refused = refusal(w.commerce.simulate.buyFor(args, { account: w.stranger }));
      expect(await refused).toEqual({ error: 'InvalidSignature', values: [w.buyer] });
    }
  });

  it('changes nothing if it is invalid: an allowance decides', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const permit = await byPermit(w, w.buyer, price);
    const stale = await byPermit(w, w.buyer, price, 1n);
    const foreign = await byPermit(w, w.attester, price);
    const invalid: Payment[] = [
      { ...permit, validBefore: deadline + 1n },
      { ...permit, signature: '0x' },
      { ...permit, signature: `0x${'11'.repeat(100)}` },
      stale,
      foreign,
    ];
    for (const payment of invalid) {
      expect((await refusedBuy(w, order, payment)).error).toBe(lowAllowance);
    }
    const { address } = w.commerce;
    await sent(w, w.token.write.approve([address, 5n * price], by(w.buyer)));
    for (const [index, payment] of invalid.entries()) {
      await buyFor(w, { ...order, orderKey: hashOf(`order ${index}`) }, payment);
    }
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - 5n * price);
  });

  it('fails without harm with a token that has none', async () => {
    const w = world();
    await openCampaign(w);
    const permit: Payment = { ...forged(65), kind: paymentKinds.permit };
    await buyFor(w, await buyOrderFor(w), permit);
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
  });
});

describe('an authorization', () => {
  it('pays an order and is the consent to it', async () => {
    const w = await signedWorld();
    await joinPath(w, 1n, w.nodes);
    const order = await buyOrderFor(w, { nodeId: 6n });
    const { events } = await buyFor(w, order, await authorized(w, order));
    expect(events[0]).toMatchObject({ args: { buyer: w.buyer, nodeId: 6n, amount: price } });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);

    const fund = await fundOrderFor(w, { account: w.attester });
    const digest = digestOf(w, 'FundOrder', fund);
    const payment = await byAuthorization(w, w.attester, price, digest);
    const args = [fund, '0x', payment] as const;
    await sent(w, w.commerce.write.fundFor(args, by(w.stranger)));
    expect(await w.token.read.balanceOf([w.attester])).toBe(fortune - price);
    const again = await refusal(w.commerce.simulate.fundFor(args, { account: w.stranger }));
    expect(again).toEqual({ error: 'OrderUsed', values: [digest] });
  });

  it('opens a campaign only for its merchant', async () => {
    const w = await worldOf(world(), signedTokenAbi as Abi, signedTokenBytecode);
    await createCampaign(w);
    for (const account of [w.buyer, w.merchant]) {
      const fund = await fundOrderFor(w, { account });
      const digest = digestOf(w, 'FundOrder', fund);
      const args = [fund, '0x', await byAuthorization(w, account, price, digest)] as const;
      const call = w.commerce.simulate.fundFor(args, { account: w.stranger });
      if (account === w.merchant) await call;
      else expect(await refusal(call)).toEqual({ error: 'NotMerchant', values: [1n, account] });
    }
  });

  it('fails if an attacker changes any field of the order', async () => {
    const w = await signedWorld();
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes);
    const order = await buyOrderFor(w, { nodeId: 6n });
    const payment = await authorized(w, order);
    const changes: { [field in keyof BuyOrder]: [Partial<BuyOrder>, error: string] } = {
      campaignId: [await buyOrderFor(w, { campaignId: 2n }), badAuthorization],
      termsHash: [{ termsHash: hashOf('terms') }, 'WrongTerms'],
      buyer: [{ buyer: w.attester }, badAuthorization],
      nodeId: [{ nodeId: 5n, nodeOwner: w.nodes[4] }, badAuthorization],
      nodeOwner: [{ nodeOwner: w.nodes[4] }, 'WrongNodeOwner'],
      skuHash: [{ skuHash: hashOf('another') }, badAuthorization],
      orderKey: [{ orderKey: hashOf('another') }, badAuthorization],
      maxAmount: [{ maxAmount: price + 1n }, 'PriceChanged'],
      minPolicyVersion: [{ minPolicyVersion: 0 }, badAuthorization],
      deadline: [{ deadline: deadline + 1n }, badAuthorization],
    };
    const another = [1n, hashOf('another'), price] as const;
    await sent(w, w.commerce.write.setVariantPrice(another, by(w.merchant)));
    expect(Object.keys(changes)).toEqual(orderTypes.BuyOrder.map(({ name }) => name));
    for (const [field, [change, error]] of Object.entries(changes)) {
      const refused = await refusedBuy(w, { ...order, ...change }, payment);
      expect([field, refused.error]).toEqual([field, error]);
    }
    await buyFor(w, order, payment);
  });

  it('fails if an attacker changes any part of it', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const payment = await authorized(w, order);
    const digest = digestOf(w, 'BuyOrder', order);
    const attacker = await byAuthorization(w, w.buyer, price, digest, w.attester);
    const cases: [Payment, error: string][] = [
      [{ ...payment, validAfter: 1n }, badAuthorization],
      [{ ...payment, validBefore: deadline - 1n }, badAuthorization],
      [await authorized(w, order, price - 1n), badAuthorization],
      [await byAuthorization(w, w.buyer, price, hashOf('nonce')), badAuthorization],
      [attacker, badAuthorization],
      [{ ...payment, signature: '0x' }, badAuthorization],
      [{ ...payment, signature: `${payment.signature}00` }, badAuthorization],
    ];
    for (const [changed, error] of cases) {
      expect((await refusedBuy(w, order, changed)).error).toBe(error);
    }
  });

  it('works for the contract alone, and only in the call that names its order', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const payment = await authorized(w, order);
    const [, , , , v, r, s] = permitArgs(w, w.buyer, price, payment);
    const { validAfter, validBefore } = payment;
    const nonce = digestOf(w, 'BuyOrder', order);
    const args = [w.buyer, w.commerce.address, price, validAfter, validBefore, nonce] as const;
    const token = { address: w.token.address, abi: signedTokenAbi, account: w.attester };
    for (const functionName of ['receiveWithAuthorization', 'transferWithAuthorization'] as const) {
      const call = { ...token, functionName, args: [...args, v, r, s] } as const;
      const { error } = await refusal(w.client.simulateContract(call));
      expect([functionName, error]).toEqual([
        functionName,
        functionName === 'receiveWithAuthorization'
          ? 'ERC20InvalidReceiver'
          : 'ERC3009InvalidSignature',
      ]);
    }
    await buyFor(w, order, payment);
    expect((await refusedBuy(w, order, payment)).error).toBe('OrderKeyUsed');
  });

  it('fails if its nonce was used, or its time is over', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w, { deadline: 2n * deadline });
    const fund = await fundOrderFor(w, { deadline: 2n * deadline });
    const digest = digestOf(w, 'FundOrder', fund);
    const payment = await byAuthorization(w, w.merchant, price, digest);
    const late = toFunctionSelector('ERC3009InvalidAuthorizationTime(uint256,uint256)');
    const again = { ...payment, validAfter: 0n };
    await sent(w, w.commerce.write.fundFor([fund, '0x', payment], by(w.stranger)));
    const cancelled = await authorized(w, order);
    const cancel = await w.client.signTypedData({
      account: w.buyer,
      domain: {
        name: 'Signed Dollar',
        version: '1',
        chainId: w.client.chain.id,
        verifyingContract: w.token.address,
      },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: w.buyer, nonce: digestOf(w, 'BuyOrder', order) },
    });
    const [, , , , v, r, s] = permitArgs(w, w.buyer, price, { ...again, signature: cancel });
    const call = { address: w.token.address, abi: signedTokenAbi, ...by(w.stranger) };
    const args = [w.buyer, digestOf(w, 'BuyOrder', order), v, r, s] as const;
    await sent(w, w.client.writeContract({ ...call, functionName: 'cancelAuthorization', args }));
    expect((await refusedBuy(w, order, cancelled)).error).toBe(usedAuthorization);

    const other = { ...order, orderKey: hashOf('another order') };
    await mineAt(w, deadline);
    expect((await refusedBuy(w, other, await authorized(w, other))).error).toBe(late);
  });

  it('pays exactly the price', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const payment = await authorized(w, order);
    const setPrice = (amount: bigint) =>
      sent(w, w.commerce.write.setVariantPrice([1n, sku, amount], by(w.merchant)));
    await setPrice(price - 1n);
    const changed = { error: 'PriceChanged', values: [price - 1n, price] };
    expect(await refusedBuy(w, order, payment)).toEqual(changed);
    await setPrice(price + 1n);
    const above = { error: 'PriceAboveMax', values: [price + 1n, price] };
    expect(await refusedBuy(w, order, payment)).toEqual(above);
    await setPrice(price);
    await buyFor(w, order, payment);
  });

  it('comes without a signature of the order', async () => {
    const w = await signedWorld();
    const order = await buyOrderFor(w);
    const signature = await signOrder(w, 'BuyOrder', order, w.buyer);
    const args = [order, signature, await authorized(w, order)] as const;
    const refused = { error: 'UnexpectedOrderSignature', values: [] };
    const as = { account: w.stranger };
    expect(await refusal(w.commerce.simulate.buyFor(args, as))).toEqual(refused);
    const fund = [await fundOrderFor(w), signature, args[2]] as const;
    expect(await refusal(w.commerce.simulate.fundFor(fund, as))).toEqual(refused);
  });

  it('counts if a wallet that is a contract signed it (ERC-1271)', async () => {
    const w = await signedWorld();
    const wallet = await deploy(w.client, contractWalletAbi, contractWalletBytecode);
    await sent(w, w.token.write.mint([wallet, fortune], by(w.merchant)));
    const order = await buyOrderFor(w, { buyer: wallet });
    const digest = digestOf(w, 'BuyOrder', order);
    const byOwner = await byAuthorization(w, wallet, price, digest, w.merchant);
    // The form of 65 bytes recovers an address, which is never that of a contract.
    expect((await refusedBuy(w, order, byOwner)).error).toBe(badAuthorization);
    const foreign = await byAuthorization(w, wallet, price, digest, w.attester);
    expect((await refusedBuy(w, order, foreign)).error).toBe(badAuthorization);
    // Any other length reaches the wallet: this one refuses it, and the next one accepts it.
    const longer: Payment = { ...byOwner, signature: `${byOwner.signature}00` };
    expect((await refusedBuy(w, order, longer)).error).toBe(badAuthorization);
    await acceptAll(w, wallet);
    await buyFor(w, order, longer);
    expect(await w.token.read.balanceOf([wallet])).toBe(fortune - price);
  });

  it('fails with a token that has none', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    for (const bytes of [0, 64, 65, 100]) {
      await expect(
        w.commerce.simulate.buyFor([order, '0x', forged(bytes)], { account: w.stranger }),
      ).rejects.toThrow('reverted');
    }
  });
});

/** Lets a wallet accept every signature: `isValidSignature` returns its selector. */
async function acceptAll(w: World, address: Address): Promise<void> {
  // PUSH4 0x1626ba7e PUSH1 0xe0 SHL PUSH0 MSTORE PUSH1 0x20 PUSH0 RETURN
  await w.client.setCode({ address, bytecode: '0x631626ba7e60e01b5f5260205ff3' });
}

describe('a token that accepts any authorization', () => {
  it('makes no one a buyer if its fallback accepts what it does not know', async () => {
    const w = await worldOf(world(), fallbackTokenAbi as Abi, fallbackTokenBytecode);
    await openCampaign(w);
    const order = await buyOrderFor(w);
    const nothing = { error: 'NothingReceived', values: [w.token.address] };
    for (const bytes of [65, 100]) {
      expect(await refusedBuy(w, order, forged(bytes))).toEqual(nothing);
      const fund = await fundOrderFor(w);
      const args = [fund, '0x', forged(bytes)] as const;
      const refused = refusal(w.commerce.simulate.fundFor(args, { account: w.stranger }));
      expect(await refused).toEqual(nothing);
    }
    // Its permit does nothing either, so only an allowance pays.
    const permit: Payment = { ...forged(65), kind: paymentKinds.permit };
    expect((await refusedBuy(w, order, permit)).error).toBe(lowAllowance);
    await sent(w, w.token.write.approve([w.commerce.address, price], by(w.buyer)));
    await buyFor(w, order, permit);
  });

  it('makes no one a buyer unless it takes from that account what arrives', async () => {
    const w = await forgingWorld();
    const order = await buyOrderFor(w);
    const { address } = w.token;
    const notPaid = { error: 'NotPaidBy', values: [address, w.buyer] };
    const cases = [
      [behaviours.takesNothing, { error: 'NothingReceived', values: [address] }],
      [behaviours.mints, notPaid],
      [behaviours.takesFromVictim, notPaid],
    ] as const;
    for (const [behaviour, expected] of cases) {
      await behave(w, behaviour, w.attester);
      for (const bytes of [65, 100]) {
        expect(await refusedBuy(w, order, forged(bytes))).toEqual(expected);
        const fund = await fundOrderFor(w, { account: w.buyer });
        const args = [fund, '0x', forged(bytes)] as const;
        const refused = refusal(w.commerce.simulate.fundFor(args, { account: w.stranger }));
        expect(await refused).toEqual(expected);
      }
    }
  });

  it('pays as much as arrives', async () => {
    const w = await forgingWorld();
    await behave(w, behaviours.takesHalf);
    await buyFor(w, await buyOrderFor(w), forged(65));
    expect(await w.commerce.read.sale([1n])).toMatchObject({ amount: price / 2n });
    const { address } = w.token;
    expect(await w.commerce.read.obligationsOf([address])).toBe(funding + price / 2n);
    expect(await w.token.read.balanceOf([w.commerce.address])).toBe(funding + price / 2n);
  });

  it('forges in campaigns of that token alone', async () => {
    const w = await forgingWorld();
    await openCampaign(world());
    await buyFor(w, await buyOrderFor(w), forged(65));
    expect(await w.commerce.read.sale([1n])).toMatchObject({ campaignId: 1n, buyer: w.buyer });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);

    const honest = world().token;
    const order = await buyOrderFor(w, { campaignId: 2n });
    for (const bytes of [65, 100]) {
      const args = [order, '0x', forged(bytes)] as const;
      await expect(w.commerce.simulate.buyFor(args, { account: w.stranger })).rejects.toThrow(
        'reverted',
      );
    }
    expect(await honest.read.balanceOf([w.buyer])).toBe(fortune);
    expect(await w.commerce.read.obligationsOf([honest.address])).toBe(funding);
  });

  it('fails to call back into any order while it is asked for a permit or an authorization', async () => {
    const w = await forgingWorld();
    await sent(w, w.token.write.approve([w.commerce.address, maxUint256], by(w.buyer)));
    const abi = referralCommerceAbi;
    const again = await buyOrderFor(w, { orderKey: hashOf('again') });
    const fund = await fundOrderFor(w, { salt: hashOf('again') });
    const join = await joinOrderFor(w);
    const signedAgain = await signed(w, again, byAllowance);
    const ofFund = await signOrder(w, 'FundOrder', fund, w.merchant);
    const ofJoin = await signOrder(w, 'JoinOrder', join, join.account);
    const encode = encodeFunctionData;
    const calls: Hex[] = [
      encode({ abi, functionName: 'buyFor', args: signedAgain }),
      encode({ abi, functionName: 'fundFor', args: [fund, ofFund, byAllowance] }),
      encode({ abi, functionName: 'joinFor', args: [join, ofJoin] }),
      encode({ abi, functionName: 'buy', args: await buyArgs(w, {}) }),
    ];
    const forgedPermit: Payment = { ...forged(65), kind: paymentKinds.permit };
    const token = { address: w.token.address, abi: forgingTokenAbi };
    let orders = 0;
    for (const data of calls) {
      for (const payment of [forgedPermit, forged(65), forged(100), byAllowance]) {
        const arm = { functionName: 'arm', args: [w.commerce.address, data] } as const;
        await sent(w, w.client.writeContract({ ...token, ...arm, ...by(w.stranger) }));
        await buyFor(w, await buyOrderFor(w, { orderKey: hashOf(`order ${++orders}`) }), payment);
        const answer = await w.client.readContract({ ...token, functionName: 'answer' });
        expect(answer).toBe(guard);
      }
    }
    expect(await w.commerce.read.saleCount()).toBe(orders);
    expect(await w.commerce.read.nodeCount()).toBe(0);
    const expected = funding + BigInt(orders) * price;
    expect(await w.token.read.balanceOf([w.commerce.address])).toBe(expected);
    expect(await w.commerce.read.obligationsOf([w.token.address])).toBe(expected);
  });
});
