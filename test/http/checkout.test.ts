import {
  type Address,
  createPublicClient,
  custom,
  type Hex,
  keccak256,
  RpcRequestError,
  toHex,
} from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import type { Client } from '../../engine/client/index.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  deployCautiousToken,
  deployToken,
  mined,
  receiptOf,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import type { ApiFixture } from './support/api-fixture.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

const PRICE = 1_000_000n;
const HALF_HOUR_MS = 30 * 60_000;

/** Purchases over a real chain, with every way in which a transaction can go. */
describe('a checkout intent', () => {
  let live: LiveFixture;
  let fixture: ApiFixture;
  let chain: TestChain;
  let merchant: Address;
  let buyer: Address;
  let client: Client;
  let token: Address;
  let campaignId: bigint;
  let nodeId: bigint;
  let orders = 0;

  beforeAll(async () => {
    live = await LiveFixture.open();
    ({ fixture, chain } = live);
    merchant = accountAt(chain.accounts, 1);
    buyer = accountAt(chain.accounts, 2);
    token = await deployToken(chain);
    campaignId = await act.createCampaign(chain, merchant, token);
    await act.fund(chain, { id: campaignId, token }, merchant, 1_000_000_000n);
    nodeId = await act.join(chain, campaignId, accountAt(chain.accounts, 3));
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    await live.sync();
    client = await fixture.clientAs(lower(buyer));
  });
  afterAll(() => live.close());
  afterEach(() => chain.client.setAutomine(true));

  type Body = Parameters<Client['checkout']['createIntent']>[0];
  type Intent = Awaited<ReturnType<typeof get>>;
  type Step = Intent['transactions'][number]['step'];

  function wanted(changes: Partial<Body> = {}): Body {
    orders += 1;
    return {
      campaignId: String(campaignId),
      orderKey: keccak256(toHex(`checkout ${orders}`)),
      maxAmount: String(PRICE),
      minPolicyVersion: 1,
      ...changes,
    };
  }
  async function begin(changes: Partial<Body> = {}) {
    return (await client.checkout.createIntent(wanted(changes))).data;
  }
  async function get(id: string, as = client) {
    return (await as.checkout.getIntent({ id })).data;
  }
  async function attach(id: string, transactionHash: Hex) {
    return (await client.checkout.attachTransaction({ id, transactionHash })).data;
  }
  function step({ transactions }: Pick<Intent, 'transactions'>, name: Step) {
    const found = transactions.find((one) => one.step === name);
    if (found === undefined) throw new Error(`There is no step ${name}.`);
    return found.transaction;
  }
  /** Signs a step as the wallet would, and answers its hash. */
  async function sign(
    intent: Pick<Intent, 'transactions'>,
    name: Step,
    {
      from = buyer,
      ...extra
    }: { from?: Address; nonce?: number; gasPrice?: bigint; gas?: bigint } = {},
  ): Promise<Hex> {
    const { to, data } = step(intent, name);
    const call = { to: lower(to), data: lower(data), account: from, gas: 1_500_000n };
    return await chain.client.sendTransaction({ ...call, ...extra });
  }
  const sale = (orderKey: Hex) => act.buy(chain, campaignId, buyer, { orderKey });

  it('creates one intent for fifty concurrent requests, and returns it again for a repeated one', async () => {
    const body = wanted({ nodeId: String(nodeId) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client.checkout.createIntent(body)),
    );
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    const upper: Hex = `0x${body.orderKey.slice(2).toUpperCase()}`;
    const [first] = answers;
    const again = await client.checkout.createIntent({ ...body, orderKey: upper });
    expect(again.data).toEqual(first?.data);
    const rows = await fixture.pool`
      select 1 from commerce.checkout_intent where order_key = ${body.orderKey}`;
    expect(rows).toHaveLength(1);
    expect(first?.data).toMatchObject({
      state: 'created',
      failure: null,
      buyer: lower(buyer),
      nodeId: String(nodeId),
      skuHash: act.SKU,
      amount: String(PRICE),
      submitted: [],
      saleId: null,
      tx: null,
    });
    const { createdAt = '', expiresAt = '' } = first?.data ?? {};
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(HALF_HOUR_MS);
  });

  it('refuses another body under the same key, and accepts the same key from another buyer', async () => {
    const body = wanted();
    const { data } = await client.checkout.createIntent(body);
    const code = 'IDEMPOTENCY_CONFLICT';
    const changes: Partial<Body>[] = [
      { maxAmount: '1000001' },
      { minPolicyVersion: 2 },
      { nodeId: String(nodeId) },
      { skuHash: act.SKU },
      { campaignId: '999' },
    ];
    for (const change of changes) {
      const created = client.checkout.createIntent({ ...body, ...change });
      await expect(created).rejects.toMatchObject({ status: 409, code });
    }
    const same = await client.checkout.createIntent({ ...body, nodeId: '0' });
    expect(same.data.id).toBe(data.id);
    const other = await fixture.clientAs(lower(merchant));
    expect((await other.checkout.createIntent(body)).data.id).not.toBe(data.id);
  });

  it('returns 404 for another buyer’s checkout intent', async () => {
    const { id } = await begin();
    const other = await fixture.clientAs(lower(merchant));
    await expect(get(id, other)).rejects.toMatchObject({ status: 404 });
    const transactionHash = keccak256(toHex('any'));
    const attached = other.checkout.attachTransaction({ id, transactionHash });
    await expect(attached).rejects.toMatchObject({ status: 404 });
  });

  it('refuses a checkout intent with a reason for the buyer', async () => {
    const refused = (changes: Partial<Body>) => client.checkout.createIntent(wanted(changes));
    const cases: [Partial<Body>, number, RegExp][] = [
      [{ maxAmount: '999999' }, 409, /price is 1000000/],
      [{ minPolicyVersion: 2 }, 409, /Policy version 1/],
      [{ campaignId: '4242' }, 404, /no campaign/],
      [{ campaignId: 'demo-1' }, 404, /no campaign/],
      [{ nodeId: '4242' }, 404, /no node/],
      [{ skuHash: keccak256(toHex('none')) }, 404, /no price/],
      [{ variantId: 'none' }, 404, /no variant/],
    ];
    for (const [changes, status, message] of cases) {
      const expected = { status, message: expect.stringMatching(message) };
      await expect(refused(changes)).rejects.toMatchObject(expected);
    }
    await act.send(chain, merchant, 'pause', [campaignId]);
    await live.sync();
    const paused = { status: 422, message: expect.stringContaining('paused') };
    await expect(refused({})).rejects.toMatchObject(paused);
    await act.send(chain, merchant, 'resume', [campaignId]);
    await live.sync();
  });

  it('asks for an approval if one is needed, then for the purchase, and confirms the intent', async () => {
    const poor = accountAt(chain.accounts, 4);
    const call = { address: token, abi: testTokenAbi, account: poor } as const;
    const minted = { ...call, functionName: 'mint', args: [poor, PRICE] } as const;
    await mined(chain.client, await chain.client.writeContract(minted));
    const theirs = await fixture.clientAs(lower(poor));
    const { data: intent } = await theirs.checkout.createIntent(wanted());
    expect(intent.transactions.map(({ step: name }) => name)).toEqual(['APPROVE', 'BUY']);
    expect(step(intent, 'APPROVE').simulation).toMatchObject({ status: 'success' });
    expect(step(intent, 'BUY').simulation).toMatchObject({ status: 'unavailable' });

    const approval = await sign(intent, 'APPROVE', { from: poor });
    await mined(chain.client, approval);
    const attached = { id: intent.id, transactionHash: approval };
    const { data: approved } = await theirs.checkout.attachTransaction(attached);
    expect(approved).toMatchObject({ state: 'created', submitted: [{ status: 'included' }] });
    expect(approved.transactions.map(({ step: name }) => name)).toEqual(['BUY']);
    expect(step(approved, 'BUY').simulation).toMatchObject({ status: 'success', error: null });

    await mined(chain.client, await sign(approved, 'BUY', { from: poor }));
    const landed = await get(intent.id, theirs);
    expect(landed).toMatchObject({ state: 'submitted', transactions: [], saleId: null });
    await live.sync();
    const done = await get(intent.id, theirs);
    expect(done).toMatchObject({ state: 'confirmed', transactions: [], amount: String(PRICE) });
    const sold = (await theirs.receipts.get({ chainId: 31_337, saleId: done.saleId ?? '' })).data;
    expect(sold).toMatchObject({ orderKey: intent.orderKey, buyer: lower(poor) });
    expect(done.tx?.hash).toBe(sold.tx.hash);
  });

  it('takes a remainder back first, for a token that changes an allowance from or to zero only', async () => {
    const cautious = await deployCautiousToken(chain);
    const id = await act.createCampaign(chain, merchant, cautious);
    await act.fund(chain, { id, token: cautious }, merchant, 1_000_000_000n);
    const customer = accountAt(chain.accounts, 6);
    const call = { address: cautious, abi: testTokenAbi, account: customer } as const;
    const allow = [chain.contract, PRICE / 2n] as const;
    const minted = { ...call, functionName: 'mint', args: [customer, PRICE] } as const;
    await mined(chain.client, await chain.client.writeContract(minted));
    const some = { ...call, functionName: 'approve', args: allow } as const;
    await mined(chain.client, await chain.client.writeContract(some));
    await live.sync();
    const theirs = await fixture.clientAs(lower(customer));
    const { data: intent } = await theirs.checkout.createIntent(wanted({ campaignId: String(id) }));
    const steps = ['RESET_ALLOWANCE', 'APPROVE', 'BUY'] as const;
    expect(intent.transactions.map(({ step: name }) => name)).toEqual(steps);
    expect(step(intent, 'RESET_ALLOWANCE').simulation.status).toBe('success');
    for (const name of steps)
      await mined(chain.client, await sign(intent, name, { from: customer }));
    await live.sync();
    expect((await get(intent.id, theirs)).state).toBe('confirmed');
  });

  it('reports a revert before the wallet opens', async () => {
    const broke = accountAt(chain.accounts, 5);
    const call = { address: token, abi: testTokenAbi, account: broke } as const;
    const args = [chain.contract, PRICE] as const;
    await mined(
      chain.client,
      await chain.client.writeContract({ ...call, functionName: 'approve', args }),
    );
    const theirs = await fixture.clientAs(lower(broke));
    const { data } = await theirs.checkout.createIntent(wanted());
    expect(step(data, 'BUY').simulation.status).toBe('revert');
  });

  it('asks for nothing while a transaction is pending, and then returns its sale', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const hash = await sign(intent, 'BUY');
    // No client reported it, but the pending block has it.
    expect(await get(intent.id)).toMatchObject({ state: 'submitted', transactions: [] });
    const attached = await attach(intent.id, hash);
    expect(attached).toMatchObject({ state: 'submitted', transactions: [] });
    expect(attached.submitted).toMatchObject([{ hash, status: 'pending' }]);
    expect((await attach(intent.id, hash)).submitted).toHaveLength(1);
    expect((await get(intent.id)).updatedAt).toBe(attached.updatedAt);
    await chain.client.mine({ blocks: 1 });
    expect(await get(intent.id)).toMatchObject({
      state: 'submitted',
      transactions: [],
      submitted: [{ status: 'included' }],
    });
    await live.sync();
    expect(await get(intent.id)).toMatchObject({
      state: 'confirmed',
      transactions: [],
      tx: { hash },
    });
  });

  it('waits for an unreported replacement transaction, and then returns its sale', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const nonce = await chain.client.getTransactionCount({ address: buyer });
    const slow = await sign(intent, 'BUY', { nonce, gasPrice: 10_000_000_000n });
    await attach(intent.id, slow);
    const fast = await sign(intent, 'BUY', { nonce, gasPrice: 30_000_000_000n });
    expect(await get(intent.id)).toMatchObject({
      state: 'submitted',
      transactions: [],
      submitted: [{ hash: slow, status: 'replaced' }],
    });
    await chain.client.mine({ blocks: 1 });
    const replaced = await get(intent.id);
    expect(replaced).toMatchObject({ state: 'submitted', transactions: [] });
    expect(replaced.submitted).toMatchObject([{ status: 'replaced' }]);
    await live.sync();
    expect(await get(intent.id)).toMatchObject({ state: 'confirmed', tx: { hash: fast } });
  });

  it('lets the buyer pay again if another transaction used the nonce', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const nonce = await chain.client.getTransactionCount({ address: buyer });
    await attach(intent.id, await sign(intent, 'BUY', { nonce, gasPrice: 10_000_000_000n }));
    const cancel = { account: buyer, to: buyer, nonce, gasPrice: 30_000_000_000n, gas: 21_000n };
    await chain.client.sendTransaction(cancel);
    const waiting = await get(intent.id);
    expect(waiting).toMatchObject({ state: 'submitted', transactions: [] });
    await chain.client.mine({ blocks: 1 });
    const back = await get(intent.id);
    expect(back).toMatchObject({ state: 'created', submitted: [{ status: 'replaced' }] });
    expect(back.transactions).toHaveLength(1);
  });

  it('lets the buyer pay again if the chain dropped the transaction', async () => {
    const intent = await begin();
    await chain.client.setAutomine(false);
    const hash = await sign(intent, 'BUY');
    expect((await attach(intent.id, hash)).state).toBe('submitted');
    await chain.client.dropTransaction({ hash });
    const back = await get(intent.id);
    expect(back).toMatchObject({ state: 'created', submitted: [{ status: 'dropped' }] });
    expect(back.transactions).toHaveLength(1);
  });

  it('fails with a message if the transaction reverted, and can be retried', async () => {
    const intent = await begin();
    // Too little gas for the purchase.
    const hash = await sign(intent, 'BUY', { gas: 60_000n });
    await receiptOf(chain.client, hash);
    const failed = await attach(intent.id, hash);
    expect(failed).toMatchObject({ state: 'failed', submitted: [{ status: 'reverted' }] });
    expect(failed.failure).toMatch(/reverted/);
    const again = await sign(failed, 'BUY');
    const retry = await attach(intent.id, again);
    expect(retry).toMatchObject({ state: 'submitted', failure: null, transactions: [] });
    await mined(chain.client, again);
    await live.sync();
    expect(await get(intent.id)).toMatchObject({ state: 'confirmed', failure: null });
  });

  it('returns to its previous state when a reorg removes the sale, and is confirmed by another sale', async () => {
    const intent = await begin();
    const before = await chain.client.snapshot();
    await mined(chain.client, await sign(intent, 'BUY'));
    await live.sync();
    expect((await get(intent.id)).state).toBe('confirmed');
    await chain.client.revert({ id: before });
    // The chain has lost it and the ledger not yet: the ledger is believed, nothing is asked for.
    expect((await get(intent.id)).transactions).toEqual([]);
    await live.sync();
    const back = await get(intent.id);
    expect(back).toMatchObject({ state: 'created', saleId: null, tx: null });
    expect(back.transactions).toHaveLength(1);
    await sale(intent.orderKey);
    expect(await get(intent.id)).toMatchObject({ state: 'submitted', transactions: [] });
    await live.sync();
    expect((await get(intent.id)).state).toBe('confirmed');
  });

  it('expires without a transaction, and is still confirmed if its sale appears later', async () => {
    const intent = await begin();
    const clock = () => Date.now() + HALF_HOUR_MS;
    const later = await fixture.clientAs(lower(buyer), { clock });
    expect(await get(intent.id, later)).toMatchObject({ state: 'expired', transactions: [] });
    await sale(intent.orderKey);
    expect(await get(intent.id, later)).toMatchObject({ state: 'submitted', transactions: [] });
    await live.sync();
    expect(await get(intent.id, later)).toMatchObject({ state: 'confirmed', transactions: [] });
  });

  it('asks for nothing and keeps its state while the chain does not answer', async () => {
    const blind = await fixture.clientAs(lower(buyer), { client: away });
    const body = wanted();
    const { data: intent } = await blind.checkout.createIntent(body);
    expect(intent).toMatchObject({ state: 'created', transactions: [] });
    expect((await get(intent.id)).transactions).toHaveLength(1);
    await chain.client.setAutomine(false);
    const hash = await sign(await get(intent.id), 'BUY');
    await attach(intent.id, hash);
    expect(await get(intent.id, blind)).toMatchObject({
      state: 'submitted',
      transactions: [],
      submitted: [{ status: 'pending' }],
    });
    await chain.client.mine({ blocks: 1 });
    await live.sync();
    expect(await get(intent.id, blind)).toMatchObject({ state: 'confirmed', tx: { hash } });
  });

  it('supports payment over an RPC that has no pending block', async () => {
    const node = custom({ request: chain.client.request })({});
    const request = async (rpcRequest: { method: string; params?: unknown }) => {
      const pending =
        rpcRequest.method === 'eth_call' && JSON.stringify(rpcRequest).includes('pending');
      // As geth says it.
      const error = { code: -32_000, message: 'pending state is not available' };
      if (pending) throw new RpcRequestError({ body: {}, url: 'http://rpc.example', error });
      return await node.request(rpcRequest);
    };
    const rpc = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    const theirs = await fixture.clientAs(lower(buyer), { client: rpc });
    const { data: intent } = await theirs.checkout.createIntent(wanted());
    expect(intent.transactions).toHaveLength(1);
    await mined(chain.client, await sign(intent, 'BUY'));
    expect(await get(intent.id, theirs)).toMatchObject({ state: 'submitted', transactions: [] });
  });

  it('returns the existing sale for an order that is already on the chain, even if the campaign is paused', async () => {
    const [settled, landed] = [wanted(), wanted()];
    const { saleId } = await sale(settled.orderKey);
    await live.sync();
    await sale(landed.orderKey);
    await act.send(chain, merchant, 'pause', [campaignId]);
    const found = (await client.checkout.createIntent(settled)).data;
    expect(found).toMatchObject({ state: 'confirmed', saleId: String(saleId), transactions: [] });
    expect(found.amount).toBe(String(PRICE));
    const waiting = (await client.checkout.createIntent(landed)).data;
    expect(waiting).toMatchObject({ state: 'submitted', transactions: [] });
    await live.sync();
    expect((await get(waiting.id)).state).toBe('confirmed');
    await act.send(chain, merchant, 'resume', [campaignId]);
    await live.sync();
  });

  it('reports that the order key was used for something else', async () => {
    const skuHash = keccak256(toHex('gift card'));
    await act.send(chain, merchant, 'setVariantPrice', [campaignId, skuHash, 5n]);
    await live.sync();
    const intent = await begin();
    const { saleId } = await act.buy(chain, campaignId, buyer, {
      skuHash,
      orderKey: intent.orderKey,
    });
    await live.sync();
    const spent = await get(intent.id);
    expect(spent).toMatchObject({ state: 'failed', saleId: String(saleId), transactions: [] });
    expect(spent.failure).toContain(`sale ${saleId}`);
  });

  it('confirms a checkout intent by a sale for less, if the price fell before the transaction was mined', async () => {
    const skuHash = keccak256(toHex('falling'));
    await act.send(chain, merchant, 'setVariantPrice', [campaignId, skuHash, 900n]);
    await live.sync();
    const intent = await begin({ skuHash });
    await act.send(chain, merchant, 'setVariantPrice', [campaignId, skuHash, 700n]);
    await mined(chain.client, await sign(intent, 'BUY'));
    await live.sync();
    expect(await get(intent.id)).toMatchObject({ state: 'confirmed', amount: '900' });
  });

  it('stores at most twenty transactions of an intent, however many arrive concurrently', async () => {
    const { id } = await begin();
    const hashes = Array.from({ length: 24 }, (_, i) => keccak256(toHex(`${id} ${i}`)));
    const answers = await Promise.allSettled(hashes.map((hash) => attach(id, hash)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    // Hashes that the chain never showed count as on their way for a while.
    expect(await get(id)).toMatchObject({ state: 'submitted', transactions: [] });
    const clock = () => Date.now() + 181_000;
    const later = await fixture.clientAs(lower(buyer), { clock });
    const gone = await get(id, later);
    expect(gone.state).toBe('created');
    expect(new Set(gone.submitted.map(({ status }) => status))).toEqual(new Set(['dropped']));
  });
});
