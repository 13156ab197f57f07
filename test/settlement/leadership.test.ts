import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advisoryLocks } from '../../engine/db/advisory-locks.ts';
import {
  closePool,
  isClosing,
  openPool,
  type Pool,
  sessionName,
} from '../../engine/db/connection.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { holdLeadership, type Leadership } from '../../engine/db/leadership.ts';
import { readSettings } from '../../engine/db/read/snapshot.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { Door } from '../support/door.ts';
import { randomHistory } from '../support/history.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { PushedJobs } from '../support/settle-jobs.ts';
import { waitFor } from '../support/wait-for.ts';

/** Limit of a transaction between two statements, milliseconds: long enough for a busy machine. */
const IDLE_MS = 1_000;

const fixtures = new SettleFixtures();
let fixture: SettleFixture;
const pools: Pool[] = [];
const leaders: Leadership[] = [];

beforeEach(async () => {
  fixture = await fixtures.open();
});

afterEach(async () => {
  for (const leader of leaders.splice(0)) await leader.release();
  for (const pool of pools.splice(0)) await pool.end();
  await fixtures.close();
});

/** Waits for the lead as one of several workers. */
async function lead(
  onEnded: (sessions: number) => void = () => {},
  maxIdleMs?: number,
): Promise<Leadership> {
  const pool = openPool(fixtures.urlOf(fixture), { max: 1 });
  pools.push(pool);
  const leader = await holdLeadership(pool, {
    ...{ stop: () => false, onEnded },
    ...(maxIdleMs === undefined ? {} : { maxIdleMs }),
  });
  if (leader === undefined) throw new Error('nothing stopped it');
  leaders.push(leader);
  return leader;
}

async function endSessionOfLeader(): Promise<void> {
  await fixture.pool`select pg_terminate_backend(pid) from ledger.leader`;
}

describe('the lead', () => {
  it('goes to another worker, with a higher token, when the session of the leader is cut', async () => {
    const first = await lead();
    const waiting = lead();
    await setTimeout(1_000);
    expect(await first.held()).toBe(true);
    await endSessionOfLeader();
    const second = await waiting;
    expect(BigInt(second.token)).toBeGreaterThan(BigInt(first.token));
    expect(await first.held()).toBe(false);
    expect(await second.held()).toBe(true);
  });

  it('ends with its session, wherever between two statements that is cut', async () => {
    for (let i = 0; i < 50; i += 1) {
      const leader = await lead();
      await endSessionOfLeader();
      // The first may answer before the signal arrives; nothing waits for a session that is ending.
      await Promise.all([leader.held(), leader.held()]);
      await leader.held();
      expect(await leader.held()).toBe(false);
      await leader.release();
    }
  });

  it('goes to another worker when the process of the leader gives no sign of life', async () => {
    // A paused process: its session lives, and renews nothing.
    const paused = openPool(fixtures.urlOf(fixture), { max: 1 });
    pools.push(paused);
    await paused`select pg_advisory_lock(${advisoryLocks.lead})`;
    await paused`
      insert into ledger.leader (token, pid, renewed_at)
      values (7, pg_backend_pid(), clock_timestamp() - interval '9 seconds')`;
    let ended = 0;
    const started = performance.now();
    const leader = await lead((sessions) => {
      ended += sessions;
    });
    expect(performance.now() - started).toBeGreaterThan(900);
    expect({ ended, token: leader.token }).toEqual({ ended: 1, token: '8' });
  });

  it.each([sessionName('api'), 'tributary api', sessionName()])(
    'ends the session of an API, or of its own program (%s), that stopped in the middle of a statement',
    async (applicationName) => {
      const door = await Door.open(fixtures.urlOf(fixture));
      const api = openPool(door.url, {
        ...{ max: 1, applicationName },
        settings: { ...readSettings, idle_in_transaction_session_timeout: IDLE_MS },
      });
      try {
        const reading = api.begin(async (sql) => {
          await sql`select 1`;
          door.holdAnswers();
          // PostgreSQL describes its parameters, and waits for their values, which a paused process does not send.
          await sql`select 1 from ledger.entry where account = ${'0x01'}`;
        });
        reading.catch(() => {});
        const { pool } = fixture;
        const locks = async () =>
          await pool`
          select 1 from pg_locks where relation = 'ledger.entry'::regclass
            and database = (select oid from pg_database where datname = current_database())`;
        await waitFor(async () => (await locks()).length > 0, { what: 'the statement' });
        let ended = 0;
        const count = (sessions: number) => {
          ended += sessions;
        };
        await setTimeout(1.5 * IDLE_MS);
        expect(await locks()).not.toEqual([]);
        await lead(count, 1_000);
        await waitFor(() => ended === 1, { what: 'the end of the session' });
        expect(await locks()).toEqual([]);
        await door.reopen();
        await expect(reading).rejects.toSatisfy(isClosing);
      } finally {
        await door.shut();
        await closePool(api, 0);
      }
    },
  );

  it('shows a sign of life for as long as the process runs', async () => {
    await lead();
    const renewedAt = async () => {
      const [row] = await fixture.pool<{ at: Date }[]>`select renewed_at as at from ledger.leader`;
      return row?.at.getTime() ?? 0;
    };
    const before = await renewedAt();
    await waitFor(async () => (await renewedAt()) > before, { what: 'a sign of life' });
  });
});

describe('a tick of a worker that no longer leads', () => {
  const facts = randomHistory({ seed: 62, steps: 80, campaigns: 2 });
  const last = facts.at(-1)?.blockNumber ?? 0;

  /** Everything that a leader decides. */
  async function decided(): Promise<unknown> {
    const { pool } = fixture;
    const [heads, checked, errors] = await Promise.all([
      pool`select * from ledger.head`,
      pool`select * from ledger.checked_head`,
      pool`select * from ledger.feeder_error`,
    ]);
    return { heads: [...heads], checked: [...checked], errors: [...errors] };
  }

  it('writes no head, no checked block and no error', async () => {
    const { pool, chain, table } = fixture;
    await fixture.index(facts.filter(({ blockNumber }) => blockNumber < last));
    await fixture.settle();
    const before = await decided();
    const { token } = await lead();
    const head = chain.head;
    // It wakes up with the chain's answer after another worker has taken over.
    chain.head = async () => {
      await pool`update ledger.leader set token = token + 1`;
      return await head();
    };
    await fixture.index(facts.filter(({ blockNumber }) => blockNumber === last));
    await table.removeFrom(last);
    const options = { pool, chain, queue: new PushedJobs(), onChainError: () => {} };
    await feed({ ...options, leader: token });
    expect(await decided()).toEqual(before);
    chain.head = head;
    await feed(options);
    expect(await decided()).not.toEqual(before);
    expect((await readHeads(pool))?.chainNumber).toBe(last);
  });
});
