import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi, referralCommerceBytecode } from '../../abis/index.ts';
import { contractWalletAbi, contractWalletBytecode } from '../../abis/test/contractWallet.ts';
import { buyArgs, termsOf, zeroHash } from './calls.ts';
import {
  type BuyOrder,
  buyOrderFor,
  byAllowance,
  deadline,
  digestOf,
  type FundOrder,
  fundOrderFor,
  type JoinOrder,
  joinOrderFor,
  type Order,
  type OrderType,
  orderTypes,
  paymentKinds,
  signOrder,
} from './orders.ts';
import { createCampaign, funding, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  commerceAt,
  day,
  deploy,
  fortune,
  genesisTime,
  hashOf,
  hour,
  maxUint256,
  mineAt,
  nextAt,
  refusal,
  sent,
  sku,
  states,
  trustModes,
  useWorld,
  type World,
  zeroAddress,
} from './support.ts';

const world = useWorld();

/** Has a stranger send an order to buy; its buyer signs it, or the account given. */
async function buyFor(w: World, order: BuyOrder, signer: Address = order.buyer) {
  const signature = await signOrder(w, 'BuyOrder', order, signer);
  return sent(w, w.commerce.write.buyFor([order, signature, byAllowance], by(w.stranger)));
}

async function joinFor(w: World, order: JoinOrder) {
  const signature = await signOrder(w, 'JoinOrder', order, order.account);
  return sent(w, w.commerce.write.joinFor([order, signature], by(w.stranger)));
}

async function fundFor(w: World, order: FundOrder) {
  const signature = await signOrder(w, 'FundOrder', order, order.account);
  return sent(w, w.commerce.write.fundFor([order, signature, byAllowance], by(w.stranger)));
}

/** Why an order to buy is refused that comes with a signature of another, or its own. */
async function refusedBuy(w: World, order: BuyOrder, signature?: Hex) {
  const given = signature ?? (await signOrder(w, 'BuyOrder', order, order.buyer));
  const args = [order, given, byAllowance] as const;
  return refusal(w.commerce.simulate.buyFor(args, { account: w.stranger }));
}

async function refusedJoin(w: World, order: JoinOrder, signature?: Hex) {
  const given = signature ?? (await signOrder(w, 'JoinOrder', order, order.account));
  return refusal(w.commerce.simulate.joinFor([order, given], { account: w.stranger }));
}

async function refusedFund(w: World, order: FundOrder, signature?: Hex) {
  const given = signature ?? (await signOrder(w, 'FundOrder', order, order.account));
  const args = [order, given, byAllowance] as const;
  return refusal(w.commerce.simulate.fundFor(args, { account: w.stranger }));
}

/** The order with one field changed by an attacker, for each of its fields. */
function changedOrders<T extends Order>(order: T, attacker: Address): [string, T][] {
  return Object.entries(order).map(([field, value]) => {
    if (typeof value === 'bigint') return [field, { ...order, [field]: value + 1n }];
    if (typeof value === 'number') return [field, { ...order, [field]: value - 1 }];
    const address = value.length === attacker.length;
    return [field, { ...order, [field]: address ? attacker : hashOf('another') }];
  });
}

/** A wallet that is a contract, with tokens and an allowance, and whose owner is the merchant. */
async function contractWallet(w: World): Promise<Address> {
  const wallet = await deploy(w.client, contractWalletAbi, contractWalletBytecode);
  await sent(w, w.token.write.mint([wallet, fortune], by(w.merchant)));
  await w.client.impersonateAccount({ address: wallet });
  await w.client.setBalance({ address: wallet, value: 10n ** 18n });
  await sent(w, w.token.write.approve([w.commerce.address, maxUint256], by(wallet)));
  await w.client.stopImpersonatingAccount({ address: wallet });
  return wallet;
}

