import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../../engine/core/events.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import { readFacts } from '../../../engine/db/indexer/facts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { randomHistory } from '../../support/history.ts';
import { keccak } from '../../support/ledger.ts';
import { SettleFixture } from '../../support/settle-fixture.ts';
import { ledgerDifferences } from './compare.ts';
import { expectedOf } from './expected.ts';

let database: TestDatabase;
let fixture: SettleFixture;
let facts: readonly Fact[];

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(randomHistory({ seed: 8, steps: 300, campaigns: 3 }));
  await fixture.settle();
  const { pool, table } = fixture;
  const cursors = ['1', '2', '3'].map((campaignId) => ({ campaignId, at: null }));
  const read = await readFacts(pool, table.schema, cursors, 10_000);
  facts = read.flatMap((batch) => batch.facts);
});

afterAll(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

async function differences(sql: Sql = fixture.pool, of = facts): Promise<string[]> {
  const clock = Math.max(...facts.map(({ timestamp }) => timestamp));
  return await ledgerDifferences(sql, expectedOf(keccak, of), clock);
}

describe('the comparison with an undisturbed run', () => {
  it('finds nothing if the ledger is that of the facts', async () => {
    expect(await differences()).toEqual([]);
  });

  it('finds an extra fact in the ledger', async () => {
    expect((await differences(fixture.pool, facts.slice(0, -1))).join('\n')).toContain(
      'cursor of campaign',
    );
  });

  it.each([
    ['a digest', `update ledger.cursor set digest = reverse(digest) where campaign_id = 1`],
    ['an amount claimed twice', `update ledger.bucket set claimed = claimed + 1 where claimed > 0`],
    [
      'a hold that is not noticed',
      `update ledger.bucket set at_risk = at_risk + 1,
      ready_to_finalize = ready_to_finalize - 1 where ready_to_finalize > 0`,
    ],
    ['a credit that changed', 'update ledger.credit set credit_after = credit_after + 1'],
    ['a sale that is lost', 'delete from ledger.sale where sale_id = 1'],
    ['a sale in another state', `update ledger.sale set state = 'reversed' where sale_id = 2`],
    [
      'a discrepancy',
      `insert into ledger.discrepancy (campaign_id, seq, ordinal, kind, expected, actual)
      values (1, 1, 0, 'CLAIM_AMOUNT', '1', '2')`,
    ],
  ])('finds %s', async (_what, statement) => {
    await fixture.pool
      .begin(async (sql) => {
        const { count } = await sql.unsafe(statement);
        expect(count).toBeGreaterThan(0);
        expect(await differences(sql)).not.toEqual([]);
        throw new RolledBack();
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error;
      });
    expect(await differences()).toEqual([]);
  });
});

class RolledBack extends Error {}
