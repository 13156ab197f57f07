import { advisoryLocks } from './advisory-locks.ts';
import {
  type Fragment,
  isClosing,
  openSession,
  type Pool,
  type Session,
  type Sql,
} from './connection.ts';
import { isSessionOf, isSessionOfSameProgram } from './sessions.ts';

/** Milliseconds between two tries to lead. */
const RETRY_MS = 500;

/** Milliseconds between two signs of life of a leader. */
const RENEW_MS = 2_000;

/** Milliseconds without a sign of life after which another worker ends the leader's session. */
const MAX_SILENT_MS = 10_000;

/**
 * Milliseconds for which a process may leave a transaction alone; then its session is ended. Longer than a fold
 * takes and a chain's answer may take.
 */
const MAX_IDLE_MS = 30_000;

/**
 * Milliseconds to wait for the end of a session. A signal says nothing: until the session has ended it is found
 * again, and would be counted again.
 */
const MAX_ENDING_MS = 1_000;

/** Sessions that a leader ends after one sign of life: fewer than would make it silent itself. */
const MAX_ENDED_AT_ONCE = 4;

/** Number of a leader. It rises with each, so that a write of an earlier leader can be refused. */
export type LeaderToken = string;

export interface Leadership {
  readonly token: LeaderToken;
  /** True if the session that holds the lock still exists, and no other worker leads. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LeadershipOptions {
  /** Returns true to stop waiting. */
  readonly stop: () => boolean;
  /** Called with the number of sessions that were ended because their processes no longer respond. */
  readonly onEnded?: (sessions: number) => void;
  /** Milliseconds for which a process may leave a transaction alone; default 30 s. */
  readonly maxIdleMs?: number;
}

/**
 * Waits until no other worker leads, then leads until `release`, or until another worker takes over
 * (docs/how-it-works/settlement.md#the-leader). PostgreSQL frees the lock of a session that ends. A leader whose process is
 * paused, or whose machine is gone, keeps its session: after `MAX_SILENT_MS` without a sign of life it is ended.
 * @returns `undefined` if it was stopped.
 */
export async function holdLeadership(
  pool: Pool,
  { stop, onEnded = () => {}, maxIdleMs = MAX_IDLE_MS }: LeadershipOptions,
): Promise<Leadership | undefined> {
  const session = openSession(pool);
  let token: LeaderToken | undefined;
  try {
    while (token === undefined) {
      token = await tryToLead(session.sql);
      if (token !== undefined) break;
      if (stop()) {
        await session.close();
        return undefined;
      }
      const ended = await endSilentLeader(session.sql);
      if (ended > 0) onEnded(ended);
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  } catch (error) {
    await session.close();
    throw error;
  }
  return lead(session, token, { onEnded, maxIdleMs });
}

function lead(
  { sql, close }: Session,
  token: LeaderToken,
  { onEnded, maxIdleMs }: Required<Omit<LeadershipOptions, 'stop'>>,
): Leadership {
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    await renewLead(sql, token);
    const ended = await endIdleSessions(sql, maxIdleMs);
    if (ended > 0) onEnded(ended);
  };
  const timer = setInterval(() => {
    // An error says nothing here: `held` reports a lost session.
    renewing ??= renew()
      .catch(() => {})
      .finally(() => {
        renewing = undefined;
      });
  }, RENEW_MS);
  return {
    token,
    held: async () => {
      try {
        const [row] = await sql<{ held: boolean }[]>`
          select ${holdsLock(sql)} and ${stillLeads(sql, token)} as held`;
        return row?.held === true;
      } catch (error) {
        // The lock has ended with the session.
        if (isClosing(error)) return false;
        throw error;
      }
    },
    release: async () => {
      clearInterval(timer);
      await renewing;
      // The end of the session frees the lock.
      await close();
    },
  };
}

/**
 * Condition in a leader's write: no other worker has taken over. A process that was paused in the middle of a
 * tick wakes up with decisions about a chain that has moved on.
 * @param token `undefined` outside of a worker: then the condition is true.
 */