/** Expects that orders which differ in one field, of each field one, are not what their signer has signed. */
async function expectEachFieldSigned<O>(
  type: OrderType,
  changed: readonly (readonly [field: string, forged: O])[],
  attempt: (forged: O) => Promise<{ readonly refused: unknown; readonly signer: Address }>,
): Promise<void> {
  expect(changed.map(([field]) => field)).toEqual(orderTypes[type].map(({ name }) => name));
  for (const [field, forged] of changed) {
    const { refused, signer } = await attempt(forged);
    expect([field, refused]).toEqual([field, { error: 'InvalidSignature', values: [signer] }]);
  }
}

describe('an order to buy', () => {
  it('records the same sale as a purchase of the buyer itself', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes);
    const own = await buyArgs(w, { nodeId: 6n, maxAmount: price, minPolicyVersion: 1 });
    const snapshot = await w.client.snapshot();
    const time = genesisTime + hour;
    await nextAt(w, time);
    const expected = await sent(w, w.commerce.write.buy(own, by(w.buyer)));
    const expectedSale = await w.commerce.read.sale([1n]);
    await w.client.revert({ id: snapshot });

    await nextAt(w, time);
    const { events } = await buyFor(w, await buyOrderFor(w, { nodeId: 6n }));
    expect(events).toEqual(expected.events);
    expect(await w.commerce.read.sale([1n])).toEqual(expectedSale);
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
    expect(await w.commerce.read.obligationsOf([w.token.address])).toBe(funding + price);
  });

  it('fails if an attacker changes any of its fields', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes);
    const order = await buyOrderFor(w, { nodeId: 6n });
    const signature = await signOrder(w, 'BuyOrder', order, w.buyer);
    await expectEachFieldSigned('BuyOrder', changedOrders(order, w.attester), async (forged) => ({
      refused: await refusedBuy(w, forged, signature),
      signer: forged.buyer,
    }));
    await buyFor(w, order);
  });

  it('fails if it was signed for another contract, chain, version or name', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    const invalid = { error: 'InvalidSignature', values: [w.buyer] };
    for (const domain of [
      { verifyingContract: w.token.address },
      { chainId: 1 },
      { version: '2' },
      { name: 'Distributary' },
    ]) {
      const signature = await signOrder(w, 'BuyOrder', order, w.buyer, domain);
      expect([domain, await refusedBuy(w, order, signature)]).toEqual([domain, invalid]);
    }
    const address = await deploy(w.client, referralCommerceAbi, referralCommerceBytecode);
    const twin: World = { ...w, commerce: commerceAt(w.client, address) };
    const signature = await signOrder(w, 'BuyOrder', order, w.buyer);
    expect(await refusedBuy(twin, order, signature)).toEqual(invalid);
  });

  it('fails if its type is taken for another', async () => {
    const w = world();
    await openCampaign(w);
    const fund = await fundOrderFor(w);
    const join = await joinOrderFor(w, { account: w.merchant });
    const error = { error: 'InvalidSignature', values: [w.merchant] };
    const ofFund = await signOrder(w, 'FundOrder', fund, w.merchant);
    const ofJoin = await signOrder(w, 'JoinOrder', join, w.merchant);
    expect(await refusedJoin(w, join, ofFund)).toEqual(error);
    expect(await refusedFund(w, fund, ofJoin)).toEqual(error);
  });

  it('works up to and including its deadline', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    await mineAt(w, deadline + 1n);
    const expired = { error: 'OrderExpired', values: [deadline, deadline + 1n] };
    expect(await refusedBuy(w, order)).toEqual(expired);
    expect(await refusedJoin(w, await joinOrderFor(w))).toEqual(expired);
    expect(await refusedFund(w, await fundOrderFor(w))).toEqual(expired);

    const later = deadline + 10n;
    await nextAt(w, later);
    const { timestamp } = await buyFor(w, { ...order, deadline: later });
    expect(timestamp).toBe(later);
  });

  it('accepts the latest deadline that there is', async () => {
    const w = world();
    await openCampaign(w);
    await buyFor(w, await buyOrderFor(w, { deadline: 2n ** 64n - 1n }));
  });

  it('works once, and only if the buyer has not used its key', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    const used = { error: 'OrderKeyUsed', values: [1n, w.buyer, order.orderKey] };
    await buyFor(w, order);
    expect(await refusedBuy(w, order)).toEqual(used);
    expect(await refusedBuy(w, { ...order, deadline: deadline + 1n })).toEqual(used);
    const own = await buyArgs(w, {});
    expect(await refusal(w.commerce.simulate.buy(own, { account: w.buyer }))).toEqual(used);

    const orderKey = hashOf('another order');
    await sent(w, w.commerce.write.buy(await buyArgs(w, { orderKey }), by(w.buyer)));
    expect((await refusedBuy(w, { ...order, orderKey })).error).toBe('OrderKeyUsed');
  });

  it('pays a lower price, and never a higher one than was signed', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    await sent(w, w.commerce.write.setVariantPrice([1n, sku, price + 1n], by(w.merchant)));
    const above = { error: 'PriceAboveMax', values: [price + 1n, price] };
    expect(await refusedBuy(w, order)).toEqual(above);
    await sent(w, w.commerce.write.setVariantPrice([1n, sku, price - 1n], by(w.merchant)));
    await buyFor(w, order);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ amount: price - 1n });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price + 1n);
  });

  it('fails under a policy that is older than the buyer accepts', async () => {
    const w = world();
    await openCampaign(w);
    expect(await refusedBuy(w, await buyOrderFor(w, { minPolicyVersion: 2 }))).toEqual({
      error: 'PolicyTooOld',
      values: [1n, 1, 2],
    });
  });

  it('fails for a variant without a price, and a node of another owner', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, [w.nodes[0]]);
    const skuHash = hashOf('unknown');
    expect(await refusedBuy(w, await buyOrderFor(w, { skuHash }))).toEqual({
      error: 'UnknownSku',
      values: [1n, skuHash],
    });
    const foreign = await buyOrderFor(w, { nodeId: 1n, nodeOwner: w.nodes[1] });
    expect(await refusedBuy(w, foreign)).toEqual({
      error: 'WrongNodeOwner',
      values: [1n, w.nodes[1], w.nodes[0]],
    });
    expect(await refusedBuy(w, await buyOrderFor(w, { termsHash: zeroHash }))).toEqual({
      error: 'WrongTerms',
      values: [1n, zeroHash, await termsOf(w, 1n)],
    });
  });

  it('fails in every state in which the campaign does not sell', async () => {
    const w = world();
    const { write } = w.commerce;
    const later = { startsAt: genesisTime + day };
    await createCampaign(w);
    for (const input of [{}, {}, { saleCapacity: 0n }, later]) await openCampaign(w, input);
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await sent(w, write.pause([2n], by(w.merchant)));
    await sent(w, write.end([3n], by(w.merchant)));
    const refused = async (campaignId: bigint) =>
      refusedBuy(w, await buyOrderFor(w, { campaignId }));
    const inState = (campaignId: bigint, state: number) => ({
      error: 'WrongState',
      values: [campaignId, state],
    });
    expect(await refused(1n)).toEqual(inState(1n, states.unfunded));
    expect(await refused(2n)).toEqual(inState(2n, states.paused));
    expect(await refused(3n)).toEqual(inState(3n, states.ended));
    expect(await refused(4n)).toEqual({ error: 'SaleCapacityReached', values: [4n, 0n] });
    expect(await refused(5n)).toEqual({ error: 'NotStarted', values: [5n, later.startsAt] });
    expect(await refused(6n)).toEqual({
      error: 'WrongTrustMode',
      values: [6n, trustModes.merchantAttested],
    });
    expect(await refused(7n)).toEqual({ error: 'UnknownCampaign', values: [7n] });
  });

  it('fails for the owner of a node that it would reward, if the policy says so', async () => {
    const w = world();
    await openCampaign(w, {}, { excludesSelfReferral: true });
    await joinPath(w, 1n, [w.buyer, w.nodes[0]]);
    expect(await refusedBuy(w, await buyOrderFor(w, { nodeId: 2n }))).toEqual({
      error: 'SelfReferral',
      values: [1n, w.buyer, 1n],
    });
    // The account that sends the order is no party of it.
    const order = await buyOrderFor(w, { nodeId: 2n, buyer: w.attester });
    const signature = await signOrder(w, 'BuyOrder', order, w.attester);
    await sent(w, w.commerce.write.buyFor([order, signature, byAllowance], by(w.buyer)));
  });

  it('rejects the zero address and the contract as signers, however they pay', async () => {
    const w = world();
    await openCampaign(w);
    const signatures: Hex[] = ['0x', `0x${'00'.repeat(65)}`, `0x${'11'.repeat(64)}1b`];
    for (const account of [zeroAddress, w.commerce.address]) {
      const invalid = { error: 'InvalidSignature', values: [account] };
      const buy = await buyOrderFor(w, { buyer: account });
      const join = await joinOrderFor(w, { account });
      const fund = await fundOrderFor(w, { account });
      for (const signature of signatures) {
        expect(await refusedJoin(w, join, signature)).toEqual(invalid);
        for (const kind of Object.values(paymentKinds)) {
          const payment = { ...byAllowance, kind, signature };
          const as = { account: w.stranger };
          const given = kind === paymentKinds.authorization ? '0x' : signature;
          const { simulate } = w.commerce;
          expect(await refusal(simulate.buyFor([buy, given, payment], as))).toEqual(invalid);
          expect(await refusal(simulate.fundFor([fund, given, payment], as))).toEqual(invalid);
        }
      }
    }
  });
});

