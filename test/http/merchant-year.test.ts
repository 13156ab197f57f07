import { erc20Abi, type Hex, keccak256, toHex } from 'viem';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import { type Client, createClient } from '../../engine/client/index.ts';
import type { MethodOf, OutputOf } from '../../engine/contract/types.ts';
import * as act from '../support/actions.ts';
import { deployToken, mined, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { png } from './support/images.ts';
import { LiveFixture } from './support/live-fixture.ts';

type Prepared = Pick<OutputOf<MethodOf<'operations.pause'>>, 'transactions'>;
type Mode = 'NATIVE_ONCHAIN' | 'MERCHANT_ATTESTED' | 'THIRD_PARTY_VERIFIED';

const wallet = (addressIndex: number): HDAccount =>
  mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex,
  });
const wallets = [1, 2, 3, 4].map(wallet) as [HDAccount, HDAccount, HDAccount, HDAccount];
const [merchant, distributor, buyer, auditor] = wallets;

const HOUR = 3_600;
const PRICE = 20_000_000n;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/**
 * Everything that a merchant does in a year, by the typed client alone. The chain gets only transactions that
 * the API has prepared, and mints the test token.
 */
describe('a year of a merchant', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let token: Hex;
  let shop: Client;
  let friend: Client;
  let customer: Client;
  const campaigns = new Map<Mode, string>();
  const nodes = new Map<Mode, string>();
  let orders = 0;

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    token = lower(await deployToken(chain));
    await live.syncToHead();
    [shop, friend, customer] = await Promise.all([
      signIn(merchant),
      signIn(distributor),
      signIn(buyer),
    ]);
    for (const { address } of [merchant, buyer]) {
      const call = { address: token, abi: testTokenAbi, account: merchant.address } as const;
      const args = [address, 1_000_000_000n] as const;
      const minted = await chain.client.writeContract({ ...call, functionName: 'mint', args });
      await mined(chain.client, minted);
    }
  });
  afterAll(() => live.close());

  /** A client that signs in by EIP-4361. */
  async function signIn(account: HDAccount): Promise<Client> {
    const app = live.fixture.app();
    const client = createClient({
      baseUrl: 'http://api.test',
      origin: origin(),
      fetch: async (input, init) => await app.request(String(input), init),
    });
    await client.auth.signIn(await proofOf(account, client));
    return client;
  }

  const origin = () => live.fixture.deps.allowedOrigins[0] ?? '';

  /** A signed message of EIP-4361, for a sign-in or a confirmation. */
  async function proofOf(account: HDAccount, client: Client) {
    const { nonce, chainId } = (await client.auth.nonce()).data;
    const message = createSiweMessage({
      ...{ address: account.address, domain: new URL(origin()).host, uri: origin() },
      ...{ version: '1', chainId, nonce, issuedAt: new Date(live.fixture.deps.clock()) },
    });
    return { message, signature: await account.signMessage({ message }) };
  }

  async function confirm(): Promise<string> {
    return (await shop.auth.confirm(await proofOf(merchant, shop))).data.confirmationToken;
  }

  /** Signs and sends one transaction, and settles it. */
  async function send(
    account: HDAccount,
    transaction: { readonly to: string; readonly data: string } | null,
  ): Promise<Hex> {
    if (transaction === null) throw new Error('There is nothing to sign.');
    const { to, data } = transaction;
    const hash = await chain.client.sendTransaction({
      account: account.address,
      to: lower(to),
      data: lower(data),
    });
    await mined(chain.client, hash);
    await live.syncToHead();
    return hash;
  }

  async function sendAll(account: HDAccount, { transactions }: Prepared): Promise<void> {
    expect(transactions.length).toBeGreaterThan(0);
    for (const { transaction } of transactions) await send(account, transaction);
  }

  function idOf(map: ReadonlyMap<Mode, string>, mode: Mode): string {
    const id = map.get(mode);
    if (id === undefined) throw new Error(`There is none of ${mode}.`);
    return id;
  }
  const native = () => idOf(campaigns, 'NATIVE_ONCHAIN');

  async function pass(seconds: number): Promise<void> {
    await act.advance(chain, seconds);
    await live.syncToHead();
  }

  async function balanceOf(account: string): Promise<bigint> {
    return await chain.client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [lower(account)],
    });
  }

  const orderKey = () => keccak256(toHex(`order ${++orders}`));

  async function buy(choice: { nodeId?: string; variantId?: string } = {}): Promise<string> {
    const campaignId = native();
    const { data: preview } = await customer.checkout.preview({ campaignId, ...choice });
    const { data: intent } = await customer.checkout.createIntent({
      ...{ campaignId, ...choice, orderKey: orderKey() },
      maxAmount: preview.maxAmount,
      minPolicyVersion: preview.minPolicyVersion,
    });
    for (const { step, transaction } of intent.transactions) {
      const transactionHash = await send(buyer, transaction);
      if (step === 'BUY') {
        await customer.checkout.attachTransaction({ id: intent.id, transactionHash });
      }
    }
    const { data: paid } = await customer.checkout.getIntent({ id: intent.id });
    expect(paid.state).toBe('confirmed');
    return paid.saleId ?? '';
  }

  async function attest(mode: Mode, signer: HDAccount): Promise<string> {
    const { data } = await shop.attestations.prepare({
      campaignId: idOf(campaigns, mode),
      nodeId: idOf(nodes, mode),
      buyer: buyer.address,
      amount: String(PRICE),
      orderKey: orderKey(),
    });
    const { typedData, attestation } = data;
    if (typedData === null || attestation === null) throw new Error(JSON.stringify(data.reasons));
    const signature = await signer.signTypedData(typedData);
    await sendAll(merchant, (await shop.attestations.submit({ attestation, signature })).data);
    const { data: recorded } = await shop.attestations.submit({ attestation, signature });
    return recorded.saleId ?? '';
  }

  it('creates a product with a variant, and a campaign in each trust mode', async () => {
    await shop.merchants.setup({ slug: 'tide-and-type', name: 'Tide & Type' });
    const about = {
      title: 'Tide tables for typographers',
      summary: 'Every high water of the year, set in Garamond.',
      outcome: 'You know when to go to sea, and in which typeface.',
      description: 'A book of twelve months.',
      category: 'Books',
      refundPolicy: 'The full price back within an hour.',
      fulfillmentMode: 'manual',
    } as const;
    for (const mode of ['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const) {
      const id = mode.toLowerCase().replaceAll('_', '-');
      const text = { ...about, title: `${about.title}, ${id}` };
      const { data: draft } = await shop.products.save({
        id,
        product: { version: 0, status: 'draft', ...text },
      });
      const { data: cover } = await shop.products.uploadAsset({ id, file: png(8, 8) });
      await shop.products.save({
        id,
        product: {
          ...{ version: draft.version, status: 'ready', ...text },
          ...{ token, priceBaseUnits: String(PRICE) },
          ...{ mediaIds: [cover.asset.id], coverId: cover.asset.id, coverAlt: 'The sea' },
          variants: [{ id: 'large', name: 'Large print', priceBaseUnits: '30000000' }],
        },
      });
      await shop.campaigns.saveDraft({
        id,
        draft: {
          ...{ version: 0, productId: id, token, price: String(PRICE), trustMode: mode },
          ...{ startsAt: inDays(-1), endsAt: inDays(90), inviteOnly: false },
          ...{ nodeCapacity: 100, saleCapacity: 1_000, funding: '10000000' },
          policy: {
            commissionBps: 1_000,
            maxRewardedAncestors: 2,
            weightsBps: [7_000, 3_000],
            shortPathMode: 'RENORMALIZE_EXISTING',
            holdSeconds: HOUR,
            expiry: inDays(90),
          },
        },
      });
      for (const steps of [['CREATE'], ['APPROVE', 'FUND']]) {
        const { data } = await shop.campaigns.prepareCreate({ id });
        for (const { step, transaction } of data.transactions) {
          if (steps.includes(step)) await send(merchant, transaction);
        }
      }
      const { data: created } = await shop.campaigns.getDraft({ id });
      campaigns.set(mode, created.campaignId ?? '');
      const { data } = await shop.campaigns.get({ campaignId: idOf(campaigns, mode) });
      expect(data).toMatchObject({
        state: 'FUNDED_ACTIVE',
        trustMode: mode,
        rewardLedger: { available: '10000000' },
      });
    }
  });

  it('lets a distributor join each campaign', async () => {
    for (const [mode, campaignId] of campaigns) {
      const { data } = await friend.links.joinPreview({ campaignId });
      await send(distributor, data.transaction);
      const { data: links } = await friend.links.mine({ campaignId });
      nodes.set(mode, links.items[0]?.nodeId ?? '');
    }
    expect([...nodes.values()].every((nodeId) => nodeId !== '')).toBe(true);
  });

  it('sells in all three trust modes', async () => {
    await buy({ nodeId: idOf(nodes, 'NATIVE_ONCHAIN') });
    await attest('MERCHANT_ATTESTED', merchant);
    const campaignId = idOf(campaigns, 'THIRD_PARTY_VERIFIED');
    const account = auditor.address;
    await sendAll(
      merchant,
      (
        await shop.operations.allowAttester({
          ...{ campaignId, account, allowed: true },
          ...{ perOrder: '100000000', daily: '500000000', expiry: inDays(365) },
        })
      ).data,
    );
    await attest('THIRD_PARTY_VERIFIED', auditor);
    for (const sold of campaigns.values()) {
      const { data } = await shop.campaigns.get({ campaignId: sold });
      expect(data.rewardLedger.pendingReserved).toBe('2000000');
    }
  });

  it('changes the price, schedules a policy, and tops up the budget', async () => {
    const campaignId = native();
    const price = '25000000';
    await sendAll(merchant, (await shop.operations.priceVariant({ campaignId, price })).data);
    expect((await customer.checkout.preview({ campaignId })).data.price).toBe(price);

    const { data: current } = await shop.campaigns.policy({ campaignId });
    const { timestamp } = await chain.client.getBlock();
    const { data: scheduled } = await shop.operations.schedulePolicy({
      campaignId,
      effectiveAt: new Date((Number(timestamp) + HOUR + 60) * 1_000).toISOString(),
      policy: {
        ...{ commissionBps: 2_000, maxRewardedAncestors: 1, weightsBps: [10_000] },
        ...{ shortPathMode: 'RENORMALIZE_EXISTING', holdSeconds: HOUR, expiry: inDays(90) },
      },
    });
    expect(scheduled).toMatchObject({ status: 'ready', version: current.current.version + 1 });
    await sendAll(merchant, scheduled);
    await sendAll(merchant, (await shop.operations.fund({ campaignId, amount: '30000000' })).data);
    await pass(HOUR + 61);
    const saleId = await buy({ nodeId: idOf(nodes, 'NATIVE_ONCHAIN') });
    const { data: receipt } = await shop.receipts.get({ chainId: 31_337, saleId });
    expect(receipt).toMatchObject({
      amount: price,
      policy: { version: 2 },
      split: { reserved: '5000000' },
    });
  });

  it('pauses and resumes', async () => {
    const campaignId = native();
    await sendAll(merchant, (await shop.operations.pause({ campaignId })).data);
    expect((await customer.checkout.preview({ campaignId })).data.buyable).toBe(false);
    await sendAll(merchant, (await shop.operations.resume({ campaignId })).data);
    expect((await customer.checkout.preview({ campaignId })).data.buyable).toBe(true);
  });

  it('settles a dispute by a refund, and refunds a part of a sale unasked', async () => {
    const disputed = await buy({ nodeId: idOf(nodes, 'NATIVE_ONCHAIN') });
    const { data: dispute } = await customer.disputes.open({
      ...{ chainId: 31_337, saleId: disputed },
      ...{ reason: 'charged_in_error', message: 'I need one of them only.' },
    });
    const { data: answer } = await shop.disputes.respond({ id: dispute.id, response: 'accept' });
    await send(merchant, answer.transaction);
    const { data: closed } = await customer.refundRequests.get({ id: dispute.id });
    expect(closed.status).toBe('refunded');

    const saleId = await buy();
    const before = await balanceOf(buyer.address);
    await sendAll(
      merchant,
      (await shop.operations.refund({ saleId, amount: '5000000', reason: 'A dented cover.' })).data,
    );
    expect((await balanceOf(buyer.address)) - before).toBe(5_000_000n);
  });

  it('lets a buyer take a refund request back, and give a purchase up', async () => {
    const saleId = await buy();
    const { data: request } = await customer.disputes.open({
      ...{ chainId: 31_337, saleId },
      ...{ reason: 'not_received', message: 'Nothing came.' },
    });
    expect((await shop.disputes.exposure()).data.open).toBe(1);
    const { id } = request;
    await customer.refundRequests.withdraw({ id, message: 'The neighbour had it.' });
    expect((await shop.disputes.exposure()).data.open).toBe(0);
    const { data: withdrawn } = await customer.refundRequests.list({ status: 'withdrawn' });
    expect(withdrawn.items).toMatchObject([{ id, saleId }]);

    const campaignId = native();
    const { data: preview } = await customer.checkout.preview({ campaignId });
    const { maxAmount, minPolicyVersion } = preview;
    const wanted = { campaignId, orderKey: orderKey(), maxAmount, minPolicyVersion };
    const { data: intent } = await customer.checkout.createIntent(wanted);
    const { data: open } = await customer.intents.list({ state: 'created' });
    expect(open.items).toMatchObject([{ id: intent.id }]);
    await customer.intents.cancel({ id: intent.id });
    expect((await customer.intents.list({ state: 'created' })).data.items).toEqual([]);
  });

  it('finalizes what is due, and reverses an attested sale', async () => {
    await pass(HOUR + 1);
    for (const campaignId of campaigns.values()) {
      await sendAll(merchant, (await shop.operations.finalize({ campaignId })).data);
      const { data } = await shop.operations.finalize({ campaignId });
      expect(data).toMatchObject({ status: 'in_effect', dueSales: 0, transactions: [] });
    }
    const campaignId = idOf(campaigns, 'MERCHANT_ATTESTED');
    const { data: sales } = await shop.receipts.forMerchant({ campaignId });
    const saleId = sales.items[0]?.saleId ?? '';
    await sendAll(merchant, (await shop.operations.reverse({ saleId, reason: 'Fraud.' })).data);
    const { data: receipt } = await shop.receipts.get({ chainId: 31_337, saleId });
    expect(receipt.state).toBe('reversed');
  });

  it('pays the distributor everything in one request', async () => {
    const before = await balanceOf(distributor.address);
    const { data } = await friend.payouts.prepareAll();
    const [total] = data.byToken;
    await sendAll(distributor, data);
    const paid = (await balanceOf(distributor.address)) - before;
    expect(paid).toBe(BigInt(total?.claimable ?? 0));
    // 2,000,000 of the first policy, 5,000,000 of the second, 2,000,000 of the verified sale.
    expect(paid).toBe(9_000_000n);
    expect((await friend.payouts.prepareAll()).data.transactions).toEqual([]);
  });

  it('ends the campaigns, withdraws what is left, and closes', async () => {
    const early = await shop.merchants.close({
      slug: 'tide-and-type',
      confirmationToken: await confirm(),
    });
    expect(early.data.closed).toBe(false);
    expect(early.data.blockers.length).toBeGreaterThan(0);
    for (const campaignId of campaigns.values()) {
      await sendAll(
        merchant,
        (await shop.operations.end({ campaignId, confirmationToken: await confirm() })).data,
      );
    }
    // A sale that can still be reversed holds its surplus back.
    await pass(31 * 86_400);
    for (const campaignId of campaigns.values()) {
      for (const action of ['claimProceeds', 'withdrawSurplus'] as const) {
        const { data } = await shop.vault.get({ campaignId });
        const transaction = data.actions?.[action] ?? null;
        if (transaction !== null) await send(merchant, transaction);
      }
    }
    expect(await balanceOf(chain.contract)).toBe(0n);
    const { data } = await shop.merchants.close({
      slug: 'tide-and-type',
      confirmationToken: await confirm(),
    });
    expect(data).toMatchObject({ closed: true, blockers: [] });
    expect((await shop.system.status()).data.discrepancies.count).toBe(0);
    const all = await Promise.all(
      [merchant, distributor, buyer].map((one) => balanceOf(one.address)),
    );
    expect(all.reduce((sum, one) => sum + one, 0n)).toBe(2_000_000_000n);
  });
});
