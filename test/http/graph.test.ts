import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { account } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';

/** Campaign 1: 1 ← 2, 3; 2 ← 4, 6; 3 ← 5; 6 ← 7; and a second root 8. Campaign 2: 9. */
function grow(): HistoryBuilder {
  const history = new HistoryBuilder();
  for (const campaignId of ['1', '2']) {
    history.create(campaignId);
    history.schedule(campaignId);
    history.fund(campaignId, 10_000_000n);
  }
  const parents = ['0', '1', '1', '2', '3', '2', '6', '0'];
  for (const [index, parent] of parents.entries()) history.join('1', String(index + 1), parent);
  history.join('2', '9');
  history.nextBlock();
  history.sell('1', '1', { nodeId: '4', pool: 100_000n, shares: [50_000n, 30_000n, 20_000n] });
  history.nextBlock();
  history.join('1', '10', '8');
  return history;
}

describe('the graph of a campaign', () => {
  const history = grow();
  let fixture: ApiFixture;
  let graph: ReturnType<ApiFixture['client']>['graph'];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    ({ graph } = fixture.client());
  });
  afterAll(() => fixture.close());

  const idsOf = (items: readonly { nodeId: string }[]) => items.map(({ nodeId }) => nodeId);

  it('lists the graph of a campaign level by level, from all roots', async () => {
    const { data } = await graph.forCampaign({ campaignId: '1' });
    expect(idsOf(data.items)).toEqual(['1', '8', '2', '3', '10', '4', '5', '6', '7']);
    expect(data).toMatchObject({
      chainId: CHAIN_ID,
      campaignId: '1',
      rootNodeId: null,
      depthMax: 5,
      nodeCount: 9,
      nextCursor: null,
    });
    expect(data.items.map(({ childCount }) => childCount)).toEqual([2, 1, 2, 1, 0, 0, 0, 1, 0]);
    expect(data.items[5]).toMatchObject({
      nodeId: '4',
      parentNodeId: '2',
      depth: 3,
      owner: account(14),
      code: encodeReferralCode('4'),
      sales: { pending: 1, finalized: 0, refunded: 0 },
    });
  });

  it('lists the graph below one node, without its siblings', async () => {
    const { data } = await graph.forCampaign({ campaignId: '1', root: '2' });
    expect(idsOf(data.items)).toEqual(['2', '4', '6', '7']);
    expect(data.rootNodeId).toBe('2');
  });

  it('goes no deeper than requested', async () => {
    const deep = async (depthMax: number, root?: string) =>
      idsOf((await graph.forCampaign({ campaignId: '1', depthMax, root })).data.items);
    expect(await deep(1)).toEqual(['1', '8']);
    expect(await deep(2)).toEqual(['1', '8', '2', '3', '10']);
    expect(await deep(1, '2')).toEqual(['2']);
    expect(await deep(2, '2')).toEqual(['2', '4', '6']);
    expect(await deep(100, '6')).toEqual(['6', '7']);
  });

  it('returns the same graph page by page, for any page size', async () => {
    for (const root of [undefined, '1']) {
      const whole = idsOf((await graph.forCampaign({ campaignId: '1', root })).data.items);
      for (const limit of [1, 2, 3, 8, 9]) {
        const nodes = [];
        for await (const node of fixture
          .client()
          .pages(graph.forCampaign, { campaignId: '1', root, limit })) {
          nodes.push(node.nodeId);
        }
        expect(nodes, `${limit}`).toEqual(whole);
      }
    }
  });

  it('rejects a cursor of another graph', async () => {
    const { data } = await graph.forCampaign({ campaignId: '1', limit: 1 });
    for (const other of [
      { campaignId: '2' },
      { campaignId: '1', root: '2' },
      { campaignId: '1', depthMax: 2 },
    ]) {
      const call = graph.forCampaign({ ...other, cursor: data.nextCursor ?? '' });
      await expect(call).rejects.toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });

  it('returns the graph as of the settled block', async () => {
    await fixture.pool`update ledger.head set settled_number = 100`;
    const { data } = await graph.forCampaign({ campaignId: '1' });
    expect(idsOf(data.items)).toEqual(['1', '8', '2', '3', '4', '5', '6', '7']);
    expect(data.nodeCount).toBe(8);
    expect(data.items[4]?.sales.pending).toBe(0);
    await fixture.pool`update ledger.head set settled_number = ${history.block}`;
  });

  it('returns 404 for an unknown campaign or root', async () => {
    for (const input of [
      { campaignId: '3' },
      { campaignId: 'demo-1' },
      { campaignId: '1', root: '9' },
      { campaignId: '1', root: '99' },
    ]) {
      await expect(graph.forCampaign(input)).rejects.toMatchObject({ status: 404 });
    }
  });

  it('refuses values that are out of range', async () => {
    for (const query of ['depthMax=0', 'depthMax=101', 'root=x', 'limit=0', 'depth=3']) {
      const response = await fixture.app().request(`/v1/campaigns/1/graph?${query}`);
      expect(response.status, query).toBe(400);
    }
  });

  it('finds nodes by id and by code, only in this campaign', async () => {
    const found = async (q: string) =>
      (await graph.search({ campaignId: '1', q })).data.items.map(({ nodeId, matched }) => [
        nodeId,
        matched,
      ]);
    expect(await found('4')).toEqual([['4', 'nodeId']]);
    expect(await found(encodeReferralCode('7') ?? '')).toEqual([['7', 'code']]);
    expect(await found((encodeReferralCode('7') ?? '').toLowerCase())).toEqual([['7', 'code']]);
    expect(await found('9')).toEqual([]);
    expect(await found(encodeReferralCode('9') ?? '')).toEqual([]);
    expect(await found('nobody')).toEqual([]);
  });

  it('finds nodes by the beginning of an owner’s address, page by page', async () => {
    const whole = await graph.search({ campaignId: '1', q: account(17).toUpperCase() });
    expect(idsOf(whole.data.items)).toEqual(['7']);
    expect(whole.data.items[0]?.matched).toBe('owner');
    const nodes = [];
    const query = { campaignId: '1', q: '0x0000', limit: 2 };
    for await (const node of fixture.client().pages(graph.search, query)) nodes.push(node.nodeId);
    expect(nodes).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '10']);
    expect((await graph.search({ campaignId: '1', q: '0xf' })).data.items).toEqual([]);
  });

  it('refuses a search text of any other form', async () => {
    for (const q of ['', '0x', '%25', 'a b', `0x${'0'.repeat(41)}`, '1'.repeat(33), '%00']) {
      const response = await fixture.app().request(`/v1/campaigns/1/graph/search?q=${q}`);
      expect(response.status, q).toBe(400);
    }
    expect((await fixture.app().request('/v1/campaigns/1/graph/search')).status).toBe(400);
  });
});