describe('the signature of an order', () => {
  it('counts if it is that of a wallet that is a contract (ERC-1271)', async () => {
    const w = world();
    await openCampaign(w);
    const wallet = await contractWallet(w);
    await buyFor(w, await buyOrderFor(w, { buyer: wallet }), w.merchant);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ buyer: wallet, amount: price });
    expect(await w.token.read.balanceOf([wallet])).toBe(fortune - price);

    const join = await joinOrderFor(w, { account: wallet });
    const ofJoin = await signOrder(w, 'JoinOrder', join, w.merchant);
    await sent(w, w.commerce.write.joinFor([join, ofJoin], by(w.stranger)));
    expect(await w.commerce.read.node([1n])).toMatchObject({ owner: wallet });

    const fund = await fundOrderFor(w, { account: wallet });
    const ofFund = await signOrder(w, 'FundOrder', fund, w.merchant);
    await sent(w, w.commerce.write.fundFor([fund, ofFund, byAllowance], by(w.stranger)));
    expect(await w.token.read.balanceOf([wallet])).toBe(fortune - 2n * price);

    const foreign = await buyOrderFor(w, { buyer: wallet, orderKey: hashOf('foreign') });
    const signature = await signOrder(w, 'BuyOrder', foreign, w.attester);
    expect(await refusedBuy(w, foreign, signature)).toEqual({
      error: 'InvalidSignature',
      values: [wallet],
    });
  });

  it('counts if it is that of an account with code (EIP-7702), by its key or by its code', async () => {
    const w = world();
    await openCampaign(w);
    const account = privateKeyToAccount(generatePrivateKey());
    const { address } = account;
    const wallet = await deploy(w.client, contractWalletAbi, contractWalletBytecode);
    await w.client.setCode({ address, bytecode: `0xef0100${wallet.slice(2)}` });
    await sent(w, w.token.write.mint([address, fortune], by(w.merchant)));
    await w.client.impersonateAccount({ address });
    await w.client.setBalance({ address, value: 10n ** 18n });
    await sent(w, w.token.write.approve([w.commerce.address, maxUint256], by(address)));

    const first = await buyOrderFor(w, { buyer: address });
    const byKey = await account.sign({ hash: digestOf(w, 'BuyOrder', first) });
    await sent(w, w.commerce.write.buyFor([first, byKey, byAllowance], by(w.stranger)));
    await buyFor(w, { ...first, orderKey: hashOf('by code') }, w.merchant);
    expect(await w.token.read.balanceOf([address])).toBe(fortune - 2n * price);
    expect(await w.commerce.read.sale([2n])).toMatchObject({ buyer: address });
  });

  it('fails if it is empty, cut, too long or of another account', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyOrderFor(w);
    const whole = await signOrder(w, 'BuyOrder', order, w.buyer);
    const foreign = await signOrder(w, 'BuyOrder', order, w.stranger);
    for (const signature of ['0x', whole.slice(0, -2), `${whole}00`, foreign] as Hex[]) {
      expect(await refusedBuy(w, order, signature)).toEqual({
        error: 'InvalidSignature',
        values: [w.buyer],
      });
    }
  });
});

