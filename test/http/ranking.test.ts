import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advisoryLocks } from '../../engine/db/advisory-locks.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { runChore } from '../../engine/jobs/chores.ts';
import { account } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { jobsOf } from './support/jobs.ts';

const CHORE = 'ranking.refresh';

/** One campaign, and who joins it: a block each. */
function joined(): HistoryBuilder {
  const history = new HistoryBuilder();
  history.create('1');
  history.schedule('1');
  history.fund('1', 10_000_000n);
  history.nextBlock();
  history.join('1', '1');
  history.nextBlock();
  history.join('1', '2', '1');
  return history;
}

describe('the ranking of distributors', () => {
  const history = joined();
  let fixture: ApiFixture;
  let others: Pool;

  beforeEach(async () => {
    fixture = await ApiFixture.open();
    others = openPool(fixture.databaseUrl, { max: 3 });
  });
  afterEach(async () => {
    await others.end();
    await fixture.close();
  });

  /** As if another process made a ranking just then. */
  async function whileLocked(act: () => Promise<void>): Promise<void> {
    await others.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${advisoryLocks.ranking})`;
      await act();
    });
  }

  async function state() {
    const [row] = await others<{ block: string; made: string }[]>`
      select block_number as block, computed_at::text as made
      from commerce.distributor_ranking_state`;
    return row;
  }

  async function listed() {
    const response = await fixture.app().request('/v1/distributors');
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** The settled block is the one before, and the ranking is made of it and an hour old. */
  async function rankBefore(): Promise<void> {
    await fixture.pool`update ledger.head set settled_number = settled_number - 1`;
    await refreshRanking(others);
    await fixture.pool`update ledger.head set settled_number = settled_number + 1`;
    await fixture.pool`
      update commerce.distributor_ranking_state set computed_at = now() - interval '1 hour'`;
  }

  it('reports that the ranking is not ready while the first one takes long, and returns it later', async () => {
    await fixture.settle(history.facts);
    await whileLocked(async () => {
      const { status, headers, body } = await listed();
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
      expect(body).toMatchObject({
        error: {
          code: 'NOT_READY',
          issues: [{ path: 'ranking', message: expect.stringContaining('is being computed') }],
        },
      });
      expect(await state()).toBeUndefined();
    });
    await waitFor(async () => (await state()) !== undefined, { what: 'the ranking' });
    const { status, body } = await listed();
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { items: [{ address: account(12) }, {}] } });
  });

  it('neither returns a ranking of blocks that a reorg removed, nor waits for it', async () => {
    await fixture.settle(history.facts);
    await refreshRanking(others);
    await fixture.pool`update commerce.distributor_ranking_state set block_hash = ${'0xother'}`;
    await whileLocked(async () => expect((await listed()).status).toBe(503));
    await waitFor(async () => (await listed()).status === 200, { what: 'the ranking' });
  });

  it('returns an old ranking, and recomputes it in the background', async () => {
    await fixture.settle(history.facts);
    await rankBefore();
    await whileLocked(async () => {
      const { status, body } = await listed();
      expect(status).toBe(200);
      expect(body).toMatchObject({
        data: { items: [{ address: account(11) }] },
        meta: { chain: { blockNumber: String(history.block - 1) } },
      });
    });
    await waitFor(async () => (await state())?.block === String(history.block), {
      what: 'the new ranking',
    });
  });

  it('computes a ranking once for all requests that wait for it', async () => {
    await fixture.settle(history.facts);
    let made = 0;
    const counting = openPool(fixture.databaseUrl, {
      max: 8,
      onStatement: (text) => {
        if (text.includes('create temporary table made')) made += 1;
      },
    });
    let all: Promise<unknown> = Promise.resolve();
    await whileLocked(async () => {
      all = Promise.all([1, 2, 3].map(() => refreshRanking(counting)));
      const waiting = async () => {
        const rows = await others`
          select 1 from pg_locks where locktype = 'advisory' and not granted
            and objid = ${advisoryLocks.ranking}
            and database = (select oid from pg_database where datname = current_database())`;
        return rows.length === 3;
      };
      await waitFor(waiting, { what: 'three who wait' });
    });
    await all;
    expect(made).toBe(1);
    await refreshRanking(counting);
    expect(made).toBe(2);
    await counting.end();
  });

  it('computes the ranking in a chore, once for each block', async () => {
    const jobs = jobsOf(fixture);
    await runChore(jobs, CHORE);
    expect(await state()).toBeUndefined();
    await fixture.settle(history.facts);
    await runChore(jobs, CHORE);
    const first = await state();
    expect(first?.block).toBe(String(history.block));
    await runChore(jobs, CHORE);
    expect(await state()).toEqual(first);
    await rankBefore();
    await runChore(jobs, CHORE);
    expect((await state())?.block).toBe(String(history.block));
    expect(jobs.logged).toEqual([]);
    await whileLocked(async () => expect((await listed()).status).toBe(200));
  });
});
