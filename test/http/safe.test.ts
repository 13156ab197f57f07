import { type Hex, hashMessage, keccak256, stringToBytes, toHex } from 'viem';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import { type Client, type PreparedCall, safeBatch } from '../../engine/client/index.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, mined, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { Safe } from '../support/safe.ts';
import { CHAIN_ID } from './support/api-fixture.ts';
import { confirmed } from './support/confirmed.ts';
import { LiveFixture } from './support/live-fixture.ts';

const ownerAt = (addressIndex: number): HDAccount =>
  mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex,
  });
const [first, second, third] = [6, 7, 8].map(ownerAt) as [HDAccount, HDAccount, HDAccount];

const FUNDING = 5_000_000n;
const PRICE = 2_500_000n;

describe('a merchant that is a Safe of three owners', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let safe: Safe;
  let token: Hex;
  let client: Client;
  let confirmation: Awaited<ReturnType<typeof confirmed>>;
  let buyer: Hex;
  let distributor: Hex;

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    [distributor, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
    token = lower(await deployToken(chain));
    safe = await Safe.deploy(chain, [first, second, third]);
    const { pool } = live.fixture;
    await saveMerchant(pool, { id: 'm-1', address: lower(safe.address), slug: 'safe', name: 'S' });
    await saveProduct(pool, {
      ...{ id: 'p-1', merchantId: 'm-1', title: 'Beans', summary: '', category: 'food' },
      ...{ skuHash: keccak256(stringToBytes('m-1/p-1')), fulfillmentMode: 'manual', price: 1n },
    });
    confirmation = await confirmed(live.fixture, lower(safe.address));
    client = confirmation.client;
    const mint = { address: token, abi: testTokenAbi, functionName: 'mint' } as const;
    const args = [safe.address, 2n * FUNDING] as const;
    await mined(chain.client, await chain.client.writeContract({ ...mint, account: buyer, args }));
    // Something to settle, so that there is a settled block.
    await act.createCampaign(chain, accountAt(chain.accounts, 5), token);
    await live.syncToHead();
  });
  afterAll(() => live.close());

  interface Step {
    readonly transaction: PreparedCall | null;
  }

  /** File with the steps that can be signed now, as text: it is what owners pass on. */
  function fileOf(steps: readonly Step[]) {
    const calls = steps.flatMap(({ transaction }) => (transaction === null ? [] : [transaction]));
    const file = safeBatch(calls, {
      keccak256: (bytes) => keccak256(bytes, 'bytes'),
      safe: safe.address,
      name: 'A test',
      createdAt: Date.now(),
    });
    return JSON.parse(JSON.stringify(file)) as typeof file;
  }

  /** Lets two owners sign and execute the steps, and settles. One signature is not enough. */
  async function execute(steps: readonly Step[]) {
    const file = fileOf(steps);
    await expect(safe.execute(file, [first])).rejects.toThrow('GS020');
    const receipt = await safe.execute(file, [third, first]);
    await live.syncToHead();
    return receipt;
  }

  const prepareCreate = async (id: string) => (await client.campaigns.prepareCreate({ id })).data;

  const campaignOf = async (campaignId: string) =>
    (await client.campaigns.get({ campaignId })).data;

  /** Brings a draft onto the chain and funds it, by two files. */
  async function publish(id: string, trustMode: 'NATIVE_ONCHAIN' | 'MERCHANT_ATTESTED') {
    const policy = {
      ...{ commissionBps: 1_000, maxRewardedAncestors: 1, weightsBps: [10_000] },
      ...{ holdSeconds: 3_600, expiry: '2098-01-01T00:00:00Z' },
    };
    const draft = {
      ...{ version: 0, productId: 'p-1', token, price: String(PRICE), trustMode, policy },
      ...{ startsAt: '2020-01-01T00:00:00Z', endsAt: '2099-06-01T12:00:00Z' },
      ...{ nodeCapacity: 100, saleCapacity: 100, funding: String(FUNDING) },
    };
    await client.campaigns.saveDraft({ id, draft });
    const [create] = (await prepareCreate(id)).transactions;
    if (create?.step !== 'CREATE') throw new Error('The campaign exists already.');
    const created = act.emitted(await execute([create]), 'CampaignCreated');
    const campaignId = String(created.campaignId);
    const { transactions } = await prepareCreate(id);
    expect(transactions.map(({ step }) => step)).toEqual(['APPROVE', 'FUND']);
    // Both calls are executed by one transaction.
    act.emitted(await execute(transactions), 'CampaignFunded');
    expect(await campaignOf(campaignId)).toMatchObject({
      merchant: { address: lower(safe.address) },
      ...{ state: 'FUNDED_ACTIVE', rewardTotal: String(FUNDING) },
    });
    return campaignId;
  }

  it('creates, funds, refunds and ends a campaign by files that two owners sign', async () => {
    const campaignId = await publish('native', 'NATIVE_ONCHAIN');
    const nodeId = await act.join(chain, BigInt(campaignId), distributor);
    await act.giveTokens(chain, token, buyer, PRICE);
    const { skuHash } = await prepareCreate('native');
    const sale = await act.buy(chain, BigInt(campaignId), buyer, { nodeId, skuHash });
    await live.syncToHead();
    const saleId = String(sale.saleId);
    expect((await campaignOf(campaignId)).rewardLedger.pendingReserved).toBe('250000');

    const refund = { saleId, amount: '1000000', reason: 'Two of five were broken.' };
    await execute((await client.operations.refund(refund)).data.transactions);
    const { data: receipt } = await client.receipts.get({ chainId: CHAIN_ID, saleId });
    expect(receipt).toMatchObject({ state: 'pending', refundedTotal: '1000000' });
    expect(receipt.levels).toMatchObject([{ reserved: '150000', released: '100000' }]);

    const { confirmationToken } = confirmation;
    const { data: end } = await client.operations.end({ campaignId, confirmationToken });
    await execute(end.transactions);
    const ended = await campaignOf(campaignId);
    expect(ended.state).toBe('ENDED');
    const { data: vault } = await client.vault.get({ campaignId });
    await execute([{ transaction: vault.actions?.withdrawSurplus ?? null }]);
    expect((await campaignOf(campaignId)).rewardLedger).toMatchObject({
      ...{ available: '0', pendingReserved: '150000', surplusWithdrawn: '4850000' },
    });
    expect((await client.system.status()).data.discrepancies.count).toBe(0);
  });

  it('attests a sale by the signatures of two owners, which the contract asks the Safe for', async () => {
    const campaignId = await publish('attested', 'MERCHANT_ATTESTED');
    const { data } = await client.attestations.prepare({
      ...{ campaignId, buyer, nodeId: '0', amount: '1000000' },
      orderKey: keccak256(toHex('order 1001 of the shop')),
    });
    if (data.attestation === null || data.digest === null) throw new Error(data.status);
    const { attestation, digest } = data;
    const submit = async (owners: readonly HDAccount[]) => {
      const signature = await safe.sign(digest, owners);
      return (await client.attestations.submit({ attestation, signature })).data;
    };
    expect(await submit([second])).toMatchObject({
      ...{ status: 'refused', reasons: [{ error: 'InvalidSignature' }] },
    });
    const signed = await submit([second, third]);
    expect(signed).toMatchObject({ status: 'ready', signer: lower(safe.address) });
    // Anyone may send it.
    for (const { transaction } of signed.transactions) {
      const { to, data: input } = transaction;
      const call = { account: buyer, to, data: lower(input) };
      await mined(chain.client, await chain.client.sendTransaction(call));
    }
    await live.syncToHead();
    const { data: sales } = await client.receipts.forMerchant({ campaignId });
    expect(sales.items).toMatchObject([{ state: 'pending', amount: '1000000' }]);
  });

  it('signs in by the signatures of two owners, and not by one', async () => {
    const anonymous = live.fixture.client();
    async function signIn(owners: readonly HDAccount[]) {
      const { nonce, chainId } = (await anonymous.auth.nonce()).data;
      const [origin = ''] = live.fixture.deps.allowedOrigins;
      const message = createSiweMessage({
        ...{ address: safe.address, domain: new URL(origin).host, uri: origin, version: '1' },
        ...{ chainId, nonce, issuedAt: new Date() },
      });
      const signature = await safe.sign(hashMessage(message), owners);
      return await live.fixture.app().request('/v1/auth/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ message, signature }),
      });
    }
    expect((await signIn([first])).status).toBe(401);
    expect((await signIn([second, first])).status).toBe(200);
  });
});
