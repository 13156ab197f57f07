import { type Address, encodeFunctionData, type Hex, type TransactionReceipt } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { receiptOf } from '../support/chain.ts';
import { buyArgs, fundArgs, joinArgs, refOf, termsOf, zeroHash } from './calls.ts';
import {
  type Attestation,
  attestationFor,
  type CampaignInput,
  createCampaign,
  funding,
  inputFor,
  joinPath,
  noLimits,
  openCampaign,
  policyFor,
  price,
  signRefund,
  signReversal,
  signSale,
} from './scenes.ts';
import {
  by,
  fortune,
  hashOf,
  maxUint256,
  nextAt,
  now,
  refusal,
  saleStatuses,
  sent,
  trustModes,
  useWorld,
  type World,
  zeroAddress,
} from './support.ts';

const world = useWorld();
const abi = referralCommerceAbi;
const mnemonic = 'test test test test test test test test test test test junk';

/** A transaction that its account signed once, and that anyone may send again after a reorg. */
async function sign(w: World, account: Address, data: Hex, ahead = 0): Promise<Hex> {
  const accounts = await w.client.getAddresses();
  const signer = mnemonicToAccount(mnemonic, { addressIndex: accounts.indexOf(account) });
  return signer.signTransaction({
    type: 'eip1559',
    chainId: w.client.chain.id,
    to: w.commerce.address,
    data,
    nonce: (await w.client.getTransactionCount({ address: account })) + ahead,
    gas: 2_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
}

/** Mines signed transactions, a block each; returns how each ended. */
async function mine({ client }: World, raws: readonly Hex[]): Promise<TransactionReceipt[]> {
  const receipts: TransactionReceipt[] = [];
  for (const serializedTransaction of raws) {
    const hash = await client.sendRawTransaction({ serializedTransaction });
    receipts.push(await receiptOf(client, hash));
  }
  return receipts;
}

async function mineAll(w: World, raws: readonly Hex[]): Promise<void> {
  const receipts = await mine(w, raws);
  expect(receipts.map(({ status }) => status)).toEqual(raws.map(() => 'success'));
}

/** Removes the newest blocks, as a reorg does before other blocks follow. */
async function rollback({ client }: World, depth: number): Promise<void> {
  type Rollback = { Method: 'anvil_rollback'; Parameters: [number]; ReturnType: null };
  await client.request<Rollback>({ method: 'anvil_rollback', params: [depth] });
}

/** The attacker, a stranger, opens a campaign that looks like the merchant's. */
async function openAttackersCampaign(w: World, input: Partial<CampaignInput> = {}) {
  const { write } = w.commerce;
  await sent(w, w.token.write.mint([w.stranger, funding], by(w.stranger)));
  await sent(w, w.token.write.approve([w.commerce.address, maxUint256], by(w.stranger)));
  const args = [inputFor(w, input), policyFor(w)] as const;
  await sent(w, write.createCampaign(args, by(w.stranger)));
  const campaignId = BigInt(await w.commerce.read.campaignCount());
  await sent(w, write.fund(await fundArgs(w, campaignId, 1_000n), by(w.stranger)));
  return campaignId;
}

describe('a campaign number that a reorg gives to an attacker', () => {
  it('rejects a deposit that the merchant signed for its own campaign in another campaign', async () => {
    const w = world();
    const input = inputFor(w);
    const create = encodeFunctionData({
      abi,
      functionName: 'createCampaign',
      args: [input, policyFor(w)],
    });
    const createRaw = await sign(w, w.merchant, create);
    await mineAll(w, [createRaw]);
    const deposit = await fundArgs(w, 1n, funding);
    const fund = encodeFunctionData({ abi, functionName: 'fund', args: deposit });
    const fundRaw = await sign(w, w.merchant, fund);
    await mineAll(w, [fundRaw]);

    await rollback(w, 2);
    // The attacker copies the whole input, salt included: its terms differ by the merchant.
    expect(await openAttackersCampaign(w, input)).toBe(1n);
    const [created, funded] = await mine(w, [createRaw, fundRaw]);
    expect([created?.status, funded?.status]).toEqual(['success', 'reverted']);
    expect(await w.commerce.read.campaign([2n])).toMatchObject({ merchant: w.merchant });
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ netDeposited: 1_000n });
    expect(await w.token.read.balanceOf([w.merchant])).toBe(fortune);
    const call = w.commerce.simulate.fund(deposit, { account: w.merchant });
    expect(await refusal(call)).toEqual({
      error: 'WrongTerms',
      values: [1n, await termsOf(w, 2n), await termsOf(w, 1n)],
    });
  });

  it('rejects a purchase that a buyer signed for the merchant’s campaign in another campaign', async () => {
    const w = world();
    await openCampaign(w);
    const order = await buyArgs(w, { maxAmount: price });
    const buy = encodeFunctionData({ abi, functionName: 'buy', args: order });
    const raw = await sign(w, w.buyer, buy);
    await mineAll(w, [raw]);

    await rollback(w, 3);
    await openAttackersCampaign(w);
    const [bought] = await mine(w, [raw]);
    expect(bought?.status).toBe('reverted');
    expect(await w.token.read.balanceOf([w.buyer])).toBe(fortune);
    const call = w.commerce.simulate.buy(order, { account: w.buyer });
    expect(await refusal(call)).toMatchObject({ error: 'WrongTerms' });
  });

  it('rejects a node that a distributor signed for the merchant’s campaign in another campaign', async () => {
    const w = world();
    const [distributor] = w.nodes;
    await createCampaign(w);
    const place = await joinArgs(w, 1n, 0n);
    const join = encodeFunctionData({ abi, functionName: 'join', args: place });
    const raw = await sign(w, distributor, join);
    await mineAll(w, [raw]);

    await rollback(w, 2);
    await openAttackersCampaign(w);
    const [joined] = await mine(w, [raw]);
    expect(joined?.status).toBe('reverted');
    expect(await w.commerce.read.nodeCount()).toBe(0);
    const call = w.commerce.simulate.join(place, { account: distributor });
    expect(await refusal(call)).toMatchObject({ error: 'WrongTerms' });
  });

  it('a campaign number that a reorg gives to an attacker cannot record the sale that an attester signed for the merchant’s campaign', async () => {
    const w = world();
    const thirdParty = { trustMode: trustModes.thirdPartyVerified };
    await openCampaign(w, thirdParty);
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...noLimits], by(w.merchant)));
    const attestation = await attestationFor(w, 1n);
    const args = [attestation, await signSale(w, w.attester, attestation)] as const;
    await sent(w, w.commerce.write.recordAttestedSale(args, by(w.buyer)));

    await rollback(w, 4);
    await openAttackersCampaign(w, thirdParty);
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...noLimits], by(w.stranger)));
    const as = { account: w.buyer };
    expect(await refusal(w.commerce.simulate.recordAttestedSale(args, as))).toEqual({
      error: 'WrongTerms',
      values: [1n, attestation.termsHash, await termsOf(w, 1n)],
    });
    // Nor does the signature cover the attacker's terms.
    const changed = { ...attestation, termsHash: await termsOf(w, 1n) };
    const call = w.commerce.simulate.recordAttestedSale([changed, args[1]], as);
    expect(await refusal(call)).toMatchObject({ error: 'AttesterNotAllowed' });
  });
});

