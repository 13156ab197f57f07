import {
  type Address,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  stringToBytes,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../engine/client/index.ts';
import type { MethodOf, OutputOf } from '../../engine/contract/types.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import type { ProductInput } from '../../engine/db/rows/commerce.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, mined, type TestChain } from '../support/chain.ts';
import { campaignDigests, merkleRoot, provenRoot } from '../support/digest-by-the-page.ts';
import { lower } from '../support/facts.ts';
import { CHAIN_ID } from './support/api-fixture.ts';
import { LiveFixture } from './support/live-fixture.ts';

const SKU = keccak256(stringToBytes('m-1/p-1'));

const product: ProductInput = {
  id: 'p-1',
  merchantId: 'm-1',
  skuHash: SKU,
  title: 'Beans',
  summary: 'A kilo.',
  category: 'food',
  refundPolicy: 'Within a week.',
  fulfillmentMode: 'manual',
  price: 1_000_000n,
};

/** Values of the contract's enums. */
const TRUST_MODES = ['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'];
const SHORT_PATH_MODES = ['RENORMALIZE_EXISTING', 'RETURN_UNUSED'];

type Entry = OutputOf<MethodOf<'ledger.entries'>>['items'][number];

/** Parts of the metadata that an auditor compares. */
const Metadata = z.looseObject({
  campaign: z.looseObject({ skuHash: z.string(), price: z.string(), trustMode: z.string() }),
  contract: z.string(),
  merchant: z.string(),
  policyHash: z.string(),
  product: z.object({ id: z.string(), version: z.int() }),
});

