import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, EventArgs, Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { allTotals, distributorTotals } from '../../engine/db/read/distributors/totals.ts';
import { readLedger, type Snapshot } from '../../engine/db/read/snapshot.ts';
import { rollBack } from '../../engine/db/write/rollback.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { account, hash, randomHistory, seeded } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { analyticsBySale, recordBySale } from './support/distributors-by-sale.ts';
import { HistoryBuilder } from './support/facts.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles } from './support/small-history.ts';

interface Block {
  readonly number: number;
  readonly hash: `0x${string}`;
  readonly timestamp: number;
}

const fixtures = new SettleFixtures();

afterAll(() => fixtures.close());

/**
 * A random history in which every third buyer owns the selling node or its parent, and every seventh is
 * the merchant; campaigns 1 and 2 have one merchant, and campaign 2 a token of its own.
 */
function selfDealing(seed: number): Fact[] {
  const nodes = new Map<string, EventArgs<'NodeJoined'>>();
  const buyers = new Map<string, Address>();
  return randomHistory({ seed, steps: 700, campaigns: 4 }).map((fact): Fact => {
    if (fact.name === 'NodeJoined') nodes.set(fact.args.nodeId, fact.args);
    if (fact.name === 'CampaignCreated' && fact.campaignId === '2') {
      return { ...fact, args: { ...fact.args, merchant: account(1_000), token: account(2) } };
    }
    if (fact.name === 'SaleRecorded') {
      const sale = Number(fact.args.saleId);
      const seller = nodes.get(fact.args.nodeId);
      const parent = nodes.get(seller?.parentNodeId ?? '0');
      const owner = sale % 2 === 0 ? (parent ?? seller)?.owner : seller?.owner;
      const merchant = account(999 + Number(fact.campaignId === '2' ? '1' : fact.campaignId));
      const selfDealt = sale % 7 === 0 ? merchant : sale % 3 === 0 ? owner : undefined;
      const buyer = selfDealt ?? fact.args.buyer;
      buyers.set(fact.args.saleId, buyer);
      return { ...fact, args: { ...fact.args, buyer } };
    }
    if (fact.name !== 'SaleRefunded') return fact;
    return { ...fact, args: { ...fact.args, buyer: buyers.get(fact.args.saleId) ?? account(500) } };
  });
}

/** What the sums differ in from their rows, by the audit; a rollback leaves the cursor to its caller. */
async function violations({ pool }: SettleFixture) {
  const found = await pool.begin((sql) => auditLedger(sql));
  return found.filter(({ invariant }) => invariant.includes('sums'));
}

async function expectSame(snapshot: Snapshot, context: string): Promise<number> {
  const bySale = byAddress(await analyticsBySale(snapshot));
  expect(byAddress(await allTotals(snapshot)), context).toEqual(bySale);
  for (const { address } of bySale) {
    const record = await distributorTotals(snapshot, address);
    expect(record, `${context}, ${address}`).toEqual(await recordBySale(snapshot, address));
  }
  expect(await distributorTotals(snapshot, account(9))).toBeUndefined();
  return bySale.length;
}

