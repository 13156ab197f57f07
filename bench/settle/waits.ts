import type { Pool } from '../../engine/db/connection.ts';

/** State of the workers' sessions, on average over a run. */
export interface Waits {
  /** Sessions that PostgreSQL was working for. */
  readonly running: number;
  /** Waiting for a lock that another session holds: rows, transactions, advisory locks. */
  readonly locks: number;
  /** Waiting for each other inside of PostgreSQL: pages, the log. */
  readonly latches: number;
  /** Waiting for the disk. */
  readonly disk: number;
  /** The locks that were waited for, by what they are on. */
  readonly lockedOn: ReadonlyMap<string, number>;
}

const EVERY_MS = 25;

/** Looks at the workers' sessions again and again until it is stopped. */
export function sampleWaits(pool: Pool): { stop(): Promise<Waits> } {
  const totals = { samples: 0, running: 0, locks: 0, latches: 0, disk: 0 };
  const lockedOn = new Map<string, number>();
  let stopping = false;
  const sample = async () => {
    const rows = await pool<{ kind: string | null; event: string | null; sessions: number }[]>`
      select wait_event_type as kind, wait_event as event, count(*)::int as sessions
      from pg_stat_activity
      where datname = current_database() and application_name like '% worker %'
        and state = 'active' and backend_type = 'client backend'
      group by 1, 2`;
    totals.samples += 1;
    for (const { kind, event, sessions } of rows) {
      if (kind === null) totals.running += sessions;
      else if (kind === 'LWLock') totals.latches += sessions;
      else if (kind === 'IO') totals.disk += sessions;
      else if (kind === 'Lock') {
        totals.locks += sessions;
        lockedOn.set(event ?? '', (lockedOn.get(event ?? '') ?? 0) + sessions);
      }
    }
  };
  const looking = (async () => {
    while (!stopping) {
      await sample();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  return {
    stop: async () => {
      stopping = true;
      await looking;
      const each = (total: number) => total / Math.max(1, totals.samples);
      return {
        running: each(totals.running),
        locks: each(totals.locks),
        latches: each(totals.latches),
        disk: each(totals.disk),
        lockedOn: new Map([...lockedOn].map(([event, total]) => [event, each(total)])),
      };
    },
  };
}
