import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { type PartnerCursor, reportPartners } from '../../engine/db/read/partners/list.ts';
import { readLedger } from '../../engine/db/read/snapshot.ts';
import { rollBackPartners } from '../../engine/db/write/partners.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fillPartners } from '../support/fill-sums.ts';
import { account, randomHistory } from '../support/history.ts';
import { holdLocks, waitingSessions } from '../support/locks.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

/** Merchant of both campaigns. */
const MERCHANT = account(1_000);

describe('the totals of partners over the campaigns of a merchant', () => {
  let database: TestDatabase;
  let fixture: SettleFixture;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = await SettleFixture.open(database.url);
    pool = openPool(database.url, { max: 2 });
    const facts = randomHistory({ seed: 12, steps: 300, campaigns: 2 });
    await fixture.index(facts, { finalized: facts.at(-1)?.blockNumber ?? 0 });
    await fixture.settle();
    await pool`update ledger.campaign set merchant = ${MERCHANT}`;
    await fillPartners(pool);
  });
  afterAll(async () => {
    await pool.end();
    await fixture.pool.end();
    await database.drop();
  });

  it('includes what another campaign adds while a rollback of one computes the totals again', async () => {
    const accounts = (
      await pool<{ account: string }[]>`
        select account from ledger.account_sum where campaign_id = 1 and links > 0
        intersect select account from ledger.account_sum where campaign_id = 2 and links > 0`
    ).map((row) => row.account);
    expect(accounts.length).toBeGreaterThan(1);
    // As a batch does: the totals of its campaign first, those of the merchant with its last statement.
    const commitBatch = await holdLocks(pool, async (sql) => {
      await sql`
        update ledger.account_sum set direct_settled = direct_settled + 1
        where campaign_id = 2 and account = any(${accounts}::bytea[])`;
      await sql`
        insert into ledger.merchant_partner as totals
        select ${MERCHANT}, account, 0, 1, null from unnest(${accounts}::bytea[]) named (account)
        order by account
        on conflict (merchant, account) do update set settled = totals.settled + 1`;
    });
    let isDone = false;
    const rollback = pool
      .begin(async (sql) => await rollBackPartners(sql, '1', accounts))
      .then(() => {
        isDone = true;
      });
    await expect.poll(() => waitingSessions(fixture.pool)).toBeGreaterThan(0);
    expect(isDone).toBe(false);
    await commitBatch();
    await rollback;
    const found = await fixture.pool.begin(async (sql) => await auditLedger(sql));
    expect(found.filter(({ invariant }) => invariant.includes('totals of partners'))).toEqual([]);
  });

  it('rounds totals down to classes that are in the order of the settled sales', async () => {
    const [row] = await pool<{ checked: string; wrong: string }[]>`
      with number as (
        select n from generate_series(0, 5000) n
        union select power::bigint * edge + step from unnest(array[1, 3, 7, 1000000]) edge
        cross join unnest(array[16, 64, 256, 1024, 4096, 65536, 131072]) power
        cross join generate_series(-2, 2) step
      ), made as (
        insert into ledger.merchant_partner
        select 'nobody', int8send(n) || decode(repeat('00', 12), 'hex'), 1, n, 1 from number returning settled, settled_class
      ), step as (
        select settled, settled_class, lag(settled_class) over (order by settled) as before from made
      )
      select count(*) as checked,
        count(*) filter (where settled_class > settled or settled_class < before) as wrong
      from step`;
    await pool`delete from ledger.merchant_partner where merchant = 'nobody'`;
    expect(Number(row?.checked)).toBeGreaterThan(5_000);
    expect(row?.wrong).toBe('0');
  });

  it('lists partners in the order of their settled sales, also within a class', async () => {
    await pool`
      update ledger.account_sum
      set direct_settled = case when links > 0 then 300 + ('x' || right(encode(account, 'hex'), 2))::bit(8)::int / 6 else 0 end,
        network_settled = 0`;
    await fillPartners(pool);
    const expected = await pool<{ account: string; settled: string }[]>`
      select account, sum(direct_settled) as settled from ledger.account_sum
      group by account having sum(links) > 0
      order by sum(direct_settled) desc, encode(sha256(convert_to('secret' || '0x' || encode(account, 'hex'), 'UTF8')), 'hex')`;
    const classes = await pool`
      select settled_class from ledger.merchant_partner
      group by settled_class having count(distinct settled) > 2`;
    expect(classes.length).toBeGreaterThan(0);
    const found: string[] = [];
    let after: PartnerCursor | undefined;
    do {
      const query = { sort: 'sales', secret: 'secret', after, limit: 3 } as const;
      const page = await readLedger(pool, (snapshot) =>
        reportPartners(snapshot, { merchant: MERCHANT, token: account(1) }, query),
      );
      expect(page.partners).toBe(expected.length);
      found.push(...page.items.map((one) => one.account));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(found).toEqual(expected.map((one) => one.account));
  });
});
