import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TimeRange } from '../../engine/core/analytics.ts';
import type { Address } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { analyticsCohorts } from '../../engine/db/read/analytics/cohorts.ts';
import { readDelta } from '../../engine/db/read/analytics/delta.ts';
import type { AnalyticsScope } from '../../engine/db/read/analytics/scope.ts';
import { analyticsTotals } from '../../engine/db/read/analytics/totals.ts';
import { readLedger } from '../../engine/db/read/snapshot.ts';
import { rollBack } from '../../engine/db/write/rollback.ts';
import { randomHistory, seeded } from '../support/history.ts';
import { analyticsBySale } from './support/analytics-by-sale.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { cohortsBySale } from './support/cohorts-by-sale.ts';

const SEED = 4_711;
const DAY = 86_400;

describe('the sums that analytics read', () => {
  let fixture: ApiFixture;
  let merchants: readonly { merchant: Address; token: Address; ids: string[] }[];
  let blocks: readonly { number: number; hash: `0x${string}`; timestamp: number }[];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(randomHistory({ seed: SEED, steps: 900, campaigns: 3 }));
    // Campaigns of one merchant, in two tokens; and days apart, so that there are cohorts.
    const rows = await fixture.pool<{ merchant: Address; token: Address; ids: string[] }[]>`
      select merchant, min(token) as token, array_agg(campaign_id::text order by campaign_id) as ids
      from ledger.campaign group by merchant`;
    merchants = rows.map((row) => ({ ...row }));
    const places = await fixture.pool<{ n: string; h: `0x${string}`; t: string }[]>`
      select block_number as n, min(block_hash) as h, min(block_timestamp) as t
      from ledger.journal group by block_number order by block_number`;
    blocks = places.map(({ n, h, t }) => ({ number: Number(n), hash: h, timestamp: Number(t) }));
  });
  afterAll(() => fixture.close());

  /** Periods of all kinds, cut anywhere or at midnight. */
  function periodsOf(random: () => number): TimeRange[] {
    const [first, last] = [blocks[0]?.timestamp ?? 0, blocks.at(-1)?.timestamp ?? 0];
    const moment = () => Math.floor(first - DAY + random() * (last - first + 3 * DAY));
    const midnight = () => Math.floor(moment() / DAY) * DAY;
    return [midnight, moment, midnight, moment].map((pick) => {
      const [one, other] = [pick(), pick()];
      return { from: Math.min(one, other), to: Math.max(one, other) + (one === other ? DAY : 0) };
    });
  }

  it('computes the same analytics from sums as from the sales, at every settled block', async () => {
    const random = seeded(SEED);
    let compared = 0;
    const seen = new Set<string>();
    for (let i = 0; i < 15; i += 1) {
      // Settlement may be ahead of the settled block by all that there is.
      const at = i === 0 ? blocks.at(-1) : blocks[Math.floor(random() ** 0.3 * blocks.length)];
      if (at === undefined) throw new Error('there are no blocks');
      for (const period of periodsOf(random)) {
        for (const { merchant, token, ids } of merchants) {
          const some = random() < 0.3 ? ids.slice(0, 1) : undefined;
          const scope: AnalyticsScope = {
            merchant,
            token,
            period,
            campaignIds: some,
            comparedIds: some === undefined ? [] : ids.slice(1, 2),
          };
          await readLedger(
            fixture.pool,
            async (snapshot) => {
              const totals = await analyticsBySale(snapshot, scope);
              const context = `seed ${SEED}: block ${at.number}, ${JSON.stringify(scope)}`;
              const cohorts = await cohortsBySale(snapshot, scope);
              const delta = await readDelta(snapshot, scope);
              // What puts sums right adds nothing where nothing came later.
              for (const ahead of new Set([delta.ahead, true])) {
                const read = await analyticsTotals(snapshot, scope, { ...delta, ahead });
                expect(withoutEmpty(read), context).toEqual(withoutEmpty(totals));
                expect(
                  await analyticsCohorts(snapshot, scope, { ...delta, ahead }),
                  context,
                ).toEqual(cohorts);
              }
              seen.add(
                `${delta.ahead ? 'ahead' : 'settled'}, ${delta.partialDays.length > 0 ? 'cut' : 'whole'}`,
              );
              compared +=
                totals.depths.length + cohorts.filter(({ sales }) => sales.size > 0).length;
            },
            at,
          );
        }
      }
    }
    expect(compared).toBeGreaterThan(50);
    expect([...seen].sort()).toEqual([
      'ahead, cut',
      'ahead, whole',
      'settled, cut',
      'settled, whole',
    ]);
  });

  it('the sums that analytics read agree with their rows after every rollback, and the audit reports those that do not', async () => {
    expect(await violations()).toEqual([]);
    const [one] = await fixture.pool<{ seq: string }[]>`
      select seq from ledger.cursor where campaign_id = 1`;
    for (const share of [0.9, 0.6, 0.3, 0]) {
      const seq = Math.floor(Number(one?.seq) * share);
      await fixture.pool.begin((sql) => rollBack(sql, '1', seq));
      expect(await violations(), `rolled back to ${seq}`).toEqual([]);
    }
    for (const [table, column] of [
      ['sale_day', 'pending'],
      ['node_day', 'joined'],
      ['depth_day', 'finalized'],
      ['cohort_week', 'finalized'],
    ] as const) {
      await fixture.pool`
        update ledger.${fixture.pool(table)} set ${fixture.pool(column)} = ${fixture.pool(column)} + 1
        where campaign_id = 2`;
      expect((await violations())[0]?.invariant, table).toContain('sums');
      await fixture.pool`
        update ledger.${fixture.pool(table)} set ${fixture.pool(column)} = ${fixture.pool(column)} - 1
        where campaign_id = 2`;
    }
  });

  /** What the audit says of the sums; a rollback leaves the cursor to its caller. */
  async function violations() {
    const found = await fixture.pool.begin((sql) => auditLedger(sql));
    return found.filter(({ invariant }) => invariant.includes('sums'));
  }
});

/** Days on which nothing happened may be reported or not. */
function withoutEmpty(totals: Awaited<ReturnType<typeof analyticsBySale>>) {
  const days = [...totals.days].filter(([, sums]) =>
    Object.values(sums).some((value) => BigInt(value) !== 0n),
  );
  return { ...totals, days: new Map(days) };
}