describe.each([8, 18])('the sums that distributors are ranked by, seed %i', (seed) => {
  const facts = selfDealing(seed);
  let fixture: SettleFixture;

  beforeAll(async () => {
    fixture = await fixtures.open();
    await fixture.index(facts);
    await fixture.settle(40);
    await saveProfiles(fixture.pool);
  });

  it('generates sales of every kind that rankings count or leave out', async () => {
    const rows = await fixture.pool<{ state: string; ranked: number; left_out: number }[]>`
      select sale.state, count(*) filter (where ranked)::int as ranked,
        count(*) filter (where not ranked)::int as left_out
      from ledger.sale join ledger.sale_account using (campaign_id, sale_id) group by sale.state`;
    expect(rows.map(({ state }) => state).sort()).toEqual([
      'finalized',
      'pending',
      'refunded',
      'reversed',
    ]);
    for (const row of rows) {
      expect(row.ranked, row.state).toBeGreaterThan(0);
      expect(row.left_out, row.state).toBeGreaterThan(0);
    }
  });

  it('ranks distributors at every settled block as computed from the sales', async () => {
    const places = await fixture.pool<{ n: string; h: `0x${string}`; t: string }[]>`
      select block_number as n, min(block_hash) as h, min(block_timestamp) as t
      from ledger.journal group by block_number order by block_number`;
    const blocks: Block[] = places.map(({ n, h, t }) => {
      return { number: Number(n), hash: h, timestamp: Number(t) };
    });
    const random = seeded(seed);
    for (let i = 0; i < 6; i += 1) {
      const at = i === 0 ? blocks.at(-1) : blocks[Math.floor(random() ** 0.4 * blocks.length)];
      if (at === undefined) throw new Error('there are no blocks');
      if (i === 3) await moderate(fixture.pool, 'hide', '1', 'fraud');
      const context = `seed ${seed}: block ${at.number}`;
      const compared = await readLedger(
        fixture.pool,
        (snapshot) => expectSame(snapshot, context),
        at,
      );
      if (i === 0) expect(compared).toBeGreaterThan(15);
    }
    await moderate(fixture.pool, 'unhide', '1');
  });

  it('computes the same ranking sums after a reorg as a fresh run, and a replay finds nothing', async () => {
    const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
    for (const depth of [2, 25, 120]) {
      const fork = blocks.at(-depth) ?? 0;
      const end = blocks.at(-Math.floor(depth / 2)) ?? 0;
      // The chain that takes over has other blocks, with less in them.
      const after = facts
        .filter(({ blockNumber }) => blockNumber < end)
        .map((fact) => {
          if (fact.blockNumber < fork) return fact;
          return { ...fact, blockHash: hash(`depth ${depth} ${fact.blockNumber}`) };
        });
      await fixture.index(after.filter(({ blockNumber }) => blockNumber >= fork));
      await fixture.settle(40);
      const fresh = await fixtures.open();
      await fresh.index(after);
      await fresh.settle();
      expect(differences(await dumpLedger(fixture.pool), await dumpLedger(fresh.pool))).toEqual([]);
      await readLedger(fixture.pool, (snapshot) => expectSame(snapshot, `depth ${depth}`));
      await fixture.index(facts.filter(({ blockNumber }) => blockNumber >= fork));
      await fixture.settle(40);
    }
    const { pool } = fixture;
    const options = { fromBlock: 0, shadow: false, batchSize: 70, onProgress: () => {} };
    const { campaigns } = await replay({ pool, keccak256: keccak, ...options });
    expect(campaigns.map(({ outcome }) => outcome)).toEqual(Array(4).fill('equal'));
  });

  it('computes sums that agree with their rows after every rollback, and audits those that do not', async () => {
    expect(await violations(fixture)).toEqual([]);
    for (const column of [
      'ranked_pending',
      'ranked_direct',
      'ranked_network',
      'ranked_refunded',
      'ranked_reversed',
      'ranked_value',
      'last_settled_at',
    ]) {
      const name = fixture.pool(column);
      await fixture.pool`update ledger.account_sum set ${name} = ${name} + 1 where campaign_id = 2`;
      expect((await violations(fixture))[0], column).toMatchObject({
        campaignId: '2',
        invariant: 'sums of sales and joins by account are those of the rows',
        subject: expect.stringMatching(/^account 0x/),
      });
      await fixture.pool`update ledger.account_sum set ${name} = ${name} - 1 where campaign_id = 2`;
    }
    for (const campaignId of ['1', '2', '3', '4']) {
      const [cursor] = await fixture.pool<{ seq: string }[]>`
        select seq from ledger.cursor where campaign_id = ${campaignId}`;
      for (const share of [0.95, 0.7, 0.4, 0]) {
        const seq = Math.floor(Number(cursor?.seq) * share);
        await fixture.pool.begin((sql) => rollBack(sql, campaignId, seq));
        expect(await violations(fixture), `${campaignId} rolled back to ${seq}`).toEqual([]);
        await readLedger(fixture.pool, (snapshot) => expectSame(snapshot, `rolled back to ${seq}`));
      }
    }
  });
});

describe('when the newest sale of an account settled', () => {
  it('restores after a rollback when an account’s newest sale settled, behind many sales of others', async () => {
    const fixture = await fixtures.open();
    const history = new HistoryBuilder();
    history.create('1', { saleCapacity: 10_000 });
    history.schedule('1', { perSaleCap: 1n, shortPathMode: 'RETURN_UNUSED' });
    history.fund('1', 1_000n);
    history.join('1', '1');
    history.join('1', '2');
    let sales = 0;
    // Of a pool of one unit nothing is left for a level: no entry says that such a sale vested.
    const settle = (nodeId: string) => {
      sales += 1;
      const saleId = String(sales);
      history.nextBlock();
      history.sell('1', saleId, { nodeId, pool: 1n, shares: [0n] });
      history.finalize('1', saleId);
      return history.time;
    };
    const first = settle('1');
    for (let i = 0; i < 1_005; i += 1) settle('2');
    const before = history.facts.length;
    const last = settle('1');
    await fixture.index(history.facts);
    await fixture.settle();
    const lastOf = async () => {
      const rows = await fixture.pool<{ last: string }[]>`
        select last_settled_at as last from ledger.account_sum where account = ${account(11)}`;
      return rows.map((row) => Number(row.last));
    };
    expect(await lastOf()).toEqual([last]);
    const { blockNumber, blockHash, timestamp } = history.facts[before - 1] ?? raise();
    const at = { number: blockNumber, hash: blockHash, timestamp };
    const asOf = await readLedger(fixture.pool, (one) => distributorTotals(one, account(11)), at);
    expect(asOf).toMatchObject({ settledConversions: 1, lastSettledAt: first });
    await fixture.pool.begin((sql) => rollBack(sql, '1', before));
    expect(await lastOf()).toEqual([first]);
  });
});

function raise(): never {
  throw new Error('the history has that event');
}

function byAddress<T extends { readonly address: Address }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.address < b.address ? -1 : 1));
}
