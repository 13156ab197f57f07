import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../support/history.ts';
import { holdLocks } from '../support/locks.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { type SignedIn, signedIn } from './support/session.ts';

const MERCHANT = account(1);
const product = {
  version: 0,
  status: 'draft',
  title: 'Late',
  summary: '',
  category: 'x',
  fulfillmentMode: 'manual',
} as const;

/** What is stored after an answer, and what is not: each write here is slower than its time limit. */
/** Milliseconds in which a request comes to its write or commit, also on a busy machine. */
const LONG_ENOUGH_MS = 2_000;

describe('a write that takes longer than a request may', () => {
  let fixture: ApiFixture;
  let me: SignedIn;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    history.create('1');
    await fixture.settle(history.facts);
    const client = await fixture.clientAs(MERCHANT);
    await client.merchants.setup({ slug: 'late', name: 'Late' });
    me = await signedIn(fixture.deps, MERCHANT);
  });
  afterAll(() => fixture.close());

  async function put(path: string, body: unknown, who = me, method = 'PUT', requestMs = 150) {
    const headers = { ...who.writing, 'content-type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    return await fixture.app({ requestMs }).request(path, init);
  }
  const save = async (id: string, requestMs?: number) =>
    await put(`/v1/merchant/products/${id}`, product, me, 'PUT', requestMs);
  const isSaved = async (id: string) =>
    (await fixture.pool`select 1 from commerce.product where id = ${id}`).length === 1;

  /** Holds a lock until the returned function is called. */
  async function locked(lock: 'merchant row' | 'draft table'): Promise<() => Promise<void>> {
    return await holdLocks(fixture.pool, async (sql) => {
      if (lock === 'merchant row') {
        await sql`select 1 from commerce.merchant where address = ${MERCHANT} for update`;
      } else {
        await sql`lock table commerce.campaign_draft in share mode`;
      }
    });
  }

  /** Waits until no statement and no transaction of the API is under way any more. */
  async function quiet(): Promise<void> {
    await waitFor(
      async () => {
        const [row] = await fixture.pool<{ count: string }[]>`
          select count(*) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and state in ('active', 'idle in transaction', 'idle in transaction (aborted)')`;
        return row?.count === '0';
      },
      { what: 'the end of all transactions' },
    );
  }

  it('rolls back a write whose transaction ends after the 503 of its deadline', async () => {
    const release = await locked('merchant row');
    const response = await save('too-late');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    await release();
    await quiet();
    expect(await isSaved('too-late')).toBe(false);
    // The same again, in time.
    expect((await save('too-late', 20_000)).status).toBe(200);
    expect(await isSaved('too-late')).toBe(true);
  });

  it('stores a write before responding if its commit was already sent at the deadline', async () => {
    await fixture.pool.unsafe(`
      create function slow_commit() returns trigger language plpgsql as $$
        begin perform pg_sleep(3); return null; end $$;
      create constraint trigger slow_commit after insert on commerce.product
        deferrable initially deferred for each row execute function slow_commit();`);
    try {
      const began = performance.now();
      const response = await save('slow-commit', LONG_ENOUGH_MS);
      const elapsedMs = performance.now() - began;
      const stored = await isSaved('slow-commit');
      // There was no time left to read it back. It is stored, and that before the answer.
      expect(elapsedMs).toBeGreaterThan(LONG_ENOUGH_MS);
      expect([response.status, stored]).toEqual([503, true]);
    } finally {
      await fixture.pool.unsafe('drop function slow_commit cascade');
    }
  });

  it('waits beyond the deadline for a write that is one statement without a transaction, and reports success', async () => {
    const client = await fixture.clientAs(MERCHANT);
    await client.campaigns.saveDraft({ id: 'waited', draft: { version: 0 } });
    const release = await locked('draft table');
    try {
      const path = '/v1/merchant/campaign-drafts/waited';
      const deleting = put(path, {}, me, 'DELETE', LONG_ENOUGH_MS);
      expect(await Promise.race([deleting, waitForBlocked()])).toBe('blocked');
      await release();
      expect((await deleting).status).toBe(200);
    } finally {
      await release();
    }
    await expect(client.campaigns.getDraft({ id: 'waited' })).rejects.toMatchObject({
      status: 404,
    });
  });

  /** Waits until a statement of the API has waited for a lock longer than its request may take. */
  async function waitForBlocked(): Promise<'blocked'> {
    return await waitFor(
      async () => {
        const rows = await fixture.pool`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and now() - query_start > interval '2500 ms'`;
        return rows.length > 0 && 'blocked';
      },
      { what: 'a statement that waits for a lock' },
    );
  }
});