describe('an order to join', () => {
  it('makes its signer the owner of a node', async () => {
    const w = world();
    await createCampaign(w);
    await joinFor(w, await joinOrderFor(w));
    const { events } = await joinFor(
      w,
      await joinOrderFor(w, { account: w.nodes[1], parentNodeId: 1n }),
    );
    const joined = { campaignId: 1n, nodeId: 2n, parentNodeId: 1n, owner: w.nodes[1] };
    expect(events).toEqual([{ name: 'NodeJoined', args: joined }]);
    expect(await w.commerce.read.nodeCountOf([1n, w.nodes[1]])).toBe(1n);
    expect(await w.commerce.read.nodeCountOf([1n, w.stranger])).toBe(0n);
  });

  it('fails if an attacker changes any of its fields', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w);
    await joinPath(w, 1n, w.nodes);
    const order = await joinOrderFor(w, { parentNodeId: 6n });
    const signature = await signOrder(w, 'JoinOrder', order, order.account);
    await expectEachFieldSigned('JoinOrder', changedOrders(order, w.attester), async (forged) => ({
      refused: await refusedJoin(w, forged, signature),
      signer: forged.account,
    }));
    await joinFor(w, order);
  });

  it('works once; with another salt it is another order', async () => {
    const w = world();
    await createCampaign(w);
    const order = await joinOrderFor(w);
    const digest = digestOf(w, 'JoinOrder', order);
    expect(await w.commerce.read.isOrderUsed([digest])).toBe(false);
    await joinFor(w, order);
    expect(await w.commerce.read.isOrderUsed([digest])).toBe(true);
    expect(await refusedJoin(w, order)).toEqual({ error: 'OrderUsed', values: [digest] });
    await joinFor(w, { ...order, salt: hashOf('another salt') });
    expect(await w.commerce.read.nodeCountOf([1n, order.account])).toBe(2n);
  });

  it('opens an invite-only campaign only to an account that the merchant allows', async () => {
    const w = world();
    await createCampaign(w, { inviteOnly: true });
    const order = await joinOrderFor(w);
    const { write } = w.commerce;
    await sent(w, write.allowDistributor([1n, w.stranger, true], by(w.merchant)));
    const refused = { error: 'DistributorNotAllowed', values: [1n, order.account] };
    expect(await refusedJoin(w, order)).toEqual(refused);
    await sent(w, write.allowDistributor([1n, order.account, true], by(w.merchant)));
    await joinFor(w, order);
  });

  it('obeys the capacity, the limit of nodes of its signer, and the state', async () => {
    const w = world();
    const { write } = w.commerce;
    await createCampaign(w, { nodeCapacity: 0n });
    await createCampaign(w, { nodesPerAccount: 1 });
    await createCampaign(w);
    await createCampaign(w);
    await sent(w, write.pause([3n], by(w.merchant)));
    await sent(w, write.end([4n], by(w.merchant)));
    const account = w.nodes[0];
    const refused = async (campaignId: bigint) =>
      refusedJoin(w, await joinOrderFor(w, { campaignId, salt: hashOf('another salt') }));
    expect(await refused(1n)).toEqual({ error: 'NodeCapacityReached', values: [1n, 0n] });
    await joinFor(w, await joinOrderFor(w, { campaignId: 2n }));
    expect(await refused(2n)).toEqual({
      error: 'NodesPerAccountReached',
      values: [2n, account, 1],
    });
    expect(await refused(3n)).toEqual({ error: 'WrongState', values: [3n, states.paused] });
    expect(await refused(4n)).toEqual({ error: 'WrongState', values: [4n, states.ended] });
  });
});

