import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { applyAll, emptyCampaign } from '../../engine/core/fold/index.ts';
import { risksOf } from '../../engine/core/risks.ts';
import { countOpen } from '../../engine/db/commerce/count-open.ts';
import { account, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { signedIn } from './support/session.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const DAY = 86_400;

/** The beginning of the day, in UTC, that a moment in unix seconds is of. */
const dayOf = (seconds: number) => new Date(Math.floor(seconds / DAY) * DAY * 1_000).toISOString();

describe('the links of the small history', () => {
  const { history, marks } = smallHistory();
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    const day = dayOf(marks.lastTime).slice(0, 10);
    for (const n of [1, 1, 2]) {
      const visitor = new Uint8Array(16).fill(n);
      await countOpen(fixture.pool, { campaignId: '1', nodeId: '1', day, visitor });
    }
  });
  afterAll(() => fixture.close());

  it('returns an account’s own links, with fields that only it can see', async () => {
    const { links } = await fixture.clientAs(account(12));
    const { data } = await links.mine();
    const { data: open } = await links.get({ nodeId: '2' });
    expect(data).toEqual({
      items: [
        {
          ...open,
          label: null,
          // Sale 1, by node 4, gave node 2 its third level.
          networkSales: 1,
          opens: 0,
          rewards: {
            ...{ atRisk: '0', readyToFinalize: '0', claimable: '12000' },
            ...{ claimed: '0', refunded: '8000', reversed: '0' },
          },
        },
      ],
      nextCursor: null,
    });
    expect((await links.mine({ campaignId: '2' })).data.items).toEqual([]);
    expect((await links.mine({ campaignId: 'demo-1' })).data.items).toEqual([]);
  });

  it('labels a link, changes the label and removes it', async () => {
    const { links } = await fixture.clientAs(account(12));
    const read = async () => (await links.mine()).data.items.map(({ label }) => label);
    const { data } = await links.label({ nodeId: '2', label: 'Newsletter 🎉' });
    expect(data).toEqual({ nodeId: '2', campaignId: '1', label: 'Newsletter 🎉' });
    expect(await read()).toEqual(['Newsletter 🎉']);
    await links.label({ nodeId: '2', label: 'Blog' });
    expect(await read()).toEqual(['Blog']);
    const { data: gone } = await links.label({ nodeId: '2', label: null });
    expect(gone.label).toBeNull();
    expect(await read()).toEqual([null]);
    for (const label of ['', ' Blog', 'x'.repeat(101), 'a\u0000b']) {
      await expect(links.label({ nodeId: '2', label })).rejects.toMatchObject({
        status: 400,
        issues: [{ path: 'label' }],
      });
    }
  });

  it('lets only the owner of a link label it', async () => {
    const { links } = await fixture.clientAs(account(12));
    await expect(links.label({ nodeId: '1', label: 'Mine' })).rejects.toMatchObject({
      status: 403,
    });
    await expect(links.label({ nodeId: '99', label: 'Mine' })).rejects.toMatchObject({
      status: 404,
    });
    expect(await fixture.pool`select 1 from commerce.link_label`).toEqual([]);
  });

  it('shows the label of a link to its owner only', async () => {
    const label = 'Only for me';
    const owner = await fixture.clientAs(account(12));
    await owner.links.label({ nodeId: '2', label });
    const code = (await owner.links.get({ nodeId: '2' })).data.code;
    const paths = [
      '/v1/links/2',
      `/v1/referrals/${code}`,
      '/v1/campaigns/1/graph?limit=100',
      `/v1/campaigns/1/graph/search?q=${code}`,
      '/v1/nodes/31337/2/ancestry',
      '/v1/campaigns/1/join-preview?parentNodeId=2',
      '/v1/search?q=Only',
      '/v1/me/links?limit=100',
      '/v1/me/graph?limit=100',
      '/v1/merchant/campaigns/1/distributors',
      `/v1/merchant/partners/${account(12)}`,
      `/v1/merchant/partners/${account(12)}/sales`,
      `/v1/distributors/${account(12)}`,
    ];
    // A node above, one below, the merchant, and somebody without a session.
    const callers = [account(11), account(13), account(1_000), undefined];
    const app = fixture.app();
    for (const caller of callers) {
      const headers = caller && (await signedIn(fixture.deps, caller)).reading;
      for (const path of paths) {
        const text = await (await app.request(path, headers && { headers })).text();
        expect(text, `${path} of ${caller}`).not.toContain(label);
      }
    }
    // The owner's own list has it; everything else that the owner reads has not.
    const { reading } = await signedIn(fixture.deps, account(12));
    const own = [];
    for (const path of paths) {
      const text = await (await app.request(path, { headers: reading })).text();
      if (text.includes(label)) own.push(path);
    }
    expect(own).toEqual(['/v1/me/links?limit=100']);
  });

  it('forgets the label of a node that a reorg gave to another account, and shows it to the owner again', async () => {
    const move = async (owner: string) =>
      await fixture.pool`update ledger.node set owner = ${owner} where node_id = 2`;
    const owner = await fixture.clientAs(account(12));
    await owner.links.label({ nodeId: '2', label: 'Before' });
    const other = await fixture.clientAs(account(40));
    await move(account(40));
    try {
      const theirs = (await other.links.mine()).data.items;
      expect(theirs.map(({ nodeId, label }) => [nodeId, label])).toEqual([['2', null]]);
      await expect(owner.links.label({ nodeId: '2', label: 'x' })).rejects.toMatchObject({
        status: 403,
      });
    } finally {
      await move(account(12));
    }
    expect((await owner.links.mine()).data.items).toMatchObject([{ label: 'Before' }]);
  });

  it('counts opens, sales and joins of a link by day', async () => {
    const { links } = await fixture.clientAs(account(11));
    expect((await links.mine()).data.items).toMatchObject([{ nodeId: '1', opens: 3 }]);
    const { data } = await links.stats({ nodeId: '1' });
    expect(data.series).toHaveLength(30);
    expect(data.series.at(-1)).toEqual({
      at: dayOf(marks.lastTime),
      ...{ opens: 3, visitors: 2 },
      // Sale 3 was refunded in whole; node 2 joined under it.
      sales: { pending: 0, finalized: 0, refunded: 1 },
      ...{ value: '0', joins: 1 },
    });
    expect(data.totals).toEqual({
      ...{ opens: 3, visitors: 2, value: '0', joins: 1 },
      sales: { pending: 0, finalized: 0, refunded: 1 },
    });
    const seller = await fixture.clientAs(account(14));
    const { data: sold } = await seller.links.stats({ nodeId: '4' });
    // 1,000,000 paid, 400,000 given back.
    expect(sold.totals).toMatchObject({ value: '600000', sales: { finalized: 1 } });
  });

  it('extends a range to whole days, of which at most 366 are allowed', async () => {
    const { links } = await fixture.clientAs(account(11));
    const to = '2023-11-14T00:00:01Z';
    const { data } = await links.stats({
      nodeId: '1',
      range: { from: '2023-11-13T23:59:59Z', to },
    });
    expect(data.period).toEqual({
      from: '2023-11-13T00:00:00.000Z',
      to: '2023-11-15T00:00:00.000Z',
    });
    expect(data.series.map(({ at, joins }) => [at, joins])).toEqual([
      ['2023-11-13T00:00:00.000Z', 0],
      ['2023-11-14T00:00:00.000Z', 1],
    ]);
    const year = { from: '2023-01-01T00:00:00Z', to: '2024-01-02T00:00:00Z' };
    expect((await links.stats({ nodeId: '1', range: year })).data.series).toHaveLength(366);
    for (const wrong of [
      '2024-01-02T00:00:00.001Z',
      '2023-01-01T00:00:00Z',
      '2022-01-01T00:00:00Z',
    ]) {
      const range = { from: year.from, to: wrong };
      await expect(links.stats({ nodeId: '1', range })).rejects.toMatchObject({
        status: 400,
        issues: [{ path: 'range.to' }],
      });
    }
  });

  it('refuses the statistics of a link to a stranger', async () => {
    const { links } = await fixture.clientAs(account(12));
    await expect(links.stats({ nodeId: '1' })).rejects.toMatchObject({ status: 403 });
    await expect(links.stats({ nodeId: '99' })).rejects.toMatchObject({ status: 404 });
  });

  it('previews a link under a node, with the reward that each level would get', async () => {
    const { links } = await fixture.clientAs(account(30));
    const { data } = await links.joinPreview({ campaignId: '1', parentNodeId: '2' });
    expect(data).toMatchObject({
      ...{ depth: 3, eligible: true, reasons: [], ownNodes: [], nodesLeft: 996 },
      parent: { nodeId: '2', owner: account(12) },
      campaign: { campaignId: '1', price: '1000000' },
      levels: [
        { level: 1, weightBps: 5_000, exampleReward: '50000' },
        { level: 2, weightBps: 3_000, exampleReward: '30000' },
        { level: 3, weightBps: 2_000, exampleReward: '20000' },
      ],
      transaction: { value: '0', simulation: { status: 'unavailable' } },
    });
    expect(data.risks).toEqual(risksOf({ trustMode: 'NATIVE_ONCHAIN', inviteOnly: false }));
    const { data: other } = await links.joinPreview({ campaignId: '2' });
    expect(other.risks).toEqual(risksOf({ trustMode: 'MERCHANT_ATTESTED', inviteOnly: false }));
    const { data: closed } = await links.joinPreview({ campaignId: '3' });
    expect(closed.risks).toEqual(risksOf({ trustMode: 'NATIVE_ONCHAIN', inviteOnly: true }));
    const { data: root } = await links.joinPreview({ campaignId: '1' });
    // A root has the whole: the weights of the levels that it lacks are shared out again.
    expect(root.levels).toEqual([{ level: 1, weightBps: 5_000, exampleReward: '100000' }]);
    expect([root.depth, root.parent]).toEqual([1, null]);
    await expect(links.joinPreview({ campaignId: '1', parentNodeId: '5' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(links.joinPreview({ campaignId: '9' })).rejects.toMatchObject({ status: 404 });
  });

  it('returns a graph that begins with the account’s own nodes', async () => {
    const { graph } = await fixture.clientAs(account(12));
    const { data } = await graph.mine();
    expect(data.items.map((one) => [one.nodeId, one.own, one.level, one.depth])).toEqual([
      ['2', true, 1, 2],
      ['3', false, 2, 3],
      ['4', false, 3, 4],
    ]);
    const { data: short } = await graph.mine({ depthMax: 2 });
    expect(short.items).toEqual(data.items.slice(0, 2));
    expect((await graph.mine({ campaignId: '3' })).data.items).toEqual([]);
  });
});

describe('joining', () => {
  const history = new HistoryBuilder();
  for (const campaignId of ['1', '2', '3', '4', '5']) {
    const inviteOnly = campaignId === '1';
    const nodeCapacity = campaignId === '2' ? 1 : 1_000;
    const endsAt = campaignId === '5' ? 1_700_000_050 : 4_000_000_000;
    history.create(campaignId, { inviteOnly, nodeCapacity, endsAt });
    history.schedule(campaignId);
  }
  history.join('2', '1');
  history.add('3', { name: 'CampaignPaused', args: {} });
  history.add('4', { name: 'CampaignEnded', args: {} });
  const allow = (allowed: boolean) => {
    history.nextBlock(20);
    history.add('1', { name: 'DistributorAllowed', args: { account: account(30), allowed } });
  };
  allow(true);
  const allowedAt = history.facts.at(-1);
  allow(false);
  allow(true);
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
  });
  afterAll(() => fixture.close());

  it.each([
    ['1', ['not_allowed'], 1_000],
    ['2', ['capacity_full'], 0],
    ['3', ['paused'], 1_000],
    ['4', ['ended'], 1_000],
    ['5', ['expired'], 1_000],
  ])('campaign %s is refused for %j, without a transaction', async (campaignId, reasons, left) => {
    const { links } = await fixture.clientAs(account(31));
    const { data } = await links.joinPreview({ campaignId });
    expect(data).toMatchObject({ eligible: false, reasons, nodesLeft: left, transaction: null });
  });

  it('opens an invite-only campaign to accounts that are allowed at the settled block', async () => {
    const { links } = await fixture.clientAs(account(30));
    const mayJoin = async () => (await links.joinPreview({ campaignId: '1' })).data.eligible;
    expect(await mayJoin()).toBe(true);
    const at = async (block: number) =>
      void (await fixture.pool`update ledger.head set settled_number = ${block}`);
    await at((allowedAt?.blockNumber ?? 0) + 1);
    expect(await mayJoin()).toBe(false);
    await at(allowedAt?.blockNumber ?? 0);
    expect(await mayJoin()).toBe(true);
    await at((allowedAt?.blockNumber ?? 0) - 1);
    expect(await mayJoin()).toBe(false);
    await at(history.block);
  });

  it('names the nodes that exist already', async () => {
    const { links } = await fixture.clientAs(account(11));
    expect((await links.joinPreview({ campaignId: '2' })).data.ownNodes).toEqual(['1']);
  });
});

