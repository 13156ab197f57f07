import {
  type Address,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
  parseEther,
  parseGwei,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { signedTokenAbi, signedTokenBytecode } from '../../abis/test/signedToken.ts';
import { testTokenAbi } from '../../abis/testToken.ts';
import { type RelayerChain, relayerChain } from '../../engine/chain/relayer.ts';
import type { Client } from '../../engine/client/index.ts';
import { MAX_FAILURES } from '../../engine/core/signed-order.ts';
import { setMerchantBudget } from '../../engine/db/commerce/relayer.ts';
import { type RelayOptions, relayOrders, reportRelayer } from '../../engine/keeper/relay-orders.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  mined,
  receiptOf,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { reorg } from '../support/reorg.ts';
import type { ApiFixture } from './support/api-fixture.ts';
import { LiveFixture } from './support/live-fixture.ts';

const PRICE = 1_000_000n;
const MINUTE = 60_000;

type Prepared = Awaited<ReturnType<Client['checkout']['prepareOrder']>>['data'];

/** A buyer with a key of its own, which signs and sends nothing. */
interface Buyer {
  readonly account: PrivateKeyAccount;
  readonly client: Client;
}

describe('a purchase with one signature', () => {
  let live: LiveFixture;
  let fixture: ApiFixture;
  let chain: TestChain;
  let merchant: Address;
  let options: RelayOptions;
  /** Pays by authorizations and permits; another one by neither. */
  let signedToken: Address;
  let plainToken: Address;
  let campaignId: bigint;
  let plainCampaign: bigint;
  let nodeId: bigint;
  let passed = 0;
  const failures: unknown[] = [];
  let orders = 0;
  let chainRelayer: RelayerChain;

  beforeAll(async () => {
    live = await LiveFixture.open();
    ({ fixture, chain } = live);
    merchant = accountAt(chain.accounts, 1);
    const deployed = await chain.client.deployContract({
      ...{ abi: signedTokenAbi, bytecode: signedTokenBytecode, account: merchant },
    });
    signedToken = lower((await mined(chain.client, deployed)).contractAddress ?? '0x');
    plainToken = await deployToken(chain);
    campaignId = await act.createCampaign(chain, merchant, signedToken);
    await act.fund(chain, { id: campaignId, token: signedToken }, merchant, 1_000_000_000n);
    nodeId = await act.join(chain, campaignId, accountAt(chain.accounts, 3));
    plainCampaign = await act.createCampaign(chain, merchant, plainToken);
    await act.fund(chain, { id: plainCampaign, token: plainToken }, merchant, 1_000_000_000n);
    await live.sync();
    const account = privateKeyToAccount(generatePrivateKey());
    await chain.client.setBalance({ address: account.address, value: parseEther('10') });
    chainRelayer = relayerChain({ ...chainEnv(chain), account });
    options = {
      pool: fixture.pool,
      chain: chainRelayer,
      maxGas: 1_000_000n,
      maxFeePerGas: parseGwei('100'),
      budget: { merchant: parseEther('1'), total: parseEther('2') },
      clock: () => Date.now() + passed,
      onFailure: (error) => failures.push(error),
    };
    const theirs = await fixture.clientAs(lower(merchant));
    for (const id of [campaignId, plainCampaign]) {
      await theirs.campaigns.updateSettings({ campaignId: String(id), oneSignature: true });
    }
  });
  beforeEach(async () => {
    passed = 0;
    await reportRelayer(options);
  });
  afterEach(async () => {
    await chain.client.setAutomine(true);
    await fixture.pool`delete from commerce.relayed_transaction`;
    await fixture.pool`delete from commerce.signed_order`;
  });
  afterAll(() => live.close());

  /** A new buyer with enough tokens, and none of the chain's coin. */
  async function newBuyer(token = signedToken): Promise<Buyer> {
    const account = privateKeyToAccount(generatePrivateKey());
    const call = { address: token, abi: testTokenAbi, account: merchant } as const;
    const minted = { ...call, functionName: 'mint', args: [account.address, PRICE] } as const;
    await mined(chain.client, await chain.client.writeContract(minted));
    return { account, client: await fixture.clientAs(lower(account.address)) };
  }
  async function begin({ client }: Buyer, campaign = campaignId) {
    orders += 1;
    const { data } = await client.checkout.createIntent({
      campaignId: String(campaign),
      orderKey: keccak256(toHex(`one signature ${orders}`)),
      ...(campaign === campaignId && { nodeId: String(nodeId) }),
      maxAmount: String(PRICE),
      minPolicyVersion: 1,
    });
    return data;
  }
  async function signed({ account }: Buyer, prepared: Prepared) {
    const found: Record<string, Hex> = {};
    for (const { name, typedData } of prepared.signatures) {
      const data = typedData as Parameters<PrivateKeyAccount['signTypedData']>[0];
      found[name] = await account.signTypedData(data);
    }
    const { ORDER = '0x', PERMIT, AUTHORIZATION } = found;
    if (prepared.payment === null) throw new Error('nothing is offered');
    return {
      payment: prepared.payment,
      orderSignature: ORDER,
      tokenSignature: PERMIT ?? AUTHORIZATION ?? '0x',
    } as const;
  }
  async function prepare({ client }: Buyer, id: string) {
    return (await client.checkout.prepareOrder({ id })).data;
  }
  /** Begins a purchase and hands its signed order over. */
  async function ordered(buyer: Buyer, campaign = campaignId) {
    const intent = await begin(buyer, campaign);
    const given = await signed(buyer, await prepare(buyer, intent.id));
    const { data } = await buyer.client.checkout.submitOrder({ id: intent.id, ...given });
    return data;
  }
  async function get({ client }: Buyer, id: string) {
    return (await client.checkout.getIntent({ id })).data;
  }
  const relay = (changes: Partial<RelayOptions> = {}) => relayOrders({ ...options, ...changes });

  async function sent(changes: Partial<RelayOptions> = {}): Promise<Hex> {
    const result = await relay(changes);
    if (result.outcome !== 'sent') throw new Error(`nothing was sent, but ${result.outcome}`);
    return result.hash;
  }
  /** The chain with some answers of the test. */
  const chainWith = (changes: Partial<RelayerChain>): RelayerChain => ({
    ...chainRelayer,
    ...changes,
  });
  async function salesOf(buyer: Buyer, orderKey: Hex, campaign = campaignId) {
    return await chain.client.readContract({
      ...{ address: chain.contract, abi: referralCommerceAbi, functionName: 'saleIdOf' },
      args: [campaign, buyer.account.address, orderKey],
    });
  }
  async function costs() {
    return await fixture.pool<{ status: string; cost: string | null }[]>`
      select status, cost from commerce.relayed_transaction order by attempt, sent_at`;
  }

  it('pays by an authorization: one signature, and no gas', async () => {
    const buyer = await newBuyer();
    const intent = await begin(buyer);
    const prepared = await prepare(buyer, intent.id);
    expect(prepared).toMatchObject({ offered: true, reason: null, payment: 'authorization' });
    expect(prepared.signatures.map(({ name }) => name)).toEqual(['AUTHORIZATION']);
    const given = await signed(buyer, prepared);
    const first = await buyer.client.checkout.submitOrder({ id: intent.id, ...given });
    expect(first.data).toMatchObject({
      state: 'submitted',
      transactions: [],
      order: { state: 'waiting', payment: 'authorization', reason: null, transactionHash: null },
    });
    const again = await buyer.client.checkout.submitOrder({ id: intent.id, ...given });
    expect(again.data.order).toEqual(first.data.order);

    const hash = await sent();
    await mined(chain.client, hash);
    expect(await relay()).toEqual({ outcome: 'idle' });
    const recorded = await get(buyer, intent.id);
    expect(recorded).toMatchObject({
      state: 'submitted',
      saleId: null,
      order: { state: 'recorded', transactionHash: hash },
    });
    await live.sync();
    const done = await get(buyer, intent.id);
    expect(done).toMatchObject({ state: 'confirmed', amount: String(PRICE), tx: { hash } });
    expect(await chain.client.getBalance({ address: buyer.account.address })).toBe(0n);
    const receipt = await receiptOf(chain.client, hash);
    const cost = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(await costs()).toEqual([{ status: 'included', cost: String(cost) }]);
  });

  it('pays by a permit where the token has no authorizations, and by an allowance that is there', async () => {
    const buyer = await newBuyer();
    const intent = await begin(buyer);
    const offered = await buyer.client.checkout.prepareOrder({ id: intent.id });
    expect(offered.data.payment).toBe('authorization');
    // The same token as one that has permits alone: its other answer is not asked again for ten minutes.
    const { signaturesFor } = await import('../../engine/http/resources/relayer/order.ts');
    const { tokenSignatures } = await import(
      '../../engine/http/resources/relayer/token-signatures.ts'
    );
    const { findIntent } = await import('../../engine/db/commerce/intents.ts');
    const stored = await findIntent(fixture.pool, {
      buyer: lower(buyer.account.address),
      orderKey: intent.orderKey,
    });
    const known = await tokenSignatures(fixture.deps, signedToken);
    if (stored === undefined || known?.domain == null) throw new Error('the token is not known');
    expect(known).toMatchObject({ authorization: true, permit: true });
    const domain = known.domain;
    const payment = { kind: 'permit', domain, nonce: 0n } as const;
    const signatures = signaturesFor(fixture.deps, stored, payment);
    expect(signatures.map(({ name }) => name)).toEqual(['PERMIT', 'ORDER']);
    const given = await signed(buyer, { ...offered.data, payment: 'permit', signatures });
    await buyer.client.checkout.submitOrder({ id: intent.id, ...given });
    await mined(chain.client, await sent());
    expect(await salesOf(buyer, intent.orderKey)).not.toBe(0);

    const allowing = await newBuyer(plainToken);
    await chain.client.setBalance({ address: allowing.account.address, value: parseEther('1') });
    await chain.client.impersonateAccount({ address: allowing.account.address });
    await act.giveTokens(chain, plainToken, allowing.account.address, PRICE);
    const order = await ordered(allowing, plainCampaign);
    expect(order.order?.payment).toBe('allowance');
    await mined(chain.client, await sent());
    expect(await salesOf(allowing, order.orderKey, plainCampaign)).not.toBe(0);
  });

  it('offers nothing without a relayer, a budget, the merchant’s consent or a token with signatures', async () => {
    const buyer = await newBuyer();
    const { id } = await begin(buyer);
    const reasonOf = async (intentId = id, of = buyer) => {
      const { offered, reason, signatures } = await prepare(of, intentId);
      expect({ offered, signatures }).toEqual({ offered: false, signatures: [] });
      return reason?.code;
    };
    const isReported = async () => (await buyer.client.system.status()).data.relayer;
    expect(await isReported()).toBe(true);
    await fixture.pool`delete from commerce.relayer`;
    expect([await isReported(), await reasonOf()]).toEqual([false, 'NO_RELAYER']);
    const old = { ...options, clock: () => Date.now() - 3 * MINUTE };
    await reportRelayer(old);
    expect([await isReported(), await reasonOf()]).toEqual([false, 'NO_RELAYER']);
    await reportRelayer({ ...options, chain: chainWith({ balance: async () => 1n }) });
    expect(await reasonOf()).toBe('NO_RELAYER');
    await reportRelayer({ ...options, maxFeePerGas: 1n });
    expect(await reasonOf()).toBe('NO_RELAYER');
    await reportRelayer({ ...options, budget: { merchant: 0n, total: parseEther('1') } });
    expect(await reasonOf()).toBe('NO_BUDGET');
    await setMerchantBudget(fixture.pool, lower(merchant), parseEther('1'));
    expect((await prepare(buyer, id)).offered).toBe(true);
    await setMerchantBudget(fixture.pool, lower(merchant), undefined);
    await reportRelayer(options);
    const theirs = await fixture.clientAs(lower(merchant));
    await theirs.campaigns.updateSettings({ campaignId: String(campaignId), oneSignature: false });
    expect(await reasonOf()).toBe('NOT_SPONSORED');
    await theirs.campaigns.updateSettings({ campaignId: String(campaignId), oneSignature: true });
    const plain = await newBuyer(plainToken);
    const other = await begin(plain, plainCampaign);
    expect(await reasonOf(other.id, plain)).toBe('TOKEN_WITHOUT_SIGNATURES');
    expect((await get(plain, other.id)).transactions.map(({ step }) => step)).toEqual([
      'APPROVE',
      'BUY',
    ]);
  });

  it('refuses an order that the contract would refuse, with its reason', async () => {
    const buyer = await newBuyer();
    const { id } = await begin(buyer);
    const given = await signed(buyer, await prepare(buyer, id));
    const submit = (changes: Partial<typeof given>) =>
      buyer.client.checkout.submitOrder({ id, ...given, ...changes });
    const wrong = { status: 422, message: expect.stringMatching(/refuse/) };
    const stranger = await newBuyer();
    const foreign = await signed(stranger, await prepare(buyer, id));
    await expect(submit(foreign)).rejects.toMatchObject(wrong);
    await expect(submit({ orderSignature: '0x01' })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'orderSignature' }],
    });
    await expect(submit({ payment: 'allowance' })).rejects.toMatchObject({ status: 400 });
    const theirs = stranger.client.checkout.submitOrder({ id, ...given });
    await expect(theirs).rejects.toMatchObject({ status: 404 });
    await act.send(chain, merchant, 'pause', [campaignId]);
    const paused = { status: 422, message: expect.stringContaining('state of the campaign') };
    await expect(submit({})).rejects.toMatchObject(paused);
    await act.send(chain, merchant, 'resume', [campaignId]);
    expect((await get(buyer, id)).order).toBeNull();
    // Nothing was taken: the buyer can pay as before.
    expect((await submit({})).data.order?.state).toBe('waiting');
  });

  it('accepts five waiting orders of a buyer', async () => {
    const buyer = await newBuyer();
    for (let at = 0; at < 5; at += 1) await ordered(buyer);
    await expect(ordered(buyer)).rejects.toMatchObject({ status: 429 });
  });

  it('lets a buyer cancel an order that was not sent, and none that was', async () => {
    const buyer = await newBuyer();
    const first = await ordered(buyer);
    const { data } = await buyer.client.intents.cancel({ id: first.id });
    expect(data).toMatchObject({ state: 'cancelled', order: { state: 'refused' } });
    expect(await relay()).toEqual({ outcome: 'idle' });
    const second = await ordered(buyer);
    await chain.client.setAutomine(false);
    await sent();
    const cancelled = buyer.client.intents.cancel({ id: second.id });
    await expect(cancelled).rejects.toMatchObject({ status: 409 });
    await chain.client.mine({ blocks: 1 });
  });

  it('sends an order once, though two relayers run and one crashes before it sends', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    await chain.client.setAutomine(false);
    const crashing = chainWith({
      broadcast: () => Promise.reject(new Error('the process ended')),
    });
    const results = await Promise.all([relay({ chain: crashing }), relay({ chain: crashing })]);
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['sent', 'waiting']);
    expect((await get(buyer, order.id)).order?.state).toBe('sent');
    expect(await chain.client.getTransactionCount({ address: options.chain.address })).toBe(
      await chain.client.getTransactionCount({
        ...{ address: options.chain.address, blockTag: 'pending' },
      }),
    );
    // The next process sends the stored transaction.
    const both = await Promise.all([relay(), relay()]);
    expect(both).toEqual([{ outcome: 'waiting' }, { outcome: 'waiting' }]);
    await chain.client.mine({ blocks: 1 });
    expect(await relay()).toEqual({ outcome: 'idle' });
    expect(await salesOf(buyer, order.orderKey)).not.toBe(0);
    expect((await costs()).map(({ status }) => status)).toEqual(['included']);
  });

  it('replaces a transaction that waits for a minute by one with a higher fee', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    await chain.client.setAutomine(false);
    const first = await sent();
    expect(await relay()).toEqual({ outcome: 'waiting' });
    passed = 61_000;
    const second = await sent();
    expect(second).not.toBe(first);
    await chain.client.mine({ blocks: 1 });
    expect(await relay()).toEqual({ outcome: 'idle' });
    expect(await salesOf(buyer, order.orderKey)).not.toBe(0);
    const rows = await costs();
    expect(rows.map(({ status }) => status)).toEqual(['replaced', 'included']);
    expect(rows[0]?.cost).toBe('0');
  });

  it('waits while gas is too expensive, and refuses what needs too much of it', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    expect(await relay({ maxFeePerGas: 1n })).toMatchObject({ outcome: 'too-expensive' });
    expect((await get(buyer, order.id)).order?.state).toBe('waiting');
    const balance = chainWith({ balance: async () => 1n });
    expect(await relay({ chain: balance })).toEqual({ outcome: 'empty', balance: 1n });
    expect(await relay({ maxGas: 100_000n })).toEqual({ outcome: 'idle' });
    const refused = await get(buyer, order.id);
    expect(refused).toMatchObject({
      state: 'created',
      order: { state: 'refused', reason: expect.stringContaining('more gas') },
    });
    // Nothing was sent, so the buyer pays as before.
    expect(refused.transactions.map(({ step }) => step)).toEqual(['APPROVE', 'BUY']);
  });

  it('refuses orders beyond the budget of the merchant or the day, counted by actual costs', async () => {
    const buyer = await newBuyer();
    const first = await ordered(buyer);
    await mined(chain.client, await sent());
    await relay();
    const [row] = await costs();
    const spent = BigInt(row?.cost ?? 0);
    expect(spent).toBeGreaterThan(0n);
    expect(await salesOf(buyer, first.orderKey)).not.toBe(0);
    for (const budget of [
      { merchant: spent + 1n, total: parseEther('1') },
      { merchant: parseEther('1'), total: spent + 1n },
    ]) {
      const next = await ordered(await newBuyer());
      expect(await relay({ budget })).toEqual({ outcome: 'idle' });
      const [stored] = await fixture.pool`
        select state, reason from commerce.signed_order where intent_id = ${next.id}`;
      expect(stored).toEqual({ state: 'refused', reason: 'NO_BUDGET' });
    }
    // On the next day, the same budget is whole again.
    const late = await newBuyer();
    const intent = await ordered(late);
    await fixture.pool`
      update commerce.relayed_transaction set sent_at = sent_at - interval '1 day'`;
    await mined(chain.client, await sent({ budget: { merchant: spent * 3n, total: spent * 3n } }));
    expect(await salesOf(late, intent.orderKey)).not.toBe(0);
  });

  it('stops after some transactions of a merchant reverted, which cost no more than the cap', async () => {
    // As with a token that passes a simulation, and burns what it gets in the block.
    const hostile = chainWith({ estimate: async () => ({ gas: 200_000n }) });
    for (let at = 0; at < MAX_FAILURES; at += 1) {
      const buyer = await newBuyer();
      const order = await ordered(buyer);
      await act.send(chain, merchant, 'pause', [campaignId]);
      const receipt = await receiptOf(chain.client, await sent({ chain: hostile }));
      expect(receipt.status).toBe('reverted');
      expect(receipt.gasUsed).toBeLessThanOrEqual(240_000n);
      await act.send(chain, merchant, 'resume', [campaignId]);
      expect(await relay()).toEqual({ outcome: 'idle' });
      expect(await get(buyer, order.id)).toMatchObject({
        state: 'created',
        order: { state: 'refused', reason: expect.stringContaining('reverted') },
      });
    }
    const buyer = await newBuyer();
    const { id } = await begin(buyer);
    expect((await prepare(buyer, id)).reason?.code).toBe('STOPPED');
  });

  it('refuses an order whose price changed, and lets one expire', async () => {
    const buyer = await newBuyer();
    const changed = await ordered(buyer);
    await act.send(chain, merchant, 'setVariantPrice', [campaignId, act.SKU, PRICE - 1n]);
    expect(await relay()).toEqual({ outcome: 'idle' });
    expect((await get(buyer, changed.id)).order).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('price is no longer'),
    });
    await act.send(chain, merchant, 'setVariantPrice', [campaignId, act.SKU, PRICE]);
    const late = await ordered(await newBuyer());
    const head = await chainRelayer.head();
    const later = { ...head, timestamp: Math.floor(Date.parse(late.expiresAt) / 1_000) - 5 };
    // So near to its deadline, it is not sent any more.
    expect(await relay({ chain: chainWith({ head: async () => later }) })).toEqual({
      outcome: 'idle',
    });
    const over = chainWith({ head: async () => ({ ...later, timestamp: later.timestamp + 6 }) });
    expect(await relay({ chain: over })).toEqual({ outcome: 'idle' });
    const [stored] = await fixture.pool`
      select state from commerce.signed_order where intent_id = ${late.id}`;
    expect(stored).toEqual({ state: 'expired' });
  });

  it('sees that a stranger recorded the order, and sends nothing', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    const [stored] = await fixture.pool<{ data: Hex }[]>`
      select data from commerce.signed_order where intent_id = ${order.id}`;
    const hash = await chain.client.sendTransaction({
      ...{ account: accountAt(chain.accounts, 7), to: chain.contract, data: stored?.data },
    });
    await mined(chain.client, hash);
    expect(await relay()).toEqual({ outcome: 'idle' });
    expect(await costs()).toEqual([]);
    expect((await get(buyer, order.id)).order?.state).toBe('recorded');
  });

  it('sends an order again if a reorg removes its transaction', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    await mined(chain.client, await sent());
    await relay();
    expect((await get(buyer, order.id)).order?.state).toBe('recorded');
    await reorg(chain, 1, []);
    expect(await salesOf(buyer, order.orderKey)).toBe(0);
    await chain.client.setAutomine(false);
    expect(await relay()).toEqual({ outcome: 'waiting' });
    expect((await get(buyer, order.id)).order?.state).toBe('sent');
    await chain.client.mine({ blocks: 1 });
    expect(await relay()).toEqual({ outcome: 'idle' });
    expect(await salesOf(buyer, order.orderKey)).not.toBe(0);
    expect((await get(buyer, order.id)).order?.state).toBe('recorded');
  });

  it('sends an order again if its transaction was lost, and another one has its nonce', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    const lost = chainWith({ broadcast: async () => {} });
    const hash = await sent({ chain: lost });
    await chain.client.impersonateAccount({ address: options.chain.address });
    const other = { account: options.chain.address, to: merchant, value: 1n };
    await mined(chain.client, await chain.client.sendTransaction(other));
    expect(await relay({ chain: lost })).toEqual({ outcome: 'waiting' });
    passed = 61_000;
    const again = await sent();
    expect(again).not.toBe(hash);
    await mined(chain.client, again);
    await relay();
    expect(await salesOf(buyer, order.orderKey)).not.toBe(0);
    expect((await costs()).map(({ status }) => status).sort()).toEqual(['dropped', 'included']);
  });

  it('closes an order once its sale is final', async () => {
    const buyer = await newBuyer();
    const order = await ordered(buyer);
    await mined(chain.client, await sent());
    await relay();
    await live.syncToHead();
    await fixture.pool`update ledger.head set finalized_number = settled_number`;
    await relay();
    const [stored] = await fixture.pool`
      select state, closed_at is not null as closed, (
        select bool_and(signed is null) from commerce.relayed_transaction) as forgotten
      from commerce.signed_order where intent_id = ${order.id}`;
    expect(stored).toEqual({ state: 'recorded', closed: true, forgotten: true });
    await fixture.pool`update ledger.head set finalized_number = null`;
  });
});