describe('an order to fund', () => {
  it('puts the tokens of its signer into the vault', async () => {
    const w = world();
    await openCampaign(w);
    const { events } = await fundFor(w, await fundOrderFor(w, { account: w.buyer }));
    const funded = { campaignId: 1n, account: w.buyer, amount: price };
    expect(events).toEqual([{ name: 'CampaignFunded', args: funded }]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      netDeposited: funding + price,
      available: funding + price,
    });
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune - price);
    expect(await w.commerce.read.obligationsOf([w.token.address])).toBe(funding + price);
  });

  it('fails if an attacker changes any of its fields', async () => {
    const w = world();
    await openCampaign(w);
    await openCampaign(w);
    const order = await fundOrderFor(w);
    const signature = await signOrder(w, 'FundOrder', order, order.account);
    await expectEachFieldSigned('FundOrder', changedOrders(order, w.attester), async (forged) => ({
      refused: await refusedFund(w, forged, signature),
      signer: forged.account,
    }));
    await fundFor(w, order);
  });

  it('opens a campaign only if the merchant signed it', async () => {
    const w = world();
    await createCampaign(w);
    const foreign = await fundOrderFor(w, { account: w.buyer });
    expect(await refusedFund(w, foreign)).toEqual({
      error: 'NotMerchant',
      values: [1n, w.buyer],
    });
    await fundFor(w, await fundOrderFor(w));
    expect(await w.commerce.read.campaignState([1n])).toBe(states.active);
    await fundFor(w, foreign);
  });

  it('works once; with another salt it is another order', async () => {
    const w = world();
    await openCampaign(w);
    const order = await fundOrderFor(w);
    const digest = digestOf(w, 'FundOrder', order);
    await fundFor(w, order);
    expect(await w.commerce.read.isOrderUsed([digest])).toBe(true);
    expect(await refusedFund(w, order)).toEqual({ error: 'OrderUsed', values: [digest] });
    await fundFor(w, { ...order, salt: hashOf('another salt') });
    const ledger = await w.commerce.read.campaignLedger([1n]);
    expect(ledger.netDeposited).toBe(funding + 2n * price);
  });

  it('fails if it is of nothing, of other terms, or of more than the signer has', async () => {
    const w = world();
    await openCampaign(w);
    expect(await refusedFund(w, await fundOrderFor(w, { amount: 0n }))).toEqual({
      error: 'ZeroAmount',
      values: [],
    });
    expect((await refusedFund(w, await fundOrderFor(w, { termsHash: zeroHash }))).error).toBe(
      'WrongTerms',
    );
    const digest = digestOf(w, 'FundOrder', await fundOrderFor(w, { amount: 2n * fortune }));
    const order = await fundOrderFor(w, { amount: 2n * fortune });
    // The error of the token, which the protocol does not know.
    expect((await refusedFund(w, order)).error).toMatch(/^0x/);
    expect(await w.commerce.read.isOrderUsed([digest])).toBe(false);
  });
});
