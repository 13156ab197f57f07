import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Fact } from '../../engine/core/events.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

type Client = ReturnType<ApiFixture['client']>;
type Receipt = Awaited<ReturnType<Client['receipts']['get']>>['data'];

/** What the public totals of an account must be, counted from receipts, which settlement's own
 * tests hold against the chain. */
function countedFrom(receipts: readonly Receipt[], account: Address) {
  const own = receipts.filter(({ levels, path, buyer, merchant }) => {
    const selfDealt = buyer === merchant.address || path.some(({ owner }) => owner === buyer);
    return !selfDealt && levels.some(({ recipient }) => recipient === account);
  });
  const settled = own.filter(({ state }) => state === 'finalized');
  const stateCount = (wanted: string) => own.filter(({ state }) => state === wanted).length;
  const values = new Map<string, bigint>();
  for (const { token, amount, refundedTotal } of settled) {
    const before = values.get(token.address) ?? 0n;
    values.set(token.address, before + BigInt(amount) - BigInt(refundedTotal));
  }
  return {
    settledConversions: settled.length,
    directSales: settled.filter(({ levels }) => levels[0]?.recipient === account).length,
    refundedSales: stateCount('refunded'),
    reversedSales: stateCount('reversed'),
    pendingSales: stateCount('pending'),
    merchantCount: new Set(settled.map(({ merchant }) => merchant.address)).size,
    lastSettledAt:
      settled
        .map(({ finalizedAt }) => finalizedAt)
        .sort()
        .at(-1) ?? null,
    values,
  };
}

async function allReceipts({ receipts, pages }: Client): Promise<Receipt[]> {
  const all: Receipt[] = [];
  for await (const { saleId } of pages(receipts.recent, { limit: 100 })) {
    all.push((await receipts.get({ chainId: CHAIN_ID, saleId })).data);
  }
  return all;
}

async function allNodes({ campaigns, graph, pages }: Client) {
  const nodes = [];
  for await (const { campaignId } of pages(campaigns.list, { limit: 100 })) {
    const input = { campaignId, depthMax: 100, limit: 100 };
    for await (const node of pages(graph.forCampaign, input)) nodes.push(node);
  }
  return nodes;
}

describe.each([5, 17])('the totals of the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 400, campaigns: 3 });
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  async function readAsOf(part: number): Promise<void> {
    const last: Fact | undefined = facts[Math.floor((facts.length - 1) * part)];
    if (last === undefined) throw new Error('the history is empty');
    await fixture.pool`
      update ledger.head set settled_number = ${last.blockNumber},
        settled_hash = ${last.blockHash}, settled_timestamp = ${last.timestamp}`;
  }

  it.each([0.4, 0.7, 1])(
    'sums the totals of distributors from their receipts, at %f of the history',
    async (part) => {
      await readAsOf(part);
      const receipts = await allReceipts(client);
      const nodes = await allNodes(client);
      expect(receipts.length).toBeGreaterThan(10);
      for (const node of nodes) {
        const own = receipts.filter(({ nodeId }) => nodeId === node.nodeId);
        const count = (...states: string[]) => own.filter(({ state }) => states.includes(state));
        expect(node.sales, node.nodeId).toEqual({
          pending: count('pending').length,
          finalized: count('finalized', 'reversed').length,
          refunded: count('refunded').length,
        });
        const children = nodes.filter(({ parentNodeId }) => parentNodeId === node.nodeId);
        expect(node.childCount, node.nodeId).toBe(children.length);
      }
      for (const address of new Set(nodes.map(({ owner }) => owner))) {
        const { data } = await client.reputation.get({ addressOrHandle: address });
        const { values, ...counted } = countedFrom(receipts, address);
        expect(data.record, address).toMatchObject(counted);
        expect(data.record?.linkCount).toBe(nodes.filter(({ owner }) => owner === address).length);
        expect(
          new Map(
            data.record?.settledValues.map(({ token, value }) => [token.address, BigInt(value)]),
          ),
        ).toEqual(values);
      }
    },
  );

  it('lists distributors with the same totals, ordered by score', async () => {
    await readAsOf(1);
    await refreshRanking(fixture.pool);
    const listed = [];
    for await (const one of client.pages(client.distributors.list, { limit: 3 })) listed.push(one);
    const owners = new Set((await allNodes(client)).map(({ owner }) => owner));
    expect(new Set(listed.map(({ address }) => address))).toEqual(owners);
    expect(listed).toHaveLength(owners.size);
    const scores = [];
    for (const one of listed) {
      expect(one).toEqual((await client.distributors.get({ address: one.address })).data);
      const [conversions, merchants, retained, recency] = one.rankSignals.map(({ value }) => value);
      const score =
        4 * (conversions ?? 0) + 3 * (merchants ?? 0) + 2 * (retained ?? 0) + (recency ?? 0);
      if (one.slot === 'ranked') scores.push(score);
    }
    expect(scores.length).toBeGreaterThan(3);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});
