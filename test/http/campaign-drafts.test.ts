import { type Address, keccak256, stringToBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import { chainOf } from '../../engine/cli/connect.ts';
import type { Client } from '../../engine/client/index.ts';
import type { Hex } from '../../engine/core/events.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { lowerAddress } from '../../engine/http/input/address.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  mined,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { factsFrom, factsOfChain } from '../support/facts.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const OTHER = account(1_001);

type Draft = Parameters<Client['campaigns']['saveDraft']>[0]['draft'];

describe('campaign drafts', () => {
  let fixture: ApiFixture;
  let acme: Client;
  let other: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    const profile = { id: 'm-other', address: OTHER, slug: 'other', name: 'Other' };
    await saveMerchant(fixture.pool, profile);
    acme = await fixture.clientAs(ACME);
    other = await fixture.clientAs(OTHER);
  });
  afterAll(() => fixture.close());

  it('stores a campaign draft as it was written, and names what is missing', async () => {
    const draft: Draft = { version: 0, name: 'Autumn', price: '5', policy: { commissionBps: 100 } };
    const { data } = await acme.campaigns.saveDraft({ id: 'autumn', draft });
    expect(data).toMatchObject({
      id: 'autumn',
      state: 'DRAFT_OFFCHAIN',
      campaignId: null,
      metadataHash: null,
      draft: { ...draft, version: 1 },
    });
    expect(data.missing).toEqual([
      ...['productId', 'token', 'startsAt', 'endsAt', 'nodeCapacity', 'saleCapacity'],
      ...['trustMode', 'policy', 'funding'],
    ]);
    expect((await acme.campaigns.getDraft({ id: 'autumn' })).data).toEqual(data);
  });

  it('replaces a whole campaign draft, only if its version is the one that was read', async () => {
    const id = 'versions';
    await acme.campaigns.saveDraft({ id, draft: { version: 0, name: 'one', price: '5' } });
    const { data } = await acme.campaigns.saveDraft({ id, draft: { version: 1, name: 'two' } });
    expect(data.draft).toEqual({ version: 2, name: 'two' });
    for (const version of [0, 1, 3]) {
      await expect(
        acme.campaigns.saveDraft({ id, draft: { version, name: 'late' } }),
      ).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    }
    expect((await acme.campaigns.getDraft({ id })).data.draft.name).toBe('two');
  });

  it('changes nothing if a campaign draft is saved again with the same content', async () => {
    const id = 'same';
    const draft: Draft = { version: 0, name: 'Same', policy: { commissionBps: 100 } };
    const { data: first } = await acme.campaigns.saveDraft({ id, draft });
    const again = { policy: { commissionBps: 100 }, name: 'Same', version: 1 };
    const { data } = await acme.campaigns.saveDraft({ id, draft: again });
    expect(data).toEqual(first);
    expect(data.draft.version).toBe(1);
  });

  it('answers a repeated save whose first answer was lost with the draft that it made', async () => {
    const id = 'lost-answer';
    const create: Draft = { version: 0, name: 'one' };
    await acme.campaigns.saveDraft({ id, draft: create });
    expect((await acme.campaigns.saveDraft({ id, draft: create })).data.draft.version).toBe(1);
    const change: Draft = { version: 1, name: 'two' };
    const { data: changed } = await acme.campaigns.saveDraft({ id, draft: change });
    expect((await acme.campaigns.saveDraft({ id, draft: change })).data).toEqual(changed);
    expect(changed.draft).toEqual({ version: 2, name: 'two' });
    const conflicts: Draft[] = [
      // An older version, or another content: somebody changed the draft in between.
      { version: 0, name: 'two' },
      { version: 1, name: 'three' },
      { version: 3, name: 'two' },
    ];
    for (const draft of conflicts) {
      await expect(acme.campaigns.saveDraft({ id, draft })).rejects.toMatchObject({ status: 409 });
    }
    await acme.campaigns.saveDraft({ id, draft: { version: 2, name: 'one' } });
    await expect(acme.campaigns.saveDraft({ id, draft: create })).rejects.toMatchObject({
      status: 409,
    });
  });

  it('answers the addresses and the salt of a campaign draft in lower case', async () => {
    const id = 'letters';
    const token = `0x${'aB'.repeat(20)}` as const;
    const salt = `0x${'Cd'.repeat(32)}` as const;
    const draft: Draft = { version: 0, token, salt, policy: { rewardToken: token } };
    const { data } = await acme.campaigns.saveDraft({ id, draft });
    const lower = token.toLowerCase();
    const expected = { token: lower, salt: salt.toLowerCase(), policy: { rewardToken: lower } };
    expect(data.draft).toEqual({ version: 1, ...expected });
    const repeated = await acme.campaigns.saveDraft({ id, draft: { ...draft, version: 1 } });
    expect(repeated.data.draft.version).toBe(1);
    // Drafts that were stored as they were written.
    await fixture.pool`
      update commerce.campaign_draft set draft = ${fixture.pool.json({ token, salt })}
      where merchant = ${ACME} and id = ${id}`;
    expect((await acme.campaigns.getDraft({ id })).data.draft).toMatchObject({
      token: lower,
      salt: salt.toLowerCase(),
    });
  });

  it('accepts one of two concurrent writes of a campaign draft and rejects the other', async () => {
    const id = 'race';
    await acme.campaigns.saveDraft({ id, draft: { version: 0 } });
    const tries = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) =>
        acme.campaigns.saveDraft({ id, draft: { version: 1, name } }),
      ),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await acme.campaigns.getDraft({ id })).data.draft.version).toBe(2);
  });

  it('keeps campaign drafts of two merchants apart, even under the same id', async () => {
    const id = 'shared';
    await acme.campaigns.saveDraft({ id, draft: { version: 0, name: 'of Acme' } });
    await expect(other.campaigns.getDraft({ id })).rejects.toMatchObject({ status: 404 });
    await expect(
      other.campaigns.saveDraft({ id, draft: { version: 1, name: 'mine now' } }),
    ).rejects.toMatchObject({ status: 404 });
    await other.campaigns.saveDraft({ id, draft: { version: 0, name: 'of Other' } });
    await other.campaigns.deleteDraft({ id });
    expect((await acme.campaigns.getDraft({ id })).data.draft.name).toBe('of Acme');
    await expect(other.campaigns.deleteDraft({ id })).rejects.toMatchObject({ status: 404 });
  });

  it('requires a merchant profile for a campaign draft, and rejects a wrapper object', async () => {
    const stranger = await fixture.clientAs(account(77));
    await expect(
      stranger.campaigns.saveDraft({ id: 'x', draft: { version: 0 } }),
    ).rejects.toMatchObject({ status: 404, message: expect.stringContaining('merchants.setup') });
    const wrapped = { version: 0, draft: { version: 0 } } as Draft;
    await expect(acme.campaigns.saveDraft({ id: 'x', draft: wrapped })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'draft', message: 'is not a field of this method' }],
    });
  });

  it('limits a merchant to 200 campaign drafts, even if they are saved concurrently', async () => {
    const many = account(1_050);
    await saveMerchant(fixture.pool, { id: 'm-many', address: many, slug: 'many', name: 'Many' });
    const client = await fixture.clientAs(many);
    await fixture.pool`
      insert into commerce.campaign_draft (merchant, id, version, draft)
      select ${many}, 'old' || n, 1, '{}' from generate_series(1, 198) n`;
    const tries = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((id) =>
        client.campaigns.saveDraft({ id, draft: { version: 0 } }),
      ),
    );
    const refused = tries.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ reason: { status: 422, code: 'UNPROCESSABLE' } });
    const all = [];
    for await (const item of client.pages(client.campaigns.mine, { limit: 99 })) all.push(item);
    expect(new Set(all.map(({ draft }) => draft?.id)).size).toBe(200);
    expect(all.at(-1)?.draft?.id).toBe('old1');
  });

  it('prepares only a complete campaign draft, and reports all issues together', async () => {
    const id = 'faults';
    await saveProduct(fixture.pool, {
      id: 'p-draft',
      merchantId: 'm-acme',
      skuHash: hash('sku draft'),
      title: 'Unfinished',
      summary: '',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
      token: { address: account(9), symbol: 'NINE', decimals: 6 },
      status: 'draft',
    });
    const draft: Draft = {
      version: 0,
      productId: 'p-draft',
      token: account(1),
      startsAt: '2020-01-02T00:00:00Z',
      endsAt: '2020-01-01T00:00:00Z',
      policy: {
        rewardToken: account(2),
        maxRewardedAncestors: 2,
        weightsBps: [5_000, 4_000],
        expiry: '2099-01-01T00:00:00Z',
        holdSeconds: 60,
      },
    };
    const { data: saved } = await acme.campaigns.saveDraft({ id, draft });
    const refused = await acme.campaigns.prepareCreate({ id }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 422, code: 'UNPROCESSABLE' });
    const { issues } = refused as { issues: { path: string; message: string }[] };
    expect(saved.issues).toEqual(issues);
    expect((await acme.campaigns.getDraft({ id })).data.issues).toEqual(issues);
    const listed = async () =>
      (await acme.campaigns.mine({ kind: 'draft', limit: 100 })).data.items.find(
        (one) => one.draft?.id === id,
      )?.draft;
    expect((await listed())?.issues).toEqual(issues);
    expect(issues.map(({ path }) => path).sort()).toEqual([
      ...['endsAt', 'funding', 'nodeCapacity', 'policy.commissionBps', 'policy.rewardToken'],
      ...['policy.weightsBps', 'price', 'productId', 'saleCapacity', 'token', 'trustMode'],
    ]);
    const other = { version: 1, productId: 'nobodys' } as const;
    await acme.campaigns.saveDraft({ id, draft: other });
    await expect(acme.campaigns.prepareCreate({ id })).rejects.toMatchObject({
      issues: expect.arrayContaining([
        { path: 'productId', message: 'must be a product of yours: nobodys' },
      ]),
    });
    expect((await acme.campaigns.getDraft({ id })).data.metadataHash).toBeNull();
    expect((await listed())?.issues).toContainEqual({
      path: 'productId',
      message: 'must be a product of yours: nobodys',
    });
  });

  it('says of each campaign draft whether it is ready, by the product and the settled block of now', async () => {
    const id = 'ready';
    const product = {
      id: 'p-soon',
      merchantId: 'm-acme',
      skuHash: hash('sku soon'),
      title: 'Soon',
      summary: '',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
      token: { address: account(9), symbol: 'NINE', decimals: 6 },
    } as const;
    await saveProduct(fixture.pool, { ...product, status: 'draft' });
    const issues = async () => (await acme.campaigns.getDraft({ id })).data.issues;
    const paths = async () => (await issues()).map(({ path }) => path);
    const complete: Draft = {
      version: 0,
      productId: 'p-soon',
      token: account(9),
      price: '5',
      startsAt: '2020-01-01T00:00:00Z',
      endsAt: '2090-01-01T00:00:00Z',
      nodeCapacity: 10,
      saleCapacity: 10,
      trustMode: 'NATIVE_ONCHAIN',
      funding: '0',
      policy: {
        commissionBps: 100,
        maxRewardedAncestors: 1,
        weightsBps: [10_000],
        holdSeconds: 60,
        expiry: '2090-01-01T00:00:00Z',
      },
    };
    const { data } = await acme.campaigns.saveDraft({ id, draft: complete });
    expect(data.missing).toEqual([]);
    expect(data.issues).toEqual([
      { path: 'productId', message: 'must be a product that is ready, but it is draft' },
    ]);
    await saveProduct(fixture.pool, product);
    expect(await issues()).toEqual([]);
    await saveProduct(fixture.pool, { ...product, status: 'archived' });
    expect(await paths()).toEqual(['productId']);
    await saveProduct(fixture.pool, product);
    const changes: [Partial<Draft>, string][] = [
      [{ endsAt: '2021-01-01T00:00:00Z' }, 'endsAt'],
      [{ startsAt: '2090-01-02T00:00:00Z' }, 'endsAt'],
      [{ token: account(1) }, 'token'],
      [{ policy: { ...complete.policy, weightsBps: [9_999] } }, 'policy.weightsBps'],
      [{ policy: { ...complete.policy, expiry: '2021-01-01T00:00:00Z' } }, 'policy.expiry'],
      [{ productId: 'p-other' }, 'productId'],
    ];
    await saveProduct(fixture.pool, {
      ...product,
      id: 'p-other',
      merchantId: 'm-other',
      skuHash: hash('sku other'),
    });
    for (const [n, [change, path]] of changes.entries()) {
      const draft = { ...complete, ...change, version: n + 1 };
      const { data: saved } = await acme.campaigns.saveDraft({ id, draft });
      expect([...new Set(saved.issues.map((one) => one.path))], path).toContain(path);
      const prepared = acme.campaigns.prepareCreate({ id });
      await expect(prepared).rejects.toMatchObject({ status: 422, issues: saved.issues });
    }
  });
});

