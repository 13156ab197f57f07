import { setTimeout } from 'node:timers/promises';
import { sessionName } from '../../../engine/db/connection.ts';
import { holdLocks } from '../../support/locks.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Fault, Scene } from './fault.ts';

/** The tables that a batch writes, in the order of the ledger's migration, and the heads. */
const BATCH_TABLES = [
  'journal',
  'campaign',
  'policy',
  'price',
  'permission',
  'node',
  'sale',
  'sale_version',
  'sale_level',
  'attestation',
  'entry',
  'bucket',
  'missed_reward',
  'cursor',
  'head',
] as const;

/** Kills while calls come in, at a moment that the seed decides. */
function killAt(kill: (scene: Scene) => Promise<string>): Fault['run'] {
  return async (scene) => {
    const { history, dice } = scene;
    const [steps, delayMs] = [dice.between(2, 6), dice.below(400)];
    const killing = setTimeout(delayMs).then(() => kill(scene));
    const [, report] = await Promise.all([history.play(steps), killing]);
    return `${report}, ${delayMs} ms into ${steps} steps`;
  };
}

const killWorker: Fault = {
  weight: 6,
  run: killAt(async ({ system }) => {
    await system.workers[0]?.kill();
    return 'a worker killed';
  }),
};

const killWorkers: Fault = {
  weight: 3,
  run: killAt(async ({ system }) => {
    const { workers } = system;
    await Promise.all(workers.map((worker) => worker.kill()));
    return `${workers.length} workers killed`;
  }),
};

const killApi: Fault = {
  weight: 2,
  run: killAt(async ({ system, checks }) => {
    checks.reader.excuse = 'unavailable';
    await system.api?.kill();
    return 'the API killed';
  }),
};

/** Ponder waits some 18 s for its dead lock, takes unfinalized rows away, and brings them back. */
const killIndexer: Fault = {
  weight: 1.5,
  run: killAt(async ({ system }) => {
    await system.indexer?.kill();
    return 'the indexer killed';
  }),
};

/**
 * Stops a batch between two of its statements, by a lock on the table that the next one writes, and
 * kills the workers right there.
 */
const killInBatch: Fault = {
  weight: 7,
  run: async ({ history, system, dice }) => {
    const table = dice.pick([...BATCH_TABLES]);
    const steps = dice.between(3, 8);
    const unlock = await holdLocks(system.pool, (sql) =>
      sql.unsafe(`lock table ledger.${table} in share mode`),
    );
    try {
      await history.play(steps);
      const caught = await caughtWorkers(system);
      await Promise.all(system.workers.map((worker) => worker.kill()));
      return caught
        ? `killed before writing ${table}`
        : `killed, and no batch came to write ${table}`;
    } finally {
      await unlock();
    }
  },
};

/** Whether a worker comes to wait for the lock; batches that write no such row pass it by. */
async function caughtWorkers({ pool }: Scene['system']): Promise<boolean> {
  const waiting = async () => {
    const rows = await pool`
      select 1 from pg_stat_activity
      where application_name = ${sessionName('worker')} and wait_event_type = 'Lock'
        and wait_event <> 'advisory' and datname = current_database()`;
    return rows.length > 0;
  };
  const options = { what: 'a worker to wait for a lock', timeout: 3_000 };
  return await waitFor(waiting, options).catch(() => false);
}

/** A worker is suspended, as its machine may be, and continues afterwards. */
const pauseWorker: Fault = {
  weight: 3,
  run: async ({ history, system, dice }) => {
    const [worker] = system.workers;
    const [steps, seconds] = [dice.between(2, 6), dice.pick([1, 2, 7])];
    if (worker === undefined) return 'no worker to pause';
    process.kill(worker.pid, 'SIGSTOP');
    try {
      await Promise.all([history.play(steps), setTimeout(seconds * 1_000)]);
    } finally {
      process.kill(worker.pid, 'SIGCONT');
    }
    return `a worker paused for ${seconds} s`;
  },
};

export const kills = {
  killWorker,
  killWorkers,
  killInBatch,
  pauseWorker,
  killApi,
  killIndexer,
} as const satisfies Record<string, Fault>;
