import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { blockAt, chainOf } from './support/chain-of-facts.ts';

const SEEDS = [5, 17];

describe.each(SEEDS)('as of a block of the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 120, campaigns: 3 });
  const last = facts.at(-1)?.blockNumber ?? 0;
  /** What the ledger returned when a block was its settled block. */
  const returnedAt = new Map<number, Awaited<ReturnType<typeof readings>>>();
  let whole: ApiFixture;

  beforeAll(async () => {
    whole = await ApiFixture.open({ client: chainOf(facts).client });
    let settled = 0;
    for (const number of [...blocksAt([0.05, 0.4, 0.8]), last]) {
      const next = facts.filter((one) => one.blockNumber > settled && one.blockNumber <= number);
      await whole.settle(next);
      settled = number;
      if (number < last) returnedAt.set(number, await readings(whole));
    }
  }, 300_000);
  afterAll(() => whole.close());

  /** Blocks with events, at parts of the history. */
  function blocksAt(parts: readonly number[]): number[] {
    const numbers = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
    return parts.flatMap((part) => numbers[Math.floor(numbers.length * part)] ?? []);
  }

  it('returns at a block what it returned when that block was settled', async () => {
    expect(returnedAt.size).toBe(3);
    for (const [number, then] of returnedAt) {
      expect(await readings(whole, String(number))).toEqual(then);
      expect(then.everything.length).toBeGreaterThan(9);
      expect(then.vaults.length).toBeGreaterThan(5);
    }
  }, 300_000);

  it('returns the same with and without atBlock of the settled block, without calling the chain', async () => {
    const { client, asked: requested } = chainOf(facts);
    const api = whole.client({ client });
    expect(await everything(api, String(last))).toEqual(await everything(api));
    expect(requested).toEqual([]);
  });
});

describe('atBlock', () => {
  const facts = randomHistory({ seed: 23, steps: 120, campaigns: 2 });
  const last = facts.at(-1)?.blockNumber ?? 0;
  const sale = facts.find((fact) => fact.name === 'SaleRecorded');
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
  });
  afterAll(() => fixture.close());

  it('reads the time of a block without events from the chain, to decide whether a hold is over', async () => {
    const due = facts.findLast((fact) => fact.name === 'SaleRecorded');
    if (due?.name !== 'SaleRecorded') throw new Error('the history has a sale');
    // A gap before the settled block, long enough for the hold to end in it.
    const gap = Math.max(1, due.args.holdUntil - due.timestamp);
    const end = { number: last + 2 * gap, timestamp: (facts.at(-1)?.timestamp ?? 0) + 2 * gap };
    await fixture.pool`
      update ledger.head set settled_number = ${end.number}, chain_number = ${end.number},
        settled_hash = ${hash(`block ${end.number}`)}, settled_timestamp = ${end.timestamp}`;
    const { receipts } = fixture.client({ client: chainOf(facts).client });
    const over = async (atBlock: number) => {
      const input = { chainId: CHAIN_ID, saleId: due.args.saleId, atBlock: String(atBlock) };
      return (await receipts.get(input)).data.hold.over;
    };
    const until = Array.from({ length: 2 * gap }, (_, i) => last + i).find(
      (number) => blockAt(facts, number).timestamp >= due.args.holdUntil,
    );
    expect(until).toBeGreaterThan(last);
    expect(await over((until ?? 0) - 1)).toBe(false);
    expect(await over(until ?? 0)).toBe(true);
  });

  it('rejects an atBlock that is above the settled block, before the contract, or not a height', async () => {
    const { client } = chainOf(facts);
    const deployment = { ...fixture.deps.deployment, startBlock: 100 };
    const { campaigns, graph, receipts } = fixture.client({ client, deployment });
    for (const atBlock of ['99', '999999999', '-1', '1.5', 'latest', '0100', '']) {
      const refused = {
        status: 400,
        issues: [expect.objectContaining({ path: 'atBlock' })],
      };
      await expect(campaigns.get({ campaignId: '1', atBlock })).rejects.toMatchObject(refused);
      const node = { chainId: CHAIN_ID, nodeId: '1', atBlock };
      await expect(graph.ancestry(node)).rejects.toMatchObject(refused);
      const receipt = { chainId: CHAIN_ID, saleId: '1', atBlock };
      await expect(receipts.events(receipt)).rejects.toMatchObject(refused);
    }
  });

  it('returns 404 for a sale, node or campaign that did not exist at atBlock', async () => {
    const { receipts, campaigns } = fixture.client({ client: chainOf(facts).client });
    const at = (sale?.blockNumber ?? 0) - 1;
    const saleId = sale?.name === 'SaleRecorded' ? sale.args.saleId : '';
    const early = { chainId: CHAIN_ID, saleId, atBlock: String(at) };
    await expect(receipts.get(early)).rejects.toMatchObject({ status: 404 });
    const { data } = await receipts.get({ ...early, atBlock: String(at + 1) });
    expect(data).toMatchObject({ saleId, state: 'pending', refundedTotal: '0' });
    const none = campaigns.get({ campaignId: '1', atBlock: '99' });
    await expect(none).rejects.toMatchObject({ status: 404 });
  });

  it('reports that it cannot respond while the chain replaces the settled block or is unreachable', async () => {
    const settled = await fixture.pool<{ number: string }[]>`
      select settled_number as number from ledger.head`;
    const forked = new Map([[Number(settled[0]?.number), hash('another block')]]);
    const { client } = chainOf(facts, forked);
    const input = { campaignId: '1', atBlock: String(last - 1) };
    await expect(fixture.client({ client }).campaigns.get(input)).rejects.toMatchObject({
      status: 503,
      code: 'NOT_READY',
    });
    // The fixture's own client is of a chain that never answers.
    await expect(fixture.client().campaigns.get(input)).rejects.toMatchObject({ status: 503 });
  });

  it('binds a cursor to its block, so that pages of two blocks do not mix', async () => {
    const { receipts } = fixture.client({ client: chainOf(facts).client });
    const ended = facts.findLast(({ name }) => name === 'SaleFinalized');
    if (ended?.name !== 'SaleFinalized') throw new Error('the history has a finalized sale');
    const input = { chainId: CHAIN_ID, saleId: ended.args.saleId, limit: 1 };
    const first = await receipts.events({ ...input, atBlock: String(last) });
    const cursor = first.data.nextCursor ?? '';
    const other = receipts.events({ ...input, cursor, atBlock: String(last - 1) });
    await expect(other).rejects.toMatchObject({ status: 400 });
  });
});

