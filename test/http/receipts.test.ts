import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withAttachedCodes } from '../../engine/core/calldata-suffix.ts';
import type { Fact } from '../../engine/core/events.ts';
import { checkNames } from '../../engine/core/receipt-coverage.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { type Marks, saveProfiles, smallHistory } from './support/small-history.ts';

describe('receipts', () => {
  let fixture: ApiFixture;
  let marks: Marks;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = smallHistory();
    marks = history.marks;
    const facts = history.history.facts.map((fact) => withCalldata(fact));
    await fixture.settle(facts, { finalized: marks.refunded });
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  /** Two codes are attached to sale 1 and none to sale 2; of the others it is not known. */
  function withCalldata(fact: Fact): Fact {
    if (fact.name !== 'SaleRecorded') return fact;
    const { saleId } = fact.args;
    if (saleId === '1') {
      return { ...fact, calldataEnd: withAttachedCodes('0xdddddddd', ['tea-shop', 'wallet']) };
    }
    return saleId === '2' ? { ...fact, calldataEnd: '0x' } : fact;
  }

  function get(saleId: string) {
    return fixture.client().receipts.get({ chainId: CHAIN_ID, saleId });
  }

  /** Reads as of an earlier settled block, while the rows hold what came later. */
  async function asOf<T>(block: number, read: () => Promise<T>): Promise<T> {
    const settle = (settled: number, finalized: number) => fixture.pool`
      update ledger.head set settled_number = ${settled}, finalized_number = ${finalized}`;
    await settle(block, Math.min(block, marks.refunded));
    try {
      return await read();
    } finally {
      await settle(marks.last, marks.refunded);
    }
  }

  it('serves all fields of a sale, to the unit', async () => {
    const { data, meta } = await get('1');
    expect(data).toMatchObject({
      saleId: '1',
      campaignId: '1',
      buyer: account(500),
      nodeId: '4',
      amount: '1000000',
      state: 'finalized',
      refundedTotal: '400000',
      token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
      product: { id: 'p-beans', title: 'Mountain beans', skuHash: hash('sku 1') },
      merchant: { name: 'Acme Coffee', slug: 'acme', address: account(1_000) },
      trustMode: 'NATIVE_ONCHAIN',
      attestation: null,
      path: [
        { nodeId: '4', parentNodeId: '3', owner: account(14) },
        { nodeId: '3', parentNodeId: '2', owner: account(13) },
        { nodeId: '2', parentNodeId: '1', owner: account(12) },
      ],
      split: {
        gross: '100000',
        pool: '100000',
        reserved: '100000',
        returned: '0',
        liabilityBefore: '0',
        availableBefore: '10000000',
      },
      hold: { holdSeconds: 600, over: true },
      selfReferral: [],
      discrepancies: [],
      finality: 'pending',
    });
    expect(data.levels.map(({ state, released, vested }) => [state, released, vested])).toEqual([
      ['claimed', '20000', '30000'],
      ['claimable', '12000', '18000'],
      ['claimable', '8000', '12000'],
    ]);
    expect(data.missed).toEqual([
      { level: 4, nodeId: '1', recipient: account(11), reason: 'DEPTH', amount: null },
    ]);
    expect(data.transitions.map(({ name }) => name)).toEqual([
      'SaleRecorded',
      ...['RewardReleased', 'RewardReleased', 'RewardReleased', 'SaleRefunded'],
      ...['RewardVested', 'RewardVested', 'RewardVested', 'SaleFinalized'],
    ]);
    expect(data.transitions[0]?.args).not.toHaveProperty('campaignId');
    expect(data.tx).toMatchObject({ explorerUrl: null, blockNumber: String(marks.sold) });
    expect(meta.chain).toMatchObject({ chainId: CHAIN_ID, blockNumber: String(marks.last) });
  });

  it('serves a sale without a link with no path and no shares', async () => {
    const { data } = await get('2');
    expect(data).toMatchObject({ nodeId: null, path: [], levels: [], missed: [] });
    expect(data.split).toMatchObject({ gross: '100000', pool: '0', shares: [] });
  });

  it('returns the cost of a cap for each level, and the reason', async () => {
    const { data } = await get('5');
    expect(data.missed).toEqual([
      { level: 1, nodeId: '7', recipient: account(17), reason: 'SALE_CAP', amount: '45000' },
      { level: 2, nodeId: '6', recipient: account(16), reason: 'SALE_CAP', amount: '27000' },
    ]);
    expect(data.split).toMatchObject({ pool: '10000', reserved: '8000', returned: '2000' });
  });

  it('returns who attested a sale, and that it was reversed', async () => {
    const { data } = await get('4');
    expect(data.attestation).toEqual({ signer: account(1_001), nonce: '77' });
    expect(data.state).toBe('reversed');
    expect(data.levels[0]).toMatchObject({ state: 'reversed', reversed: '200000' });
    expect(data.transitions[0]?.name).toBe('SaleAttested');
  });

  it('serves a receipt that is as final as its newest event', async () => {
    expect((await get('3')).data.finality).toBe('finalized');
    expect((await get('3')).meta.chain?.finality).toBe('finalized');
    expect((await get('1')).data.finality).toBe('pending');
  });

  it('serves a receipt as of the settled block, whatever the rows contain beyond it', async () => {
    const sold = await asOf(marks.sold, () => get('1'));
    expect(sold.data).toMatchObject({ state: 'pending', refundedTotal: '0', finalizedAt: null });
    expect(sold.data.levels[0]).toMatchObject({ state: 'reserved', reserved: '50000' });
    expect(sold.data.transitions).toHaveLength(1);
    const refunded = await asOf(marks.refunded, () => get('1'));
    expect(refunded.data).toMatchObject({ state: 'pending', refundedTotal: '400000' });
    expect(refunded.data.levels[0]).toMatchObject({ state: 'reserved', reserved: '30000' });
    const finalized = await asOf(marks.finalized, () => get('1'));
    expect(finalized.data.levels[0]).toMatchObject({ state: 'claimable', vested: '30000' });
    const claimed = await asOf(marks.claimed, () => get('1'));
    expect(claimed.data.levels.map(({ state }) => state)).toEqual([
      'claimed',
      'claimable',
      'claimable',
    ]);
    await expect(asOf(marks.sold - 1, () => get('1'))).rejects.toMatchObject({ status: 404 });
    const list = await asOf(marks.sold, () => fixture.client().receipts.recent({}));
    expect(list.data.items.map(({ state }) => state)).toEqual(Array(5).fill('pending'));
  });

  it('distinguishes attached codes, no codes, and codes that are not known', async () => {
    const codes = ['tea-shop', 'wallet'].map((code) => ({ code, role: null, registry: null }));
    expect((await get('1')).data.attribution).toEqual({ nodeId: '4', codes });
    const sold = await asOf(marks.sold, () => get('1'));
    expect(sold.data.attribution).toEqual({ nodeId: '4', codes });
    expect((await get('2')).data.attribution).toEqual({ nodeId: null, codes: [] });
    expect((await get('3')).data.attribution.codes).toBeNull();
  });

  it('lists sales newest first, over pages, each once', async () => {
    const client = fixture.client();
    const seen: string[] = [];
    for await (const sale of client.pages(client.receipts.recent, { limit: 2 })) {
      seen.push(sale.saleId);
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
    const own: string[] = [];
    const input = { campaignId: '1', limit: 1 };
    for await (const sale of client.pages(client.receipts.forCampaign, input)) {
      own.push(sale.saleId);
    }
    expect(own).toEqual(['3', '2', '1']);
  });

  it('returns 404 for an unknown sale or campaign, and for another chain', async () => {
    const { receipts } = fixture.client();
    for (const saleId of ['0', '99', 'demo-1', '9'.repeat(19), '9'.repeat(78)]) {
      await expect(get(saleId)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    await expect(receipts.forCampaign({ campaignId: '99' })).rejects.toMatchObject({ status: 404 });
    await expect(receipts.get({ chainId: 1, saleId: '1' })).rejects.toMatchObject({ status: 404 });
  });

  it('returns a history event by event, over pages', async () => {
    const client = fixture.client();
    const input = { chainId: CHAIN_ID, saleId: '1', limit: 4 };
    const names: string[] = [];
    for await (const event of client.pages(client.receipts.events, input)) names.push(event.name);
    expect(names).toHaveLength(9);
    expect(names.at(-1)).toBe('SaleFinalized');
  });

  it('returns unavailable instead of an error if the chain does not answer', async () => {
    const { data } = await fixture.client().receipts.verify({ chainId: CHAIN_ID, saleId: '1' });
    expect(data.verdict).toBe('unavailable');
    expect(data.checks.map(({ status }) => status)).toEqual(checkNames.map(() => 'unavailable'));
  });
});

describe('the graph', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  it('leads from a node up to its root, over pages', async () => {
    const client = fixture.client();
    const { data } = await client.graph.ancestry({ chainId: CHAIN_ID, nodeId: '4' });
    expect(data).toMatchObject({ campaignId: '1', depth: 4, maxRewardedAncestors: 3 });
    expect(data.items.map(({ nodeId, level, weightBps }) => [nodeId, level, weightBps])).toEqual([
      ['4', 1, 5_000],
      ['3', 2, 3_000],
      ['2', 3, 2_000],
      ['1', 4, null],
    ]);
    const input = { chainId: CHAIN_ID, nodeId: '4', limit: 1 };
    const paged = [];
    for await (const node of client.pages(client.graph.ancestry, input)) paged.push(node);
    expect(paged).toEqual(data.items);
    await expect(client.graph.ancestry({ chainId: CHAIN_ID, nodeId: '99' })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('shows the path of a sale with what each level got and missed', async () => {
    const { graph } = fixture.client();
    const { data } = await graph.salePath({ chainId: CHAIN_ID, saleId: '1' });
    expect(data).toMatchObject({ nodeId: '4', depth: 4, maxRewardedAncestors: 3 });
    expect(data.items.map(({ level, share, state }) => [level, share, state])).toEqual([
      [1, '50000', 'claimed'],
      [2, '30000', 'claimable'],
      [3, '20000', 'claimable'],
      [4, null, null],
    ]);
    expect(data.items[3]?.missed).toEqual([{ reason: 'DEPTH', amount: null }]);
    const direct = await graph.salePath({ chainId: CHAIN_ID, saleId: '2' });
    expect(direct.data).toMatchObject({ nodeId: null, depth: 0, items: [], nextCursor: null });
  });
});

describe('a self-referral', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    for (const [parent, node] of ['0', '1', '2', '3'].entries()) {
      history.join('1', String(parent + 1), node);
    }
    const split = { nodeId: '4', pool: 100_000n, shares: [50_000n, 30_000n, 20_000n] };
    // Nodes 4, 3 and 2 are rewarded; node 1 is beyond them.
    for (const [sale, owner] of [14, 12, 11, 500].entries()) {
      history.sell('1', String(sale + 1), { ...split, buyer: account(owner) });
    }
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  it('lists what an account bought, by its address in any case', async () => {
    const buyer = account(14);
    for (const asked of [buyer, `0x${buyer.slice(2).toUpperCase()}` as const]) {
      const { data } = await fixture.client().receipts.recent({ buyer: asked });
      expect(data.items.map(({ saleId }) => saleId)).toEqual(['1']);
    }
  });

  it.each([
    ['1', ['4'], 'the selling node'],
    ['2', ['2'], 'a level above'],
    ['3', [], 'no rewarded node'],
    ['4', [], 'no node'],
  ] as const)(
    'shows in the receipt of sale %s as %j if its buyer owns %s',
    async (saleId, nodes, _owned) => {
      const { data } = await fixture.client().receipts.get({ chainId: CHAIN_ID, saleId });
      expect(data.selfReferral).toEqual(nodes);
    },
  );
});