describe.each([2, 8])('the links of the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 500, campaigns: 3 });
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
  });
  afterAll(() => fixture.close());

  it.each([1, 0.6])(
    'returns links as the core computes them at %f of the history, page by page',
    async (part) => {
      const last = facts[Math.floor((facts.length - 1) * part)];
      if (last === undefined) throw new Error('There are no facts.');
      await fixture.pool`
      update ledger.head set settled_number = ${last.blockNumber},
        settled_hash = ${last.blockHash}, settled_timestamp = ${last.timestamp}`;
      const states = statesOf(facts.filter(({ blockNumber }) => blockNumber <= last.blockNumber));
      const nodes = states.flatMap((state) =>
        [...state.nodes.values()].map((node) => ({ ...node, state })),
      );
      let network = 0;
      for (let n = 10; n < 35; n += 1) {
        const owner = account(n);
        const client = await fixture.clientAs(owner);
        const own = nodes.filter((node) => node.owner === owner);
        const found = [];
        for await (const link of client.pages(client.links.mine, { limit: 2 })) found.push(link);
        expect(found.map(({ nodeId }) => nodeId)).toEqual(
          own.map(({ nodeId }) => nodeId).sort((a, b) => Number(b) - Number(a)),
        );
        for (const link of found) {
          const state = states.find(({ campaignId }) => campaignId === link.campaign.campaignId);
          const below = [...(state?.sales.values() ?? [])].filter(
            (sale) =>
              sale.state === 'finalized' &&
              sale.levels.some(({ nodeId, level }) => nodeId === link.nodeId && level > 1),
          );
          expect(link.networkSales).toBe(below.length);
          network += below.length;
          expect(link.rewards.claimed).toBe(String(state?.accounts.get(owner)?.claimed ?? 0n));
        }

        const graph = [];
        for await (const one of client.pages(client.graph.mine, { limit: 3, depthMax: 100 })) {
          graph.push(one);
        }
        const levels = nodes.flatMap(({ nodeId, state }) => {
          const level = levelBelow(state.nodes, nodeId, owner);
          return level === undefined ? [] : [`${level} ${state.campaignId} ${nodeId}`];
        });
        const reported = graph.map((one) => `${one.level} ${one.campaignId} ${one.nodeId}`);
        expect([...reported].sort()).toEqual(levels.sort());
        expect(graph.map(({ level }) => level)).toEqual(
          graph.map(({ level }) => level).sort((a, b) => a - b),
        );
        expect(graph.filter((one) => one.own).length).toBe(own.length);
      }
      expect(network).toBeGreaterThan(0);
    },
  );
});

function statesOf(facts: readonly Fact[]) {
  const campaignIds = [...new Set(facts.map(({ campaignId }) => campaignId))];
  return campaignIds.map((campaignId) => {
    const own = facts.filter((fact) => fact.campaignId === campaignId);
    return applyAll(emptyCampaign(campaignId), own).state;
  });
}

/** 1 for an own node, 2 for a child of one; from the nearest own node above. */
function levelBelow(
  nodes: ReturnType<typeof emptyCampaign>['nodes'],
  nodeId: string,
  owner: string,
): number | undefined {
  let level = 1;
  for (let node = nodes.get(nodeId); node !== undefined; level += 1) {
    if (node.owner === owner) return level;
    node = node.parentNodeId === null ? undefined : nodes.get(node.parentNodeId);
  }
  return undefined;
}
