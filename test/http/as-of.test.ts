import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

const SEEDS = [3, 29];

/** A ledger that is ahead of its settled block must answer as one that stopped there. */
describe.each(SEEDS)('reads of the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 250, campaigns: 3 });
  let ahead: ApiFixture;

  /** What the ledger returned when it ended there. */
  const ends: { readonly until: readonly Fact[]; readonly returned: unknown }[] = [];

  beforeAll(async () => {
    ahead = await ApiFixture.open();
    let settled = 0;
    for (const part of [0.2, 0.5, 0.8]) {
      const last = facts[Math.floor(facts.length * part)]?.blockNumber ?? 0;
      const until = facts.filter(({ blockNumber }) => blockNumber <= last);
      await ahead.settle(until.slice(settled));
      settled = until.length;
      ends.push({ until, returned: await everything(ahead) });
    }
    await ahead.settle(facts.slice(settled));
  });
  afterAll(() => ahead.close());

  it('returns responses that fit their schemas, sale by sale and node by node, with no discrepancy', async () => {
    const { receipts, graph, campaigns, system } = ahead.client();
    const { data } = await system.status();
    expect(data).toMatchObject({ status: 'ok', discrepancies: { count: 0 } });
    for (let id = 1; id <= data.counts.sales; id += 1) {
      const sale = { chainId: CHAIN_ID, saleId: String(id) };
      const { data: receipt } = await receipts.get(sale);
      await receipts.events(sale);
      await graph.salePath(sale);
      for (const level of receipt.levels) {
        const parts = [level.reserved, level.released, level.vested].map(BigInt);
        expect(parts.reduce((a, b) => a + b)).toBe(BigInt(level.share));
      }
    }
    for (let id = 1; id <= data.counts.nodes; id += 7) {
      await graph.ancestry({ chainId: CHAIN_ID, nodeId: String(id) });
    }
    await campaigns.list({ limit: 100 });
    await receipts.recent({ limit: 100 });
  });

  it('responds at a past block as it did when it ended there', async () => {
    for (const { until, returned } of ends) {
      await settleHeadAt(ahead, until);
      expect(await everything(ahead)).toEqual(returned);
    }
    await settleHeadAt(ahead, facts);
  });
});

async function settleHeadAt({ pool }: ApiFixture, facts: readonly Fact[]): Promise<void> {
  const last = facts.at(-1);
  if (last === undefined) return;
  await pool`
    update ledger.head set settled_number = ${last.blockNumber},
      settled_hash = ${last.blockHash}, settled_timestamp = ${last.timestamp}`;
}

/** All that the public methods tell, but when it was indexed. */
async function everything(fixture: ApiFixture): Promise<unknown> {
  const { campaigns, receipts, checkout, merchants } = fixture.client();
  const list = await campaigns.list({ sort: 'newest', limit: 100 });
  const sales = await receipts.recent({ limit: 100 });
  const reported: unknown[] = [list, sales].map(({ data, meta }) => [data, meta.chain]);
  for (const { campaignId } of list.data.items) {
    const { data, meta } = await campaigns.get({ campaignId });
    reported.push({ ...data, indexedAt: null }, meta.chain);
    reported.push((await campaigns.policy({ campaignId })).data);
    reported.push((await receipts.forCampaign({ campaignId, limit: 100 })).data);
    const stats = await campaigns.stats({ campaignId });
    expect(reservedOf(stats.data.rewards), campaignId).toBe(data.rewardLedger.pendingReserved);
    reported.push(stats.data, stats.meta.chain);
    reported.push((await campaigns.activity({ campaignId, limit: 100 })).data);
    reported.push((await checkout.preview({ campaignId })).data);
    const { data: record, meta: recordMeta } = await merchants.record({ slug: data.merchant.slug });
    reported.push(record, recordMeta.chain);
  }
  for (const { saleId } of sales.data.items) {
    const { data, meta } = await receipts.get({ chainId: CHAIN_ID, saleId });
    reported.push(data, meta.chain);
  }
  return JSON.parse(
    JSON.stringify(reported, (key, value) => (key === 'nextCursor' ? null : value)),
  );
}

function reservedOf(rewards: {
  readonly atRisk: string;
  readonly readyToFinalize: string;
}): string {
  return (BigInt(rewards.atRisk) + BigInt(rewards.readyToFinalize)).toString();
}
