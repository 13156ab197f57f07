import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methods } from '../../engine/contract/registry.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('system', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts, { finalized: 101 });
  });
  afterAll(() => fixture.close());

  it('serves the registry, with JSON Schemas of live methods', async () => {
    const { data } = await fixture.client().system.endpoints();
    expect(data.items.map(({ name }) => name)).toEqual(methods.map(({ name }) => name));
    const list = data.items.find(({ name }) => name === 'campaigns.list');
    expect(list).toMatchObject({
      method: 'GET',
      path: '/v1/campaigns',
      access: 'public',
      availability: 'live',
      documentedName: 'campaigns.list',
      input: { query: { type: 'object', additionalProperties: false } },
      output: { type: 'object', required: ['items', 'nextCursor', 'total'] },
    });
    const undocumented = data.items.filter(({ documentedName }) => documentedName === null);
    const own = methods.filter(({ documentedName }) => documentedName === null);
    expect(undocumented.map(({ name }) => name)).toEqual(own.map(({ name }) => name));
    expect(own.map(({ name }) => name)).toContain('system.audit');
  });

  it('reports the head of each part', async () => {
    const { data, meta } = await fixture.client().system.status();
    expect(data).toMatchObject({
      status: 'ok',
      deployment: { chainId: CHAIN_ID },
      chain: { number: '106' },
      indexed: { number: '106', ready: true },
      settled: { number: '106' },
      finalized: '101',
      lag: { indexer: 0, settlement: 0, total: 0 },
      counts: { campaigns: 3, nodes: 7, sales: 5 },
      queue: { waiting: 0, active: 0, delayed: 0 },
      discrepancies: { count: 0, campaigns: [] },
      stopped: [],
      alarms: [],
    });
    expect(meta.chain?.blockNumber).toBe('106');
  });

  it('raises an alarm for a discrepancy, a stopped campaign and an unreachable queue', async () => {
    await fixture.pool`
      insert into ledger.discrepancy (campaign_id, seq, ordinal, kind, expected, actual)
      values (2, 1, 0, 'POOL', '1', '2'), (2, 1, 1, 'SHARE', '1', '2')`;
    await fixture.pool`
      update ledger.cursor set stopped_at = now(), stopped_reason = 'a fact is missing'
      where campaign_id = 3`;
    const queueStats = () => Promise.reject(new Error('redis://user:secret@host is away'));
    const { data } = await fixture.client({ queueStats }).system.status();
    expect(data).toMatchObject({
      status: 'attention',
      queue: null,
      discrepancies: { count: 2, campaigns: ['2'] },
      stopped: [{ campaignId: '3', reason: 'a fact is missing' }],
    });
    expect(data.alarms).toEqual([
      'Settlement stopped campaign 3: a fact is missing',
      'Campaign 2 has 2 discrepancies.',
      'The queue of settlement does not answer.',
    ]);
    expect(JSON.stringify(data)).not.toContain('secret');
  });
});