/** The way of docs/reference/api.md, "An auditor's path": public methods alone, each step checked by computation. */
describe('an auditor with public methods alone', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let client: Client;
  let token: Address;
  let campaignId: string;
  const sales: string[] = [];

  beforeAll(async () => {
    live = await LiveFixture.open();
    ({ chain } = live);
    const { pool } = live.fixture;
    token = await deployToken(chain);
    const merchant = accountAt(chain.accounts, 1);
    await act.createCampaign(chain, accountAt(chain.accounts, 5), token);
    await live.sync();
    const address = lower(merchant);
    await saveMerchant(pool, { id: 'm-1', address, slug: 'one', name: 'One' });
    await saveProduct(pool, product, new Date('2020-01-01'));
    await publish(merchant);
    await trade(merchant);
    // After the sales: what they show must stay.
    const later = { ...product, title: 'Peas', refundPolicy: 'None.' };
    await saveProduct(pool, later, new Date('2098-01-01'));
    await live.sync();
    client = live.fixture.client();
  });
  afterAll(() => live.close());

  /** Publishes a campaign by the transactions that the service prepares. */
  async function publish(merchant: Address): Promise<void> {
    const { campaigns } = await live.fixture.clientAs(lower(merchant));
    const id = 'beans';
    await campaigns.saveDraft({
      id,
      draft: {
        version: 0,
        productId: 'p-1',
        token,
        price: '1000000',
        startsAt: '2020-01-01T00:00:00Z',
        endsAt: '2099-01-01T00:00:00Z',
        nodeCapacity: 100,
        saleCapacity: 100,
        trustMode: 'NATIVE_ONCHAIN',
        policy: {
          commissionBps: 1_000,
          maxRewardedAncestors: 3,
          weightsBps: [5_000, 3_000, 2_000],
          holdSeconds: 60,
          expiry: '2098-01-01T00:00:00Z',
          regions: ['EU', 'Zürich'],
          sharingRules: ['No spam'],
        },
        funding: '10000000',
      },
    });
    const { data } = await campaigns.prepareCreate({ id });
    const transaction = data.transactions.find(({ step }) => step === 'CREATE')?.transaction;
    if (!transaction) throw new Error('there is a transaction to sign');
    const call = { account: merchant, to: lower(transaction.to), data: lower(transaction.data) };
    const receipt = await mined(chain.client, await chain.client.sendTransaction(call));
    campaignId = String(act.emitted(receipt, 'CampaignCreated').campaignId);
  }

  /** Sales through a path of three: one refunded in part, one finalized and claimed. */
  async function trade(merchant: Address): Promise<void> {
    const id = BigInt(campaignId);
    const buyer = accountAt(chain.accounts, 2);
    await act.fund(chain, { id, token }, merchant, 10_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    let nodeId = 0n;
    for (const owner of [3, 4, 6]) {
      nodeId = await act.join(chain, id, accountAt(chain.accounts, owner), nodeId);
    }
    for (let i = 0; i < 3; i += 1) {
      const sale = await act.buy(chain, id, buyer, { nodeId, skuHash: SKU });
      sales.push(String(sale.saleId));
    }
    await act.refund(chain, merchant, BigInt(sales[1] ?? 0), 333_333n);
    await act.advance(chain, 61);
    await act.send(chain, buyer, 'finalize', [[BigInt(sales[0] ?? 0)]]);
    await act.send(chain, accountAt(chain.accounts, 6), 'claimRewards', [[id]]);
  }

  async function receiptOf(saleId: string) {
    return (await client.receipts.get({ chainId: CHAIN_ID, saleId })).data;
  }

  it('finds that the metadata hashes to the campaign’s metadataHash, and the terms to the chain’s', async () => {
    const { data: campaign } = await client.campaigns.get({ campaignId });
    const { data: metadata } = await client.metadata.get({ campaignId });
    expect(keccak256(lower(metadata.bytes))).toBe(campaign.metadataHash);
    expect(new TextDecoder().decode(bytesOf(metadata.bytes))).toBe(metadata.text);
    const terms = encodeAbiParameters(
      parseAbiParameters('address, address, uint8, bytes32, bytes32'),
      [
        campaign.merchant.address,
        campaign.token.address,
        TRUST_MODES.indexOf(campaign.trustMode),
        keccak256(lower(metadata.bytes)),
        campaign.salt,
      ],
    );
    const receipt = await receiptOf(sales[0] ?? '');
    expect(keccak256(terms)).toBe(receipt.termsHash);
    expect(await act.termsOf(chain, BigInt(campaignId))).toBe(receipt.termsHash);
    const said = Metadata.parse(JSON.parse(metadata.text));
    expect(said).toMatchObject({
      contract: lower(chain.contract),
      merchant: campaign.merchant.address,
      campaign: { skuHash: receipt.skuHash, price: '1000000', trustMode: campaign.trustMode },
    });
  });

  it('finds the product version of the sale and of the metadata, as it was sold', async () => {
    const receipt = await receiptOf(sales[0] ?? '');
    const { data: metadata } = await client.metadata.get({ campaignId });
    const { product: said } = Metadata.parse(JSON.parse(metadata.text));
    expect(said).toEqual({ id: 'p-1', version: 1 });
    expect(receipt).toMatchObject({
      product: { id: said.id, title: 'Beans' },
      productVersion: said.version,
      refundPolicy: 'Within a week.',
    });
    const { data: version } = await client.versions.get(said);
    expect(version).toMatchObject({ title: 'Beans', refundPolicy: 'Within a week.', skuHash: SKU });
    expect(Date.parse(version.savedAt)).toBeLessThan(Date.parse(receipt.recordedAt));
    const { data: versions } = await client.versions.list({ id: said.id });
    const next = versions.items.find((one) => one.version === said.version + 1);
    expect(Date.parse(next?.savedAt ?? '')).toBeGreaterThan(Date.parse(receipt.recordedAt));
  });

  it('computes the hash of the policy that the receipt, the metadata and the chain name', async () => {
    const receipt = await receiptOf(sales[0] ?? '');
    const { data } = await client.policies.list({ campaignId });
    const policy = data.items.find(({ version }) => version === receipt.policy.version);
    if (policy === undefined) throw new Error('the list has the version of the sale');
    expect(policy.salesCount).toBe(sales.length);
    const eligibility = keccak256(
      encodeAbiParameters(parseAbiParameters('string[], string[]'), [
        policy.regions,
        policy.sharingRules,
      ]),
    );
    const hash = keccak256(
      encodeAbiParameters(
        parseAbiParameters(
          'address, uint16, uint256, uint256, uint8, uint16[], uint8, uint32, uint64, bool, bytes32',
        ),
        [
          policy.rewardToken,
          policy.commissionBps,
          BigInt(policy.perSaleCap),
          BigInt(policy.campaignLiabilityCap),
          policy.maxRewardedAncestors,
          policy.weightsBps,
          SHORT_PATH_MODES.indexOf(policy.shortPathMode),
          policy.holdSeconds,
          BigInt(Date.parse(policy.expiry) / 1_000),
          policy.excludesSelfReferral,
          eligibility,
        ],
      ),
    );
    const { data: metadata } = await client.metadata.get({ campaignId });
    expect([eligibility, hash]).toEqual([policy.eligibilityHash, policy.policyHash]);
    expect(Metadata.parse(JSON.parse(metadata.text)).policyHash).toBe(hash);
    const { data: events } = await client.events.list({
      campaignId: [campaignId],
      name: ['PolicyScheduled'],
    });
    expect(events.items.map(({ args }) => args.policyHash)).toEqual([hash]);
  });

  it('adds up the entries to the balances of accounts and to the levels of receipts', async () => {
    const entries: Entry[] = [];
    const input = { campaignId, limit: 7 };
    for await (const one of client.pages(client.ledger.entries, input)) entries.push(one);
    const sum = (kinds: readonly string[], of: (one: Entry) => boolean) =>
      entries
        .filter((one) => kinds.includes(one.kind) && of(one))
        .reduce((total, { amount }) => total + BigInt(amount), 0n);
    const accounts = [...new Set(entries.map(({ account }) => account))];
    expect(accounts).toHaveLength(3);
    for (const account of accounts) {
      const own = (one: Entry) => one.account === account;
      const { data } = await client.ledger.balances({ address: account, campaignId });
      const [reserved, released] = [sum(['reserve'], own), sum(['release'], own)];
      const [vested, claimed] = [sum(['vest'], own), sum(['claim'], own)];
      expect(data.items).toMatchObject([
        {
          reserved: String(reserved - released - vested),
          claimable: String(vested - claimed),
          claimed: String(claimed),
          refunded: String(released),
          reversed: '0',
        },
      ]);
    }
    for (const saleId of sales) {
      for (const level of (await receiptOf(saleId)).levels) {
        const own = (one: Entry) => one.saleId === saleId && one.level === level.level;
        expect([sum(['reserve'], own), sum(['release'], own), sum(['vest'], own)]).toEqual(
          [level.share, level.released, level.vested].map(BigInt),
        );
      }
    }
  });

  it('hashes events and entries to the digest of the campaign, and that to the root of the block', async () => {
    const receipt = await receiptOf(sales[0] ?? '');
    const events = [];
    const input = { campaignId, limit: 9 };
    for await (const one of client.pages(client.system.digestEvents, input)) events.push(one);
    const digest = campaignDigests(events).at(-1) ?? '';
    const sold = events.find(({ transactionHash }) => transactionHash === receipt.tx.hash);
    const { data: transaction } = await client.transactions.get({ hash: receipt.tx.hash });
    expect(transaction.items).toMatchObject([
      { name: 'SaleRecorded', saleId: receipt.saleId, sequence: sold?.sequence },
    ]);
    const { data: page } = await client.system.digest({ campaignId });
    const leaf = { campaignId, digest };
    expect(page.items).toMatchObject([leaf]);
    expect(provenRoot(leaf, page.proof ?? [])).toBe(page.root);
    const { data: all } = await client.system.digest({ block: page.block, limit: 100 });
    expect(merkleRoot(all.items)).toBe(page.root);
    const { data: block } = await client.blocks.get({ number: page.block });
    expect(block.root).toBe(page.root);
    const onChain = await chain.client.getBlock({ blockNumber: BigInt(page.block) });
    expect(block.hash).toBe(onChain.hash);
  });
});

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
}