describe('a node number that a reorg gives to an attacker', () => {
  /** One node of the first distributor, and signed calls that name it. */
  async function callsThatNameTheNode(w: World) {
    const [owner, child] = w.nodes;
    await openCampaign(w);
    const place = await joinArgs(w, 1n, 0n);
    const joinData = encodeFunctionData({ abi, functionName: 'join', args: place });
    const ownerJoins = await sign(w, owner, joinData);
    await mineAll(w, [ownerJoins]);
    const order = await buyArgs(w, { nodeId: 1n });
    const buy = encodeFunctionData({ abi, functionName: 'buy', args: order });
    const childPlace = await joinArgs(w, 1n, 1n);
    const childData = encodeFunctionData({ abi, functionName: 'join', args: childPlace });
    const raws = [await sign(w, w.buyer, buy), await sign(w, child, childData)];
    await mineAll(w, raws);
    return { ownerJoins, raws, order, childPlace };
  }

  it('records neither a sale nor a child for a node that a reorg gave to another owner', async () => {
    const w = world();
    const [owner, child] = w.nodes;
    const { ownerJoins, raws, order, childPlace } = await callsThatNameTheNode(w);

    await rollback(w, 3);
    await joinPath(w, 1n, [w.stranger]);
    await mineAll(w, [ownerJoins]);
    const receipts = await mine(w, raws);
    expect(receipts.map(({ status }) => status)).toEqual(['reverted', 'reverted']);
    expect(await w.commerce.read.saleCount()).toBe(0);
    expect(await w.commerce.read.nodeCount()).toBe(2);
    const refused = { error: 'WrongNodeOwner', values: [1n, owner, w.stranger] };
    const { simulate } = w.commerce;
    expect(await refusal(simulate.buy(order, { account: w.buyer }))).toEqual(refused);
    expect(await refusal(simulate.join(childPlace, { account: child }))).toEqual(refused);
  });

  it('pays no reward of an attested sale to a node that a reorg gave to another owner', async () => {
    const w = world();
    const [owner] = w.nodes;
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, [owner]);
    const attestation = await attestationFor(w, 1n, { nodeId: 1n });
    const args = [attestation, await signSale(w, w.merchant, attestation)] as const;
    await sent(w, w.commerce.write.recordAttestedSale(args, by(w.buyer)));

    await rollback(w, 2);
    await joinPath(w, 1n, [w.stranger, owner]);
    const as = { account: w.buyer };
    expect(await refusal(w.commerce.simulate.recordAttestedSale(args, as))).toEqual({
      error: 'WrongNodeOwner',
      values: [1n, owner, w.stranger],
    });
    const changed = { ...attestation, nodeOwner: w.stranger };
    const call = w.commerce.simulate.recordAttestedSale([changed, args[1]], as);
    expect(await refusal(call)).toMatchObject({ error: 'InvalidSignature' });
  });
});