/** Everything that a ledger returns at a block, by default at its settled one. */
async function readings(fixture: ApiFixture, atBlock?: string) {
  return {
    everything: await everything(fixture.client(), atBlock),
    earnings: await earnings(fixture, atBlock),
    vaults: await vaults(fixture, atBlock),
  };
}

/** Ledgers and movements of all merchants without transactions to sign: the past has none. */
async function vaults(fixture: ApiFixture, atBlock?: string): Promise<unknown[]> {
  const reported: unknown[] = [];
  for (const [i, campaignId] of ['1', '2', '3'].entries()) {
    const { vault, pages } = await fixture.clientAs(account(1_000 + i));
    for (const input of [{}, { campaignId }]) {
      const found = await vault.get({ ...input, atBlock }).catch(({ status }) => ({ status }));
      if ('status' in found) {
        expect(found.status).toBe(404);
        continue;
      }
      const { data, meta } = found;
      expect(data.actions === null).toBe(atBlock !== undefined || input.campaignId === undefined);
      if (input.campaignId === undefined) {
        reported.push(data, meta.chain);
        continue;
      }
      const movements = [];
      const query = { ...input, atBlock, limit: 100 };
      for await (const one of pages(vault.movements, query)) movements.push(one);
      reported.push({ ...data, actions: null }, meta.chain, movements);
    }
  }
  return reported;
}

/** What accounts of the history earned, by every method of `earnings` with `atBlock`. */
async function earnings(fixture: ApiFixture, atBlock?: string): Promise<unknown> {
  const at = atBlock === undefined ? {} : { atBlock };
  const reported: unknown[] = [];
  for (let id = 10; id < 35; id += 3) {
    const { earnings: api } = await fixture.clientAs(account(id));
    const answers = await Promise.all([
      api.summary(at),
      api.byCampaign({ ...at, limit: 100 }),
      api.byConversion({ ...at, limit: 100 }),
      api.missed({ ...at, limit: 100 }),
      api.claims({ ...at, limit: 100 }),
    ]);
    reported.push(answers.map(({ data, meta }) => [data, meta.chain]));
  }
  return JSON.parse(
    JSON.stringify(reported, (key, value) => (key === 'nextCursor' ? null : value)),
  );
}

/** All that the methods with `atBlock` tell of every campaign, sale and node that there is then. */
async function everything(api: Client, atBlock?: string): Promise<unknown[]> {
  const at = atBlock === undefined ? {} : { atBlock };
  const reported: unknown[] = [];
  const record = async (ask: () => Promise<{ data: unknown; meta: { chain?: unknown } }>) => {
    const answer = await ask().catch((error: unknown) => error);
    if (answer instanceof Error) {
      expect(answer).toMatchObject({ status: 404 });
      return false;
    }
    const { data, meta } = answer as { data: unknown; meta: { chain?: unknown } };
    reported.push(data, meta.chain);
    return true;
  };
  for (let id = 1; id <= 3; id += 1) {
    const campaign = { campaignId: String(id), ...at };
    await record(() => api.campaigns.get(campaign));
    await record(() => api.campaigns.stats(campaign));
    await record(() => api.campaigns.policy(campaign));
    await record(() => api.policies.list(campaign));
    await record(() => api.prices.list({ ...campaign, limit: 100 }));
    await record(() => api.permissions.list(campaign));
    await record(() => api.ledger.entries({ ...campaign, limit: 100 }));
  }
  for (let id = 1; ; id += 1) {
    const sale = { chainId: CHAIN_ID, saleId: String(id), ...at };
    if (!(await record(() => api.receipts.get(sale)))) break;
    await record(() => api.receipts.events({ ...sale, limit: 100 }));
  }
  for (let id = 10; id < 35; id += 3) {
    await record(() => api.ledger.balances({ address: account(id), ...at }));
  }
  for (let id = 1; ; id += 1) {
    const node = { chainId: CHAIN_ID, nodeId: String(id), ...at };
    if (!(await record(() => api.graph.ancestry({ ...node, limit: 100 })))) break;
  }
  // When a campaign was indexed is of this ledger, and not of the chain.
  return JSON.parse(
    JSON.stringify(reported, (key, value) =>
      key === 'indexedAt' || key === 'nextCursor' ? null : value,
    ),
  );
}
