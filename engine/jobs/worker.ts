import { claimDueChores } from '../db/commerce/chores.ts';
import type { QueueWorker } from '../settlement/bull.ts';
import { chores as allChores, type Chore, runChore } from './chores.ts';
import type { JobContext } from './context.ts';
import type { Job, JobQueue } from './queue.ts';
import { makeReport } from './reports/make-report.ts';

export interface JobsOptions extends JobContext {
  readonly queue: JobQueue;
  /** Jobs done at once by this worker; each report under way holds two connections. */
  readonly concurrency: number;
  /** Milliseconds between two looks for chores that are due. */
  readonly pollMs: number;
  /** The chores; default those of `chores.ts`, which need nothing from outside but this. */
  readonly chores?: Readonly<Record<string, Chore>>;
}

/** Background jobs under way. */
export interface JobsWorker {
  /** Ends when the jobs under way have: a report that is being made is left for another worker. */
  stop(): Promise<void>;
}

/** Starts doing background jobs. Any number of workers may: each job is done by one of them. */
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
  const { queue, log, concurrency, chores } = options;
  const handle = async (job: Job): Promise<void> => {
    if (job.name === 'chore') await runChore(options, job.chore, chores);
    else await makeReport(options, job.id, signal);
  };
  return queue.work(handle, {
    concurrency,
    onError: (error) => log.error({ err: error }, 'a background job failed'),
  });
}

/**
 * Pushes the chores that are due. When that is, the database keeps and not the queue's own scheduler:
 * so it outlives a Redis that comes back empty, and needs no leader.
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
        // Not waited for: where Redis is away, the stop of this worker must not wait for it.
        queue.pushChore(name).catch((error: unknown) => log.error({ err: error }, 'push failed'));
      }
    } catch (error) {
      log.error({ err: error }, 'the chores could not be looked up');
    }
    await pause(pollMs, signal);
  }
}

/** Waits so long, or until the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
