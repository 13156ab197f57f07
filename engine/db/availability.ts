import { setTimeout } from 'node:timers/promises';
import { TransientSet } from '../core/transient-set.ts';
import {
  closePool,
  connectionLosses,
  cutConnections,
  openPool,
  type Pool,
  sessionName,
} from './connection.ts';

/** Whether a database answers just now, as a process watches it. */
export interface Availability {
  /** True from the first failed probe until the next one that succeeds. */
  readonly away: boolean;
  /**
   * Does the work unless the database is away, and stops waiting for it when the database goes away.
   * @throws {DatabaseAwayError} then; and whatever the work throws.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The database does not answer: a request that needs it would only wait. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
  /** As of a connection that cannot be made: an outage, and no fault of a statement. */
  readonly code = 'CONNECT_TIMEOUT';
}

/** Milliseconds between two probes. */
const PROBE_MS = 250;

/** Milliseconds of silence after which the database is taken to be away. */
const SILENT_MS = 700;

/** How often that time begins again if this process itself did not run in time. */
const MAX_EXTENSIONS = 4;

/** Milliseconds by which a timer may be late before this machine counts as overloaded. */
const LATE_MS = 50;

/**
 * Probes a database on a connection of its own, so that requests fail immediately while it is away,
 * instead of queueing for a connection.
 * @param pools the connections of the requests. If one is lost, a probe is due immediately; if the
 *   database goes silent, all of them are cut, and connect again when it is back.
 */
export function watchAvailability(databaseUrl: string, ...pools: readonly Pool[]): Availability {
  return watchServer({ databaseUrl, pools, ask: (probe) => probe`select 1` });
}

/** A server that is probed. */
export interface Watched {
  readonly databaseUrl: string;
  readonly pools: readonly Pool[];
  /** Query of a probe. If it rejects, the server is away. */
  readonly ask: (probe: Pool) => Promise<unknown>;
}

/** `watchAvailability` with a query that also reads something. */
export function watchServer({ databaseUrl, pools, ask }: Watched): Availability {
  const open = () => openPool(databaseUrl, { max: 1, applicationName: sessionName('probe') });
  let probe = open();
  const waiting = new TransientSet<(error: Error) => void>();
  const stopping = new AbortController();
  let away = false;

  const turn = (nowAway: boolean) => {
    away = nowAway;
    if (!away) return;
    for (const reject of waiting.clear()) {
      reject(new DatabaseAwayError('The database went away.'));
    }
  };
  const lossesOfAll = () => pools.reduce((count, pool) => count + connectionLosses(pool), 0);
  const watch = async () => {
    let losses = lossesOfAll();
    while (!stopping.signal.aborted) {
      const found = await probeOnce(() => ask(probe));
      turn(found !== 'answers');
      if (found === 'silent' && !stopping.signal.aborted) {
        for (const pool of pools) cutConnections(pool);
        void closePool(probe, 0);
        probe = open();
      }
      for (let waited = 0; waited < PROBE_MS && !stopping.signal.aborted; waited += LATE_MS) {
        await setTimeout(LATE_MS);
        if (lossesOfAll() !== losses) break;
      }
      losses = lossesOfAll();
    }
  };
  const watching = watch();
  return {
    get away() {
      return away;
    },
    run: async (work) => {
      if (away) throw new DatabaseAwayError('The database does not answer.');
      let leave: (error: Error) => void = () => {};
      const gone = new Promise<never>((_resolve, reject) => {
        leave = reject;
        waiting.add(reject);
      });
      try {
        return await Promise.race([work(), gone]);
      } finally {
        waiting.delete(leave);
      }
    },
    close: async () => {
      stopping.abort();
      await closePool(probe, 0);
      await watching;
    },
  };
}

/** Asks once: an answer, an error of the connection, or silence. */
async function probeOnce(ask: () => Promise<unknown>): Promise<'answers' | 'refuses' | 'silent'> {
  const asked = ask().then(
    () => 'answers' as const,
    () => 'refuses' as const,
  );
  for (let extensions = 0; extensions <= MAX_EXTENSIONS; extensions += 1) {
    const began = performance.now();
    const answered = await Promise.race([asked, setTimeout(SILENT_MS, undefined)]);
    if (answered !== undefined) return answered;
    // Where our own timer was late, everything on this machine may be: that is load, not an outage.
    if (performance.now() - began < SILENT_MS + LATE_MS) return 'silent';
  }
  return 'silent';
}