export function stillLeads(sql: Sql, token: LeaderToken | undefined): Fragment {
  if (token === undefined) return sql`true`;
  return sql`exists (select 1 from ledger.leader where token = ${token})`;
}

/**
 * Takes the lock and the next token, in one statement: a process that is paused in between would hold a lock
 * that no token belongs to.
 * @returns `undefined` if another session holds the lock.
 */
async function tryToLead(sql: Sql): Promise<LeaderToken | undefined> {
  const [row] = await sql<{ token: LeaderToken }[]>`
    with lock as materialized (select pg_try_advisory_lock(${advisoryLocks.lead}) as locked)
    insert into ledger.leader as l (token, pid, renewed_at)
    select 1, pg_backend_pid(), clock_timestamp() from lock where locked
    on conflict (singleton) do update
    set token = l.token + 1, pid = excluded.pid, renewed_at = excluded.renewed_at
    returning token`;
  return row?.token;
}

async function renewLead(sql: Sql, token: LeaderToken): Promise<void> {
  await sql`
    update ledger.leader set renewed_at = clock_timestamp()
    where token = ${token} and ${holdsLock(sql)}`;
}

/** Condition: this session holds the lock. */
function holdsLock(sql: Sql): Fragment {
  return sql`exists (select 1 from (${lockHolder(sql)}) holder where pid = pg_backend_pid())`;
}

/** Server process of the session that holds the lock in this database. */
function lockHolder(sql: Sql): Fragment {
  return sql`
    select pid from pg_locks
    where locktype = 'advisory' and objid = ${advisoryLocks.lead} and granted
      and database = (select oid from pg_database where datname = current_database())`;
}

/**
 * Ends the session of a leader that gives no sign of life.
 * @returns number of ended sessions.
 */
async function endSilentLeader(sql: Sql): Promise<number> {
  return endSessions(
    sql,
    sql`
      select pid from (${lockHolder(sql)}) holder join ledger.leader using (pid)
      where renewed_at < clock_timestamp() - make_interval(secs => ${MAX_SILENT_MS / 1_000})`,
  );
}

/**
 * Ends sessions of paused processes and lost machines that are in the middle of a transaction. It ends worker sessions
 * that hold settlement locks, because no PostgreSQL timeout applies during `COPY` or while rows are sent: the batch is
 * rolled back, and another worker settles its campaigns. It also ends sessions of workers and APIs that stopped between
 * two parts of a statement, when `idle_in_transaction_session_timeout` does not count: a migration would wait for ever.
 * @returns number of ended sessions.
 */
async function endIdleSessions(sql: Sql, maxIdleMs: number): Promise<number> {
  return endSessions(
    sql,
    sql`
      select pid from pg_stat_activity a
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
        and state_change < clock_timestamp() - make_interval(secs => ${maxIdleMs / 1_000})
        and (
          (${isSessionOf(sql, 'api')} or ${isSessionOfSameProgram(sql)})
          and state = 'active' and wait_event = 'ClientRead'
          or ${isSessionOfSameProgram(sql)}
          and (state like 'idle in transaction%' or (state = 'active' and wait_event_type = 'Client'))
          and exists (
            select 1 from pg_locks l
            where l.pid = a.pid and l.mode in ('RowShareLock', 'RowExclusiveLock')
              and l.relation in ('ledger.cursor'::regclass, 'ledger.head'::regclass)
          )
        )`,
  );
}

/**
 * Ends sessions, and waits until they have ended.
 * @param pids query of their server processes.
 * @returns number of ended sessions.
 */
async function endSessions(sql: Sql, pids: Fragment): Promise<number> {
  const rows = await sql<{ ended: boolean }[]>`
    with session as materialized (select pid from (${pids}) found limit ${MAX_ENDED_AT_ONCE})
    select pg_terminate_backend(pid, ${MAX_ENDING_MS}) as ended from session`;
  return rows.filter(({ ended }) => ended).length;
}