describe('the owner that a direct sale or a root names', () => {
  it('the owner that a direct sale or a root names must be the zero address', async () => {
    const w = world();
    await openCampaign(w);
    const { simulate } = w.commerce;
    const order = await buyArgs(w, { nodeOwner: w.stranger });
    const refused = { error: 'WrongNodeOwner', values: [0n, w.stranger, zeroAddress] };
    expect(await refusal(simulate.buy(order, { account: w.buyer }))).toEqual(refused);
    const place = [1n, await termsOf(w, 1n), 0n, w.stranger] as const;
    expect(await refusal(simulate.join(place, { account: w.buyer }))).toEqual(refused);
  });
});

describe('a sale number that a reorg gives to another sale', () => {
  type Attested = readonly [Attestation, Hex];

  /** Two attested sales of different buyers, which any account can relay. */
  async function twoOrders(w: World): Promise<{ mine: Attested; others: Attested }> {
    await openCampaign(w, { trustMode: trustModes.thirdPartyVerified });
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...noLimits], by(w.merchant)));
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const attested = async (buyer: Address, nonce: bigint): Promise<Attested> => {
      const changes = { buyer, nonce, nodeId: 1n, deadline: (await now(w)) + 850n };
      const attestation = await attestationFor(w, 1n, changes);
      return [attestation, await signSale(w, w.attester, attestation)];
    };
    return { mine: await attested(w.buyer, 1n), others: await attested(w.stranger, 2n) };
  }

  function record(w: World, attested: Attested) {
    return sent(w, w.commerce.write.recordAttestedSale(attested, by(w.stranger)));
  }

  it('refunds no other sale with a signature for the order', async () => {
    const w = world();
    const { mine: order, others } = await twoOrders(w);
    await record(w, order);
    const ref = await refOf(w, 1n);
    const deadline = (await now(w)) + 850n;
    const approval = { refundedTotal: price, reasonHash: hashOf('reason'), deadline };
    const signature = await signRefund(w, w.attester, { ...ref, ...approval });
    const args = [ref, price, approval.reasonHash, deadline, signature] as const;
    const refund = encodeFunctionData({ abi, functionName: 'refund', args });
    const raw = await sign(w, w.merchant, refund);
    await mineAll(w, [raw]);

    await rollback(w, 2);
    await record(w, others);
    await record(w, order);
    // The approval cannot be used for the sale that has the number 1 now.
    const first = await refOf(w, 1n);
    expect(first.buyer).toBe(w.stranger);
    const as = { account: w.merchant };
    const [, ...rest] = args;
    expect(await refusal(w.commerce.simulate.refund([first, ...rest], as))).toEqual({
      error: 'InvalidSignature',
      values: [w.attester],
    });
    await mineAll(w, [raw]);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ refundedTotal: 0n });
    expect(await w.commerce.read.sale([2n])).toMatchObject({
      buyer: w.buyer,
      status: saleStatuses.refunded,
    });
  });

  it('reverses no other sale with a signature for the order', async () => {
    const w = world();
    const { mine: order, others } = await twoOrders(w);
    await record(w, order);
    const id = await w.client.snapshot();
    const finalize = async (saleId: bigint) => {
      const { holdUntil } = await w.commerce.read.sale([saleId]);
      if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
      await sent(w, w.commerce.write.finalize([[saleId]], by(w.stranger)));
    };
    await finalize(1n);
    const ref = await refOf(w, 1n);
    const deadline = (await now(w)) + 850n;
    const approval = { reasonHash: hashOf('reason'), deadline };
    const signature = await signReversal(w, w.attester, { ...ref, ...approval });
    const args = [ref, approval.reasonHash, deadline, signature] as const;
    const reverse = encodeFunctionData({ abi, functionName: 'reverse', args });
    const raw = await sign(w, w.merchant, reverse);
    await mineAll(w, [raw]);

    await w.client.revert({ id });
    await rollback(w, 1);
    await record(w, others);
    await record(w, order);
    await finalize(1n);
    await finalize(2n);
    const first = await refOf(w, 1n);
    const as = { account: w.merchant };
    const [, ...rest] = args;
    expect(await refusal(w.commerce.simulate.reverse([first, ...rest], as))).toEqual({
      error: 'InvalidSignature',
      values: [w.attester],
    });
    await mineAll(w, [raw]);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ status: saleStatuses.finalized });
    expect(await w.commerce.read.sale([2n])).toMatchObject({ status: saleStatuses.reversed });
  });

  it('changes no sale if the order is no longer on the chain, or its campaign has other terms', async () => {
    const w = world();
    const { mine: order, others } = await twoOrders(w);
    await record(w, order);
    const ref = await refOf(w, 1n);
    await rollback(w, 1);
    await record(w, others);
    const { simulate } = w.commerce;
    const as = { account: w.merchant };
    const reason = hashOf('reason');
    const missing = {
      error: 'UnknownOrder',
      values: [1n, w.buyer, order[0].orderKey],
    };
    expect(await refusal(simulate.refund([ref, 1n, reason, 0n, '0x'], as))).toEqual(missing);
    expect(await refusal(simulate.reverse([ref, reason, 0n, '0x'], as))).toEqual(missing);
    const elsewhere = { ...(await refOf(w, 1n)), termsHash: zeroHash };
    const wrong = { error: 'WrongTerms', values: [1n, zeroHash, await termsOf(w, 1n)] };
    expect(await refusal(simulate.refund([elsewhere, 1n, reason, 0n, '0x'], as))).toEqual(wrong);
    expect(await refusal(simulate.reverse([elsewhere, reason, 0n, '0x'], as))).toEqual(wrong);
  });
});