/** On a chain with the contract: what is returned is signed and sent as it is. */
describe('a prepared draft', () => {
  let chain: TestChain;
  let fixture: ApiFixture;
  let merchant: Address;
  let token: Address;
  let client: Client;

  beforeAll(async () => {
    chain = await startTestChain();
    merchant = accountAt(chain.accounts, 1);
    token = lowerAddress(await deployToken(chain));
    fixture = await ApiFixture.open({
      client: chain.client,
      deployment: {
        chainId: CHAIN_ID,
        genesisHash: chain.genesisHash,
        contractAddress: lowerAddress(chain.contract),
        startBlock: Number(chain.startBlock),
        explorerUrl: null,
      },
    });
    const address = lowerAddress(merchant);
    await saveMerchant(fixture.pool, { id: 'm-1', address, slug: 'one', name: 'One' });
    await saveProduct(fixture.pool, {
      id: 'p-1',
      merchantId: 'm-1',
      skuHash: keccak256(stringToBytes('m-1/p-1')),
      title: 'Beans',
      summary: '',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
    });
    client = await fixture.clientAs(address);
    // Something to settle, so that there is a settled block.
    await act.createCampaign(chain, accountAt(chain.accounts, 5), token);
    await settle();
  });
  afterAll(async () => {
    await fixture.close();
    await chain.stop();
  });

  /** Settles what the chain has and the ledger has not. */
  async function settle(): Promise<void> {
    const known = await fixture.pool<{ place: string }[]>`
      select block_number || ' ' || log_index as place from ledger.journal`;
    const places = new Set(known.map(({ place }) => place));
    const rows = (await factsOfChain(chain)).filter(
      (row) => !places.has(`${row.block_number} ${row.log_index}`),
    );
    await fixture.settle(factsFrom(rows), { chain: chainOf(chainEnv(chain)) });
  }

  const whole: Draft = {
    version: 0,
    name: 'A note to myself',
    productId: 'p-1',
    price: '2500000',
    startsAt: '2020-01-01T00:00:00Z',
    endsAt: '2099-06-01T12:00:00.750Z',
    nodeCapacity: 1_000,
    saleCapacity: 9_007_199_254_740_991,
    trustMode: 'THIRD_PARTY_VERIFIED',
    inviteOnly: true,
    policy: {
      commissionBps: 1_234,
      perSaleCap: '777',
      maxRewardedAncestors: 2,
      weightsBps: [7_000, 3_000],
      shortPathMode: 'RETURN_UNUSED',
      holdSeconds: 3_600,
      expiry: '2098-01-01T00:00:00Z',
      regions: ['EU', 'Zürich · 東京'],
      sharingRules: ['No spam'],
    },
    funding: '5000000',
  };

  type Step = Awaited<
    ReturnType<Client['campaigns']['prepareCreate']>
  >['data']['transactions'][number];

  async function sign({ transaction }: Step) {
    if (transaction === null) throw new Error('There is nothing to sign.');
    const { to, data, value } = transaction;
    const call = { account: merchant, to, data: data as Hex, value: BigInt(value) };
    return await mined(chain.client, await chain.client.sendTransaction(call));
  }

  async function prepared(id: string) {
    return (await client.campaigns.prepareCreate({ id })).data;
  }

  it('turns a draft into the campaign with the returned hashes, which the next preparation funds', async () => {
    const id = 'life';
    await client.campaigns.saveDraft({ id, draft: { ...whole, token } });
    const first = await prepared(id);
    expect(first.transactions.map(({ step }) => step)).toEqual(['CREATE', 'APPROVE', 'FUND']);
    const [create, approve, fund] = first.transactions;
    if (!create || !approve || !fund) throw new Error('expected three steps');
    expect(create.transaction?.simulation).toMatchObject({ status: 'success', error: null });
    expect(approve.transaction?.simulation.status).toBe('success');
    expect(fund.transaction).toBeNull();
    expect((await client.campaigns.getDraft({ id })).data).toMatchObject({
      state: 'DRAFT_OFFCHAIN',
      metadataHash: first.metadataHash,
      missing: [],
    });

    const receipt = await sign(create);
    const made = act.emitted(receipt, 'CampaignCreated');
    const registered = act.emitted(receipt, 'PolicyScheduled');
    expect(made).toMatchObject({
      metadataHash: first.metadataHash,
      skuHash: first.skuHash,
      price: 2_500_000n,
      startsAt: 1_577_836_800n,
      endsAt: 4_083_998_400n,
      nodeCapacity: 1_000n,
      saleCapacity: 9_007_199_254_740_991n,
      trustMode: 2,
      inviteOnly: true,
    });
    expect(registered).toMatchObject({
      policyHash: first.policyHash,
      eligibilityHash: first.eligibilityHash,
    });

    // Signed, and not settled yet: the ledger decides, and the response is the same.
    expect((await prepared(id)).metadataHash).toBe(first.metadataHash);
    await settle();
    const campaignId = String(made.campaignId);
    const { data: published } = await client.campaigns.getDraft({ id });
    expect(published).toMatchObject({ state: 'PUBLISHED', campaignId, issues: [] });
    expect(published.metadataHash).toBe(first.metadataHash);

    const second = await prepared(id);
    expect(second).toMatchObject({
      metadataHash: first.metadataHash,
      skuHash: first.skuHash,
      policyHash: first.policyHash,
      eligibilityHash: first.eligibilityHash,
      funding: '5000000',
    });
    expect(second.transactions.map(({ step }) => step)).toEqual(['APPROVE', 'FUND']);
    const mint = {
      address: token,
      abi: testTokenAbi,
      functionName: 'mint',
      account: merchant,
    } as const;
    await mined(
      chain.client,
      await chain.client.writeContract({ ...mint, args: [merchant, 5_000_000n] }),
    );
    for (const step of second.transactions) await sign(step);
    await settle();
    const { data: campaign } = await client.campaigns.get({ campaignId });
    expect(campaign).toMatchObject({ state: 'FUNDED_ACTIVE', rewardTotal: '5000000' });
    expect((await prepared(id)).transactions).toEqual([]);
    await expect(
      client.campaigns.saveDraft({ id, draft: { ...whole, version: 1 } }),
    ).rejects.toMatchObject({ status: 409, message: expect.stringContaining(campaignId) });

    await client.campaigns.deleteDraft({ id });
    expect((await client.campaigns.get({ campaignId })).data.state).toBe('FUNDED_ACTIVE');
    // A new draft of that id has no part in the campaign, even if it says the same.
    await client.campaigns.saveDraft({ id, draft: { ...whole, token } });
    expect((await client.campaigns.getDraft({ id })).data.state).toBe('DRAFT_OFFCHAIN');
    expect((await prepared(id)).metadataHash).not.toBe(first.metadataHash);
  });

  it('links a prepared draft by whichever of its preparations was signed', async () => {
    const id = 'changed';
    await client.campaigns.saveDraft({ id, draft: { ...whole, token, funding: '0' } });
    const first = await prepared(id);
    expect(first.transactions.map(({ step }) => step)).toEqual(['CREATE']);
    await client.campaigns.saveDraft({
      id,
      draft: { ...whole, token, funding: '0', version: 1, price: '3000000' },
    });
    const second = await prepared(id);
    expect(second.metadataHash).not.toBe(first.metadataHash);
    const [create] = first.transactions;
    if (!create) throw new Error('expected a step');
    await sign(create);
    await settle();
    expect((await client.campaigns.getDraft({ id })).data).toMatchObject({
      state: 'PUBLISHED',
      metadataHash: first.metadataHash,
    });
  });

  it('refuses to link a prepared draft to another account’s campaign with the same hash', async () => {
    const id = 'copied';
    await client.campaigns.saveDraft({ id, draft: { ...whole, token } });
    const { metadataHash } = await prepared(id);
    await act.createCampaign(chain, accountAt(chain.accounts, 6), token, {
      input: { metadataHash },
    });
    await settle();
    expect((await client.campaigns.getDraft({ id })).data.state).toBe('DRAFT_OFFCHAIN');
  });

  it('hashes the stored text of a prepared draft, which every field but the name changes', async () => {
    const id = 'hashes';
    await client.campaigns.saveDraft({ id, draft: { ...whole, token } });
    const { metadataHash } = await prepared(id);
    const [row] = await fixture.pool<{ content: string }[]>`
      select content from commerce.campaign_metadata where metadata_hash = ${metadataHash}`;
    expect(keccak256(stringToBytes(row?.content ?? ''))).toBe(metadataHash);
    const keys = Object.keys(JSON.parse(row?.content ?? '{}'));
    expect(keys).toEqual([...keys].sort());
    const changes: [Partial<Draft>, boolean][] = [
      [{ name: 'Another name' }, true],
      [{ funding: '1' }, false],
      [{ nodeCapacity: 7 }, false],
      [{ policy: { ...whole.policy, regions: [] } }, false],
    ];
    for (const [n, [change, same]] of changes.entries()) {
      await client.campaigns.saveDraft({
        id,
        draft: { ...whole, token, ...change, version: n + 1 },
      });
      expect((await prepared(id)).metadataHash === metadataHash, JSON.stringify(change)).toBe(same);
    }
  });

  it('shows the contract’s own error before the wallet opens', async () => {
    const id = 'no-token';
    await client.campaigns.saveDraft({ id, draft: { ...whole, token: account(0xdead) } });
    const [create] = (await prepared(id)).transactions;
    expect(create?.transaction?.simulation.status).toBe('revert');
  });
});
