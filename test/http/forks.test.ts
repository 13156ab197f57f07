import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { stopCampaign } from '../../engine/db/write/cursor.ts';
import { hash, randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleJob } from '../support/settle-jobs.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

const facts = randomHistory({ seed: 61, steps: 200, campaigns: 3 });
const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
const lastBlock = blocks.at(-1) ?? 0;
/** Recorded as final below. */
const finalBlock = blocks.at(-40) ?? 0;
/** The first block that the reorg replaces: every campaign has events above it. */
const forkBlock = blocks.at(-30) ?? 0;
const fork = facts.map((fact) =>
  fact.blockNumber < forkBlock ? fact : { ...fact, blockHash: hash(`fork ${fact.blockNumber}`) },
);

const opened: ApiFixture[] = [];
let api: ApiFixture;
let fixture: SettleFixture;

async function settledApi(history: readonly Fact[]): Promise<[ApiFixture, SettleFixture]> {
  const opening = await ApiFixture.open();
  opened.push(opening);
  const settling = new SettleFixture(opening.pool);
  await settling.index(history, { finalized: finalBlock });
  await settling.settle();
  return [opening, settling];
}

beforeEach(async () => {
  [api, fixture] = await settledApi(facts);
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

afterAll(() => {
  expect(blocks.length).toBeGreaterThan(50);
});

describe('while a reorg is being rolled back campaign by campaign', () => {
  /** Lets indexer and chain have the fork, and settles one campaign of those that are missing facts. */
  async function rollBackOne(): Promise<readonly (readonly string[])[]> {
    await fixture.index(
      fork.filter(({ blockNumber }) => blockNumber >= forkBlock),
      { finalized: finalBlock },
    );
    const { jobs } = await fixture.tick();
    const [first, ...rest] = jobs;
    if (first === undefined || rest.length === 0) throw new Error('several campaigns are affected');
    const { pool, chain } = fixture;
    const [settled] = await settleJob({ pool, chain, keccak256: keccak, batchSize: 1_000 }, first);
    expect(settled?.rolledBack).toBeGreaterThan(0);
    return rest;
  }

  it('refuses a root, reports that in every response, and continues when all are on one fork', async () => {
    await rollBackOne();
    const client = api.client();
    await expect(client.system.digest({})).rejects.toMatchObject({
      status: 503,
      code: 'NOT_READY',
    });
    const { data: below } = await client.system.digest({ block: String(finalBlock) });
    expect(below.campaigns).toBe(3);
    const { meta } = await client.campaigns.list({});
    expect(meta.chain).toMatchObject({ finality: 'pending', reorg: true });

    await fixture.settle();
    await fixture.tick();
    const { data, meta: after } = await client.system.digest({});
    expect(after.chain).not.toHaveProperty('reorg');
    const [fresh] = await settledApi(fork);
    expect(data.root).toBe((await fresh.client().system.digest({})).data.root);
  });

  it('continues a rollback after a tick from before the last rollback', async () => {
    await rollBackOne();
    await fixture.tick();
    expect((await readHeads(fixture.pool))?.rollingBack).toBe(true);
  });

  it('reports no block as safe, and final blocks still as final', async () => {
    await fixture.pool`update ledger.head set safe_number = ${lastBlock}`;
    const [sale] = facts.filter(({ name }) => name === 'SaleRecorded').slice(-1);
    if (sale?.name !== 'SaleRecorded') throw new Error('the history has a sale');
    const read = () => api.client().receipts.get({ chainId: CHAIN_ID, saleId: sale.args.saleId });
    expect((await read()).data.finality).toBe('safe');
    await rollBackOne();
    expect((await read()).data.finality).toBe('pending');
  });
});

describe('a campaign that settlement has stopped', () => {
  const REASON = 'event 1 of block 2 was final and has been replaced by the chain';

  beforeEach(async () => {
    // Everything is final, so that only the stop can make an answer pending.
    await fixture.pool`
      update ledger.head set finalized_number = settled_number, finalized_hash = settled_hash`;
    await stopCampaign(fixture.pool, '2', REASON);
  });

  const saleOf = (campaignId: string): string => {
    const sale = facts.find(
      (fact) => fact.name === 'SaleRecorded' && fact.campaignId === campaignId,
    );
    if (sale?.name !== 'SaleRecorded') throw new Error('each campaign has a sale');
    return sale.args.saleId;
  };

  it('reports a stopped campaign as never final, and in every response that it is stopped and why', async () => {
    const client = api.client();
    const saleId = saleOf('2');
    const answers = await Promise.all([
      client.campaigns.get({ campaignId: '2' }),
      client.campaigns.stats({ campaignId: '2' }),
      client.campaigns.activity({ campaignId: '2' }),
      client.campaigns.policy({ campaignId: '2' }),
      client.receipts.get({ chainId: CHAIN_ID, saleId }),
      client.receipts.events({ chainId: CHAIN_ID, saleId }),
      client.receipts.forCampaign({ campaignId: '2' }),
      client.receipts.verify({ chainId: CHAIN_ID, saleId }),
      client.system.digestEvents({ campaignId: '2' }),
    ]);
    for (const { meta } of answers) {
      expect(meta.chain?.finality).toBe('pending');
      expect(meta.chain?.stopped).toMatchObject({
        count: 1,
        campaigns: [{ campaignId: '2', reason: REASON }],
      });
    }
    const { data } = await client.receipts.get({ chainId: CHAIN_ID, saleId });
    expect(data.finality).toBe('pending');
  });

  it('still reports the other campaigns as final', async () => {
    const client = api.client();
    const answers = await Promise.all([
      client.campaigns.get({ campaignId: '1' }),
      client.receipts.get({ chainId: CHAIN_ID, saleId: saleOf('1') }),
      client.receipts.forCampaign({ campaignId: '1' }),
    ]);
    for (const { meta } of answers) {
      expect(meta.chain?.finality).toBe('finalized');
      expect(meta.chain).not.toHaveProperty('stopped');
    }
  });

  it('names the stopped campaign in responses about several campaigns, which are then not final', async () => {
    const client = api.client();
    const answers = await Promise.all([
      client.campaigns.list({}),
      client.receipts.recent({}),
      client.distributors.list({}),
    ]);
    for (const { meta } of answers) {
      expect(meta.chain?.finality).toBe('pending');
      expect(meta.chain?.stopped?.campaigns.map(({ campaignId }) => campaignId)).toEqual(['2']);
    }
  });

  it('leaves the stopped campaign out of the root, and says so', async () => {
    const { data, meta } = await api.client().system.digest({});
    expect(data).toMatchObject({ campaigns: 2, leftOut: ['2'] });
    expect(data.items.map(({ campaignId }) => campaignId)).toEqual(['1', '3']);
    expect(meta.chain?.finality).toBe('finalized');
  });
});
