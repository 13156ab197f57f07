import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { apply, emptyCampaign, FIRST_STATE, type Sale } from '../../engine/core/fold/index.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import type { Sql } from '../../engine/db/connection.ts';
import {
  joinBeforeChange,
  saleFinalizedAt,
  saleRefunded,
  saleState,
} from '../../engine/db/read/as-of/sale.ts';
import { rollBack } from '../../engine/db/write/rollback.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';

const facts = withRetractedRefund(randomHistory({ seed: 90, steps: 600, campaigns: 2 }));

/** Facts of a wrong chain: the second refund of a sale, which a later event changes, says that nothing is refunded. */
function withRetractedRefund(history: readonly Fact[]): readonly Fact[] {
  const isOf = (saleId: string) => (fact: Fact) =>
    'saleId' in fact.args && fact.args.saleId === saleId;
  const again = history.find((fact, i) => {
    if (fact.name !== 'SaleRefunded') return false;
    const before = history.slice(0, i).filter(isOf(fact.args.saleId));
    const after = history.slice(i + 1).some(isOf(fact.args.saleId));
    return after && before.some(({ name }) => name === 'SaleRefunded');
  });
  return history.map((fact) =>
    fact.name === 'SaleRefunded' && fact === again
      ? { ...fact, args: { ...fact.args, refundedTotal: 0n } }
      : fact,
  );
}

/** Sales of each campaign after each of its events, by the event's sequence number, as the fold has them. */
const folded = new Map(['1', '2'].map((campaignId) => [campaignId, salesAfterEach(campaignId)]));

function salesAfterEach(campaignId: string): string[][] {
  const after: string[][] = [[]];
  let state = emptyCampaign(campaignId);
  for (const fact of facts.filter((one) => one.campaignId === campaignId)) {
    ({ state } = apply(state, fact));
    after.push([...state.sales.values()].map(lineOf));
  }
  return after;
}

function lineOf({ saleId, state, refundedTotal, finalizedAt }: Omit<Sale, 'levels'>): string {
  return `${saleId} ${state} ${refundedTotal} ${finalizedAt}`;
}

/** The sales of a campaign as of one of its events, as reads derive them. */
async function salesAt(sql: Sql, campaignId: string, seq: number): Promise<string[]> {
  const at = sql`${seq}::bigint`;
  const rows = await sql<{ line: string }[]>`
    select concat_ws(' ', sale.sale_id, ${saleState(sql)}, ${saleRefunded(sql)},
      coalesce((${saleFinalizedAt(sql)})::text, 'null')) as line
    from ledger.sale ${joinBeforeChange(sql, at)}
    where sale.campaign_id = ${campaignId} and sale.seq <= ${at} order by sale.sale_id`;
  return rows.map(({ line }) => line);
}

/** Undoes the transaction that a test runs. */
class Undo extends Error {}

describe('the states of sales, of which the first has no row', () => {
  const fixtures = new SettleFixtures();
  let fixture: SettleFixture;

  beforeAll(async () => {
    fixture = await fixtures.open();
    await fixture.index(facts);
    await fixture.settle();
  });
  afterAll(() => fixtures.close());

  it('the history has sales in each state, and sales that nothing changed', async () => {
    const all = [...folded.values()].flatMap((after) => after.at(-1) ?? []);
    for (const state of ['pending', 'finalized', 'refunded', 'reversed']) {
      expect(all.filter((line) => line.includes(` ${state} `)).length, state).toBeGreaterThan(1);
    }
    const { state, refundedTotal, finalizedAt } = FIRST_STATE;
    const first = ` ${state} ${refundedTotal} ${finalizedAt}`;
    expect(all.filter((line) => line.endsWith(first)).length).toBeGreaterThan(1);
    // Refunded in part, after some event.
    const past = [...folded.values()].flat(2);
    expect(past.filter((line) => / pending [1-9]/.test(line)).length).toBeGreaterThan(1);
  });

  it('stores no row for the event that recorded a sale', async () => {
    const rows = await fixture.pool`
      select 1 from ledger.sale_version version
      join ledger.sale using (campaign_id, sale_id, seq)`;
    expect(rows).toHaveLength(0);
  });

  it('stores a row where a wrong chain gave a sale its first state again', async () => {
    const again = await fixture.pool`
      select 1 from ledger.sale_version where state = 'pending' and refunded_total = 0`;
    expect(again).toHaveLength(1);
  });

  it('reads them as of every event as the fold had them after it', async () => {
    for (const [campaignId, after] of folded) {
      for (const [seq, sales] of after.entries()) {
        const read = await salesAt(fixture.pool, campaignId, seq);
        expect({ campaignId, seq, read }).toEqual({ campaignId, seq, read: byId(sales) });
      }
    }
  });

  it('restores them by a rollback to before, to and between the events of a sale', async () => {
    for (const [campaignId, after] of folded) {
      for (const seq of after.keys()) {
        if (seq % 5 === 0) await expectRollback(fixture, campaignId, seq, after[seq] ?? []);
      }
    }
  });

  it.each([
    ['before', -1],
    ['after', 0],
  ])(
    'restores those of the first run after a reorg back to right %s a recording',
    async (_, blocks) => {
      const { pool } = fixture;
      const settled = await dumpLedger(pool);
      const recording = facts.filter((fact) => fact.name === 'SaleRecorded').at(20);
      if (recording === undefined) throw new Error('the history has that sale');
      const end = recording.blockNumber + blocks;
      await fixture.index(facts.filter(({ blockNumber }) => blockNumber <= end));
      await fixture.settle();
      const [sale] = await pool`
      select state, refunded_total, finalized_at from ledger.sale where sale_id = ${recording.args.saleId}`;
      const first = { state: 'pending', refunded_total: '0', finalized_at: null };
      expect(sale).toEqual(blocks === 0 ? first : undefined);
      expect(await auditLedger(pool)).toEqual([]);
      await fixture.index(facts);
      await fixture.settle();
      expect(differences(settled, await dumpLedger(pool))).toEqual([]);
      const { campaigns } = await replay({
        ...{ pool, keccak256: keccak, fromBlock: 0, shadow: true, batchSize: 40 },
        onProgress: () => {},
      });
      expect(campaigns.map(({ outcome }) => outcome)).toEqual(['equal', 'equal']);
    },
  );
});

function byId(sales: readonly string[]): string[] {
  return [...sales].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

/** Rolls a campaign back in a transaction that is undone, and compares its sales with the fold's. */
async function expectRollback(
  { pool }: SettleFixture,
  campaignId: string,
  seq: number,
  expected: readonly string[],
): Promise<void> {
  const rolledBack = pool.begin(async (sql) => {
    await rollBack(sql, campaignId, seq);
    const rows = await sql<{ line: string; newest: boolean }[]>`
      select concat_ws(' ', sale_id, state, refunded_total, coalesce(finalized_at::text, 'null')) as line,
        changed_seq = (
          select max(seq) from ledger.journal event
          where event.campaign_id = sale.campaign_id and event.sale_id = sale.sale_id
        ) as newest
      from ledger.sale where campaign_id = ${campaignId} order by sale_id`;
    expect({ seq, sales: rows.map(({ line }) => line) }).toEqual({ seq, sales: byId(expected) });
    expect(rows.filter(({ newest }) => !newest)).toEqual([]);
    throw new Undo();
  });
  await expect(rolledBack).rejects.toThrow(Undo);
}
