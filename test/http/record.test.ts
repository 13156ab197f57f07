import {
  createPublicClient,
  custom,
  encodeEventTopics,
  keccak256,
  type PublicClient,
  stringToBytes,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { Client } from '../../engine/client/index.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { chainOf } from './support/chain-of-facts.ts';
import { saveDistributor } from './support/save-distributor.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const MERCHANT = account(1_000);

/** The small history, with prices of variants and allow-lists in campaign 3. */
function recordHistory() {
  const { history, marks } = smallHistory();
  history.nextBlock();
  history.add('1', { name: 'VariantPriced', args: { skuHash: hash('half'), price: 600_000n } });
  history.add('1', { name: 'VariantPriced', args: { skuHash: hash('sku 1'), price: 900_000n } });
  history.add('3', { name: 'DistributorAllowed', args: { account: account(90), allowed: true } });
  history.add('3', { name: 'DistributorAllowed', args: { account: account(91), allowed: true } });
  history.allowAttester('3', account(92));
  const priced = history.block;
  history.nextBlock();
  history.add('1', { name: 'VariantPriced', args: { skuHash: hash('half'), price: 550_000n } });
  history.add('3', { name: 'DistributorAllowed', args: { account: account(91), allowed: false } });
  return { history, marks, priced };
}

/** A chain that knows receipts of transactions by their hash, and nothing else. */
function chainWith(receipts: Readonly<Record<string, object>>, pending: readonly string[] = []) {
  const client: PublicClient = createPublicClient({
    transport: custom(
      {
        request: async ({ method, params }: { method: string; params: [string] }) => {
          if (method === 'eth_getTransactionReceipt') return receipts[params[0]] ?? null;
          if (method !== 'eth_getTransactionByHash') throw new Error(`unexpected ${method}`);
          const known = receipts[params[0]] !== undefined || pending.includes(params[0]);
          return known ? { hash: params[0], from: account(1), nonce: '0x0', type: '0x2' } : null;
        },
      },
      { retryCount: 0 },
    ),
  });
  return client;
}

describe('the public record', () => {
  const { history, marks, priced } = recordHistory();
  const { facts } = history;
  const last = facts.at(-1)?.blockNumber ?? 0;
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ client: chainOf(facts).client });
    await fixture.settle(facts, { finalized: marks.refunded });
    await saveProfiles(fixture.pool);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  describe('blocks.get', () => {
    it('returns a block with all its events, its finality, and the digest after it', async () => {
      const number = String(marks.refunded);
      const { data, meta } = await client.blocks.get({ number, limit: 100 });
      const own = facts.filter(({ blockNumber }) => blockNumber === marks.refunded);
      expect(data).toMatchObject({
        number,
        hash: own[0]?.blockHash,
        timestamp: new Date((own[0]?.timestamp ?? 0) * 1_000).toISOString(),
        finality: 'finalized',
        events: own.length,
        campaigns: 3,
        leftOut: [],
        nextCursor: null,
      });
      expect(data.items.map(({ name, logIndex }) => [name, logIndex])).toEqual(
        own.map(({ name, logIndex }) => [name, logIndex]),
      );
      expect(meta.chain?.blockNumber).toBe(number);
      const { data: digest } = await client.system.digest({ block: number });
      expect(data.root).toBe(digest.root);
      const pages = [];
      for await (const one of client.pages(client.blocks.get, { number, limit: 2 }))
        pages.push(one);
      expect(pages).toEqual(data.items);
    });

    it('returns a block without events, and 400 for one that is not settled', async () => {
      const { data } = await client.blocks.get({ number: '99' });
      expect(data).toMatchObject({ number: '99', events: 0, campaigns: 0, items: [] });
      await expect(client.blocks.get({ number: String(last + 1) })).rejects.toMatchObject({
        status: 400,
        issues: [{ path: 'number', message: expect.stringContaining(`block, ${last}`) }],
      });
    });
  });

  describe('transactions.get', () => {
    it('returns the events of a settled transaction without asking the chain', async () => {
      const sold = facts.find(({ name }) => name === 'SaleRecorded');
      const { data } = await client.transactions.get({ hash: sold?.transactionHash ?? '0x' });
      expect(data).toMatchObject({
        status: 'settled',
        blockNumber: String(sold?.blockNumber),
        finality: 'finalized',
        items: [
          { campaignId: '1', saleId: '1', name: 'SaleRecorded', args: { amount: '1000000' } },
        ],
        nextCursor: null,
      });
      expect(data.items[0]?.accounts).toContain(account(500));
    });

    it('asks the chain about others: reverted, included, unrelated, pending, or unknown', async () => {
      const receipt = { blockNumber: '0x1', logs: [], type: '0x2', status: '0x1' };
      const { contractAddress } = fixture.deps.deployment;
      const event = { abi: referralCommerceAbi, eventName: 'CampaignPaused' } as const;
      const log = {
        address: contractAddress,
        topics: encodeEventTopics({ ...event, args: { campaignId: 1n } }),
        data: '0x',
        logIndex: '0x0',
      };
      const hashes = ['reverted', 'included', 'elsewhere', 'unrelated', 'pending'].map(hash);
      const [reverted = '0x', included = '0x', elsewhere = '0x', unrelated = '0x', pending = '0x'] =
        hashes;
      const chain = chainWith(
        {
          [reverted]: { ...receipt, status: '0x0' },
          [included]: { ...receipt, blockNumber: '0xffff', logs: [log] },
          [elsewhere]: { ...receipt, logs: [{ ...log, address: account(5) }] },
          [unrelated]: receipt,
        },
        [pending],
      );
      const { transactions } = fixture.client({ client: chain });
      const statuses = [];
      for (const one of hashes) statuses.push((await transactions.get({ hash: one })).data);
      expect(statuses.map(({ status }) => status)).toEqual([
        ...['reverted', 'included', 'unrelated', 'unrelated', 'pending'],
      ]);
      expect(statuses[1]).toMatchObject({ blockNumber: '65535', finality: 'pending', items: [] });
      expect(statuses[4]).toMatchObject({ blockNumber: null, at: null });
      await expect(transactions.get({ hash: hash('unknown') })).rejects.toMatchObject({
        status: 404,
      });
      const silent = client.transactions.get({ hash: hash('unknown') });
      await expect(silent).rejects.toMatchObject({ status: 503, issues: [{ path: 'chain' }] });
    });
  });

  it('lists all versions of a policy, with the status and the sales of each', async () => {
    const { data } = await client.policies.list({ campaignId: '3' });
    expect(
      data.items.map(({ version, status, salesCount, commissionBps }) => [
        ...[version, status, salesCount, commissionBps],
      ]),
    ).toEqual([
      [1, 'current', 1, 1_000],
      [2, 'scheduled', 0, 500],
    ]);
    expect(data.items[0]?.registrationTx?.hash).toMatch(/^0x/);
    const { data: first } = await client.policies.list({ campaignId: '3', limit: 1 });
    const rest = await client.policies.list({
      campaignId: '3',
      limit: 1,
      ...(first.nextCursor && { cursor: first.nextCursor }),
    });
    expect([...first.items, ...rest.data.items]).toEqual(data.items);
    await expect(client.policies.list({ campaignId: '77' })).rejects.toMatchObject({ status: 404 });
  });

  it('lists every price of a SKU in the order in which they were set', async () => {
    const rows = async (query: object) =>
      (await client.prices.list({ campaignId: '1', ...query })).data.items.map((one) => [
        ...[one.skuHash, one.isOwnSku, one.price, one.isCurrent],
      ]);
    const all = [
      [hash('sku 1'), true, '1000000', false],
      [hash('half'), false, '600000', false],
      [hash('sku 1'), true, '900000', true],
      [hash('half'), false, '550000', true],
    ];
    expect(await rows({})).toEqual(all);
    expect(await rows({ current: true })).toEqual([all[2], all[3]]);
    expect(await rows({ skuHash: hash('half') })).toEqual([all[1], all[3]]);
    expect(await rows({ atBlock: String(priced) })).toEqual([
      all[0],
      [hash('half'), false, '600000', true],
      all[2],
    ]);
    const paged = [];
    const input = { campaignId: '1', limit: 1, current: true };
    for await (const one of client.pages(client.prices.list, input)) paged.push(one.price);
    expect(paged).toEqual(['900000', '550000']);
  });

  it('names the variant that a price is of', async () => {
    const sku = keccak256(new Uint8Array([...hexBytes(hash('sku 1')), ...stringToBytes('v1')]));
    history.nextBlock();
    history.add('1', { name: 'VariantPriced', args: { skuHash: sku, price: 1n } });
    await fixture.settle(facts.slice(-1));
    const { data } = await client.prices.list({ campaignId: '1', skuHash: sku });
    expect(data.items).toMatchObject([
      { isOwnSku: false, variant: { id: 'v1', name: 'Half a kilo' }, price: '1' },
    ]);
  });

  it('lists the newest decision about each account of an allow-list', async () => {
    const rows = async (query: object) =>
      (await client.permissions.list({ campaignId: '3', ...query })).data.items.map((one) => [
        ...[one.role, one.account, one.allowed],
      ]);
    const all = [
      ['attester', account(92), true],
      ['distributor', account(90), true],
      ['distributor', account(91), false],
    ];
    expect(await rows({})).toEqual(all);
    expect(await rows({ role: 'distributor', allowed: true })).toEqual([all[1]]);
    expect(await rows({ account: account(91) })).toEqual([all[2]]);
    expect(await rows({ account: account(91), atBlock: String(priced) })).toEqual([
      ['distributor', account(91), true],
    ]);
    const paged = [];
    const input = { campaignId: '3', limit: 1 };
    for await (const one of client.pages(client.permissions.list, input)) paged.push(one.account);
    expect(paged).toEqual([account(92), account(90), account(91)]);
  });

  it('returns the text behind a metadataHash of its merchant, and 404 without one', async () => {
    const content = '{"format":"tributary-campaign-1","title":"Kaffee – süß"}';
    const metadataHash = keccak256(stringToBytes(content));
    await fixture.pool`
      insert into commerce.campaign_metadata
        (merchant, metadata_hash, content, product_id, product_version)
      values (${MERCHANT}, ${metadataHash}, ${content}, 'p-beans', 1),
        (${account(9)}, ${hash('metadata 3')}, 'of another merchant', 'p-beans', 1)`;
    await fixture.pool`
      update ledger.campaign set metadata_hash = ${metadataHash} where campaign_id = 1`;
    const { data } = await client.metadata.get({ campaignId: '1' });
    expect(data).toMatchObject({ metadataHash, text: content });
    expect(keccak256(data.bytes as `0x${string}`)).toBe(metadataHash);
    for (const campaignId of ['2', '3', '77']) {
      await expect(client.metadata.get({ campaignId })).rejects.toMatchObject({ status: 404 });
    }
  });

  it('looks up many sales in the order of the request, and names those that are missing', async () => {
    const saleIds = ['5', '999', '1', 'demo-1', '4'];
    const { data } = await client.lookups.receipts({ chainId: CHAIN_ID, saleIds });
    expect(data.items.map(({ saleId }) => saleId)).toEqual(['5', '1', '4']);
    expect(data.missing).toEqual(['999', 'demo-1']);
    const { data: recent } = await client.receipts.recent({ limit: 100 });
    for (const item of data.items) {
      expect(item).toEqual(recent.items.find(({ saleId }) => saleId === item.saleId));
    }
    await expect(
      client.lookups.receipts({ chainId: CHAIN_ID, saleIds: ['1', '1'] }),
    ).rejects.toMatchObject({ status: 400, issues: [{ path: 'saleIds' }] });
    await expect(client.lookups.receipts({ chainId: 1, saleIds: ['1'] })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('names accounts as everybody may know them, and leaves out those without a public name', async () => {
    const [named, secret, unknown] = [account(7_701), account(7_702), account(7_703)];
    const profiles = [
      [named, 'public', 'known-one', 'Known One'],
      [secret, 'pseudonymous', 'secret-one', null],
    ] as const;
    for (const [address, visibility, handle, displayName] of profiles) {
      await saveDistributor(fixture.pool, { address, visibility, handle, displayName });
    }
    const shop = await fixture.clientAs(account(7_704));
    await shop.merchants.setup({ slug: 'named-shop', name: 'Named Shop' });
    const addresses = [unknown, account(7_704), secret, named];
    const { data } = await client.lookups.names({ addresses });
    expect(data.items).toEqual([
      {
        address: account(7_704),
        merchant: { name: 'Named Shop', slug: 'named-shop' },
        distributor: null,
      },
      {
        address: named,
        merchant: null,
        distributor: { handle: 'known-one', displayName: 'Known One' },
      },
    ]);
    const twice = [named, named.toUpperCase().replace('0X', '0x') as typeof named];
    await expect(client.lookups.names({ addresses: twice })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'addresses' }],
    });
  });

  it('lists tokens with the totals of their campaigns', async () => {
    const { data } = await client.tokens.list();
    const campaigns = await Promise.all(
      ['1', '2', '3'].map(async (campaignId) => (await client.campaigns.get({ campaignId })).data),
    );
    const total = (read: (one: (typeof campaigns)[number]) => string) =>
      String(campaigns.reduce((sum, one) => sum + BigInt(read(one)), 0n));
    expect(data.items).toEqual([
      {
        token: {
          address: account(1),
          symbol: 'TUSD',
          name: 'Test Dollar',
          decimals: 6,
          testnet: true,
        },
        campaigns: 3,
        sales: 5,
        settledSales: 1,
        deposited: total(({ rewardLedger }) => rewardLedger.netDeposited),
        rewardsClaimed: total(({ rewardLedger }) => rewardLedger.rewardsClaimed),
        nativeVolume: '4000000',
      },
    ]);
  });
});

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
}
