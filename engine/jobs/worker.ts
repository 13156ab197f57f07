import { setTimeout } from 'node:timers/promises';
import { claimDueChores } from '../db/commerce/chores.ts';
import type { QueueWorker } from '../queue/bull.ts';
import type { Job, JobQueue } from '../queue/job-queue.ts';
import { chores as allChores, type Chore, runChore } from './chores.ts';
import type { JobContext } from './context.ts';
import { makeReport } from './reports/make-report.ts';

/** Everything that background jobs need. */
export interface JobsOptions extends JobContext {
  readonly queue: JobQueue;
  /** Concurrent jobs of this worker; each report that is being made holds two connections. */
  readonly concurrency: number;
  /** Milliseconds between two polls for chores that are due. */
  readonly pollMs: number;
  /** The chores; default: those of `chores.ts`. */
  readonly chores?: Readonly<Record<string, Chore>>;
  /** Called for each job whose lock expired while it ran. */
  readonly onLostLock?: () => void;
}

/** Running background jobs. */
export interface JobsWorker {
  /** Resolves when the running jobs have ended; an unfinished report is left for another worker. */
  stop(): Promise<void>;
}

/** Starts doing background jobs. Any number of workers may run: each job is done by one of them. */
export function startJobs(options: JobsOptions): JobsWorker {
  const stopping = new AbortController();
  const jobs = handleJobs(options, stopping.signal);
  const clock = pushDueChores(options, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await clock;
      await jobs.close();
    },
  };
}

function handleJobs(options: JobsOptions, signal: AbortSignal): QueueWorker {
  const { queue, log, concurrency, chores, onLostLock } = options;
  const handle = async (job: Job): Promise<void> => {
    if (job.name === 'chore') await runChore(options, job.chore, chores);
    else await makeReport(options, job.id, signal);
  };
  return queue.work(handle, {
    concurrency,
    onError: (error) => log.error({ err: error }, 'a background job failed'),
    onLostLock: (jobId) => {
      onLostLock?.();
      log.warn({ jobId }, 'the lock of a background job expired');
    },
  });
}

/**
 * Pushes the chores that are due. The database stores when that is, and not the queue's own scheduler:
 * so it survives a Redis that restarts empty, and needs no leader.
 */
async function pushDueChores(options: JobsOptions, signal: AbortSignal): Promise<void> {
  const { pool, queue, log, clock, pollMs, chores = allChores } = options;
  const schedules = Object.entries(chores).map(([name, { everySeconds }]) => ({
    name,
    everySeconds,
  }));
  while (!signal.aborted) {
    try {
      for (const name of await claimDueChores(pool, schedules, new Date(clock()))) {
        // Not awaited: if Redis is away, stopping this worker must not wait for it.
        queue
          .pushChore(name)
          .catch((error: unknown) => log.error({ err: error }, 'a chore could not be queued'));
      }
    } catch (error) {
      log.error({ err: error }, 'the due chores could not be read');
    }
    await setTimeout(pollMs, undefined, { signal }).catch(() => {});
  }
}
